import { Circle, Diamond, OctagonAlert, TriangleAlert } from 'lucide-react'
import type { RiskLevel } from '../../src/contract/run.ts'
import styles from './risk.module.css'

const shapes = { low: Circle, medium: Diamond, high: TriangleAlert, critical: OctagonAlert } as const

/** Risk as a word and a shape, and only then a colour. */
export function Risk({ level, plain = false }: { level: RiskLevel; plain?: boolean }) {
  const Shape = shapes[level]
  return (
    <span className={[styles.risk, styles[level], plain ? styles.plain : ''].join(' ')} title={`${level} risk`}>
      <Shape aria-hidden />
      {level}
    </span>
  )
}

/** Where there is no room for the word: the shape alone, with the word for those who ask. */
export function RiskMark({ level }: { level: RiskLevel }) {
  const Shape = shapes[level]
  return <Shape className={`${styles.mark} ${styles[level]}`} role="img" aria-label={`${level} risk`} />
}
