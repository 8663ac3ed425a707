import { Eye, TriangleAlert } from 'lucide-react'
import type { ReportEffects } from '../../src/contract/report.ts'
import styles from './effects.module.css'

/** What the guard foresaw beside what was observed; what nobody could have known has a sign of its own. */
export function Effects({ effects, isOver = true }: { effects: ReportEffects; isOver?: boolean }) {
  const unforeseen = new Set(effects.unforeseen)
  const foreseen = effects.foreseen ?? []
  return (
    <div className={styles.sides}>
      <div>
        <h4>Before the run</h4>
        {foreseen.length === 0 ? (
          <p className={styles.soft}>Touches nothing.</p>
        ) : (
          <ul>
            {foreseen.map(effect => (
              <li key={effect}>{effect}</li>
            ))}
          </ul>
        )}
      </div>
      <div>
        <h4>What it did</h4>
        {!isOver ? (
          <p className={styles.soft}>It has not ended.</p>
        ) : effects.observed.length === 0 ? (
          <p className={styles.soft}>Touched nothing.</p>
        ) : (
          <ul>
            {effects.observed.map(effect => (
              <li key={effect} className={unforeseen.has(effect) ? styles.warn : undefined}>
                {unforeseen.has(effect) ? <TriangleAlert aria-label="not foreseen" /> : <Eye aria-label="foreseen" />}
                {effect}
              </li>
            ))}
          </ul>
        )}
      </div>
    </div>
  )
}
