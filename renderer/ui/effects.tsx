import { Eye, TriangleAlert } from 'lucide-react'
import type { ReportEffects } from '../../src/contract/report.ts'
import styles from './effects.module.css'
import { LongList } from './long-list.tsx'

const atFirst = 20

/** What the guard foresaw beside what was observed; what nobody could have known has a sign of its own. */
export function Effects({ effects, isOver = true }: { effects: ReportEffects; isOver?: boolean }) {
  const unforeseen = new Set(effects.unforeseen)
  const foreseen = effects.foreseen ?? []
  // In a list that is cut, what nobody could have known stands before the cut.
  const observed = effects.observed.toSorted((a, b) => Number(unforeseen.has(b)) - Number(unforeseen.has(a)))
  return (
    <div className={styles.sides}>
      <div>
        <h4>Before the run</h4>
        {foreseen.length === 0 ? (
          <p className={styles.soft}>Touches nothing.</p>
        ) : (
          <ul>
            <LongList items={foreseen} most={atFirst} what="effects">
              {effect => <li>{effect}</li>}
            </LongList>
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
            <LongList items={observed} most={atFirst} what="effects">
              {effect => (
                <li className={unforeseen.has(effect) ? styles.warn : undefined}>
                  {unforeseen.has(effect) ? <TriangleAlert aria-label="not foreseen" /> : <Eye aria-label="foreseen" />}
                  {effect}
                </li>
              )}
            </LongList>
          </ul>
        )}
      </div>
    </div>
  )
}
