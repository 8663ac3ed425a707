import { useQuery } from '@tanstack/react-query'
import type { AnalysisDefinition, AnalysisResult } from '../../src/contract/analyses.ts'
import { Chart } from '../output/chart/chart.tsx'
import { client } from '../state/connection.ts'
import styles from './analyses.module.css'
import { label } from './words.ts'

interface ChartProps {
  readonly definition: AnalysisDefinition
  readonly inputs: Readonly<Record<string, unknown>>
  readonly result: AnalysisResult
}

/** A chart where one helps: figures while one input moves, or ratios against what is required. */
export function ResultChart({ definition, inputs, result }: ChartProps) {
  if (definition.gauge) return <Gauge gauge={definition.gauge} result={result} />
  const { chart } = definition
  const at = chart ? Number(inputs[chart.x]) : Number.NaN
  if (!chart || !(at > 0)) return null
  return <Moving chart={chart} analysis={definition.id} inputs={inputs} at={at} />
}

const points = 41

function Moving({
  chart,
  analysis,
  inputs,
  at,
}: {
  chart: NonNullable<AnalysisDefinition['chart']>
  analysis: string
  inputs: Readonly<Record<string, unknown>>
  at: number
}) {
  const { data } = useQuery({
    queryKey: ['analysis-chart', analysis, inputs],
    queryFn: async () => {
      const places = Array.from({ length: points }, (_, i) => Number(((at * 2 * i) / (points - 1)).toPrecision(6)))
      const rows = places.map(x => ({ ...inputs, [chart.x]: String(x) }))
      const found: { x: number; y: number; series: string }[] = []
      for await (const part of await client.analyses.batch({ analysis, rows })) {
        for (const row of part.rows) {
          if ('error' in row) continue
          for (const name of chart.y) {
            const y = Number(row.output[name])
            if (row.output[name] !== null && Number.isFinite(y))
              found.push({ x: places[row.row] ?? 0, y, series: label(name) })
          }
        }
      }
      return found
    },
  })
  if (!data || data.length === 0) return null
  const spec = {
    width: 'container',
    height: 220,
    data: { values: data },
    layer: [
      {
        mark: { type: 'line', point: false },
        encoding: {
          x: { field: 'x', type: 'quantitative', title: label(chart.x) },
          y: { field: 'y', type: 'quantitative', title: null },
          color: { field: 'series', type: 'nominal', title: null },
        },
      },
      { mark: { type: 'rule', strokeDash: [4, 4], aria: false }, encoding: { x: { datum: at } } },
    ],
  }
  return (
    <figure className={styles.chart}>
      <figcaption>{chart.title}</figcaption>
      <Chart spec={spec as never} label={chart.title} />
    </figure>
  )
}

interface Bar {
  readonly name: string
  readonly actual: number
  readonly required: number
}

function Gauge({ gauge, result }: { gauge: NonNullable<AnalysisDefinition['gauge']>; result: AnalysisResult }) {
  const bars = barsOf(gauge, result)
  const most = Math.max(1, ...bars.flatMap(({ actual, required }) => [actual, required])) * 1.1
  if (bars.length === 0) return null
  return (
    <ul className={styles.gauge} aria-label="Ratios against requirements">
      {bars.map(({ name, actual, required }) => (
        <li key={name} data-met={actual >= required}>
          <span>{name}</span>
          <div>
            <i style={{ width: `${(Math.max(0, actual) / most) * 100}%` }} />
            <b style={{ left: `${(required / most) * 100}%` }} />
          </div>
          <span>
            {actual.toFixed(2)} % of {required.toFixed(2)} % {actual >= required ? 'met' : 'not met'}
          </span>
        </li>
      ))}
    </ul>
  )
}

function barsOf(gauge: NonNullable<AnalysisDefinition['gauge']>, result: AnalysisResult): Bar[] {
  if (gauge.value) {
    const actual = result[gauge.value]
    return typeof actual === 'number' ? [{ name: label(gauge.value), actual, required: gauge.required ?? 100 }] : []
  }
  const rows = gauge.table ? result[gauge.table] : null
  if (!Array.isArray(rows)) return []
  return rows.flatMap(row => {
    const { name, actual_percent: actual, required_percent: required } = row as Record<string, unknown>
    return typeof name === 'string' && typeof actual === 'number' && typeof required === 'number'
      ? [{ name: label(name), actual, required }]
      : []
  })
}
