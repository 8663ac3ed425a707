import type { ApprovalRequest } from '../../src/contract/approval.ts'
import { whyAsked } from '../../src/contract/reasons.ts'
import { Risk } from '../ui/risk.tsx'
import styles from './sections.module.css'
import { VisibleText } from './visible-text.tsx'

interface Props {
  readonly request: ApprovalRequest
  onLine(line: number): void
}

/** Why the policy asks, in its own words. */
export function Reasons({ request: { reasons }, onLine }: Props) {
  return (
    <section className={styles.section} aria-label="Why it needs approval">
      <h3>Why it needs approval</h3>
      <ul className={styles.list}>
        {whyAsked(reasons).map(({ kind, text, lines }) => (
          <li key={`${kind} ${text}`}>
            <VisibleText text={text} /> <Lines lines={lines} onLine={onLine} />
          </li>
        ))}
      </ul>
    </section>
  )
}

/** What the guard found, each with its line and what to do instead. */
export function Findings({ request: { inspection }, onLine }: Props) {
  const { violations } = inspection
  if (violations.length === 0) return null
  return (
    <section className={styles.section} aria-label="Findings">
      <h3>
        {violations.length} {violations.length === 1 ? 'finding' : 'findings'}
      </h3>
      <ul className={styles.findings}>
        {violations.slice(0, 100).map((each, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: one rule can fire twice in one place
          <li key={index}>
            <Risk level={each.severity} plain />
            <div>
              <p>
                <VisibleText text={each.message} /> <Lines lines={[each.line]} onLine={onLine} />
              </p>
              <p className={styles.soft}>
                <VisibleText text={each.recommendation} />
                {each.cwe && ` (${each.cwe})`}
              </p>
            </div>
          </li>
        ))}
      </ul>
      {violations.length > 100 && <p className={styles.soft}>and {violations.length - 100} more, marked in the code</p>}
    </section>
  )
}

function Lines({ lines, onLine }: { lines: readonly number[]; onLine(line: number): void }) {
  return lines.slice(0, 6).map(line => (
    <button key={line} type="button" className={styles.line} onClick={() => onLine(line)}>
      line {line}
    </button>
  ))
}
