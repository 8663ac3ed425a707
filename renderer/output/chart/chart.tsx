import { useEffect, useRef, useState } from 'react'
import type { MimeBundle } from '../../../src/contract/run.ts'
import { useTheme } from '../theme.ts'
import styles from './chart.module.css'

interface ChartProps {
  readonly spec: MimeBundle[string]
  readonly label: string
}

/** A Vega-Lite chart in the colours of the theme. The library is large and is fetched with the first chart. */
export function Chart({ spec, label }: ChartProps) {
  const place = useRef<HTMLDivElement>(null)
  const theme = useTheme()
  const [problem, setProblem] = useState('')

  useEffect(() => {
    const element = place.current
    if (!element) return
    const abort = new AbortController()
    const drawn = import('./draw.ts').then(({ drawChart }) => drawChart(element, spec, theme, label, abort.signal))
    drawn.then(
      () => setProblem(''),
      (reason: unknown) => {
        if (!abort.signal.aborted) setProblem(reason instanceof Error ? reason.message : String(reason))
      },
    )
    return () => {
      abort.abort()
      void drawn.then(view => view?.finalize()).catch(() => {})
    }
  }, [spec, theme, label])

  return (
    <div className={styles.chart}>
      {problem && <p role="alert">This chart cannot be drawn: {problem.slice(0, 500)}</p>}
      <div ref={place} hidden={problem !== ''} />
    </div>
  )
}
