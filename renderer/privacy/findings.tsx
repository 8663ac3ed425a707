import { Check, Eye, EyeOff } from 'lucide-react'
import { useState } from 'react'
import type { ShownFinding } from '../../src/contract/privacy.ts'
import { Button } from '../ui/button.tsx'
import styles from './findings.module.css'
import { useWords } from './words.ts'

/** A page of rows; a text with thousands of findings would freeze the window otherwise. */
const page = 100

interface FindingsProps {
  readonly findings: readonly ShownFinding[]
  readonly active: number | null
  /** The value, where it may be shown. */
  shownValue(finding: ShownFinding): string | null
  onActive(finding: number | null): void
  /** Null where nothing is hidden. */
  readonly hiding: { reveal(finding: ShownFinding): void; hide(finding: ShownFinding): void } | null
  onAllow(finding: ShownFinding): void
}

/** What was found: what kind it is, by which rule and how sure, the words around it, and what can be done. */
export function Findings({ findings, active, shownValue, onActive, hiding, onAllow }: FindingsProps) {
  const words = useWords()
  const [most, setMost] = useState(page)
  return (
    <>
      <ul className={styles.list}>
        {findings.slice(0, most).map((finding, index) => {
          const value = shownValue(finding)
          return (
            <li
              // biome-ignore lint/suspicious/noArrayIndexKey: a finding is its place in the list
              key={index}
              className={active === index ? `${styles.row} ${styles.active}` : styles.row}
              onMouseEnter={() => onActive(index)}
              onMouseLeave={() => onActive(null)}
              onFocus={() => onActive(index)}
              onBlur={() => onActive(null)}
            >
              <div className={styles.what}>
                <strong>{words.type(finding.type)}</strong>
                <code className={styles.token}>{finding.token}</code>
              </div>
              <p className={styles.context}>
                <span>{finding.before && `…${flat(finding.before)}`}</span>
                <b className={value === null ? styles.hidden : styles.value}>
                  {value === null ? <Dots /> : flat(value)}
                </b>
                <span>{finding.after && `${flat(finding.after)}…`}</span>
              </p>
              <div className={styles.rule}>
                {words.rule(finding.rule) === words.type(finding.type) ? null : words.rule(finding.rule)}{' '}
                <code>{finding.rule}</code>
                <Score score={finding.score} />
              </div>
              <div className={styles.actions}>
                {hiding && (
                  <Button
                    icon={value === null ? <Eye /> : <EyeOff />}
                    aria-label={value === null ? `Reveal ${finding.token}…` : `Hide ${finding.token}`}
                    onClick={() => (value === null ? hiding.reveal(finding) : hiding.hide(finding))}
                  >
                    {value === null ? 'Reveal…' : 'Hide'}
                  </Button>
                )}
                <Button icon={<Check />} aria-label={`Allow ${finding.token}…`} onClick={() => onAllow(finding)}>
                  Allow…
                </Button>
              </div>
            </li>
          )
        })}
      </ul>
      {findings.length > most && (
        <Button className={styles.more} onClick={() => setMost(most + page)}>
          Show {Math.min(page, findings.length - most)} more
        </Button>
      )}
    </>
  )
}

const Dots = () => (
  <>
    <span aria-hidden>••••••••</span>
    <span className="visually-hidden">hidden value</span>
  </>
)

/** How sure the rule is, as a word, a number and a short bar. */
function Score({ score }: { score: number }) {
  const percent = Math.round(score * 100)
  const word = score >= 0.9 ? 'certain' : score >= 0.7 ? 'likely' : 'possible'
  return (
    <span className={styles.score}>
      <span className={styles.bar} aria-hidden>
        <i style={{ width: `${percent}%` }} />
      </span>
      {word}, {percent} %
    </span>
  )
}

/** On one line: a private key of thirty would push everything else away. */
const flat = (text: string): string => text.replace(/\s+/g, ' ').slice(0, 200)
