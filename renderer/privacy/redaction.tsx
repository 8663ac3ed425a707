import { CircleCheck, TriangleAlert } from 'lucide-react'
import { useMemo, useState } from 'react'
import type { ConversationId } from '../../src/contract/ids.ts'
import type { EgressMode, Redaction, ShownFinding } from '../../src/contract/privacy.ts'
import { Button } from '../ui/button.tsx'
import { AllowDialog } from './allow-dialog.tsx'
import { Findings } from './findings.tsx'
import styles from './redaction.module.css'
import { RevealDialog } from './reveal-dialog.tsx'
import { firstOf, originalSegments, type Segment, sentSegments } from './segments.ts'
import { modeWords, useWords } from './words.ts'

/** The screen shows so much of a long text; the guard reads all of it. */
const mostShown = 50_000

interface RedactionProps {
  /** Whose tokens these are; without one the text was only tried and its values are no secret here. */
  readonly conversation: ConversationId | null
  readonly redaction: Redaction
  readonly mode: EgressMode
  /** Null where it goes nowhere. */
  readonly to: string | null
  onAllowed(): void
}

/** Original and sent text side by side, and what was found: point at a finding anywhere and it lights up everywhere. */
export function RedactionView({ conversation, redaction, mode, to, onAllowed }: RedactionProps) {
  const [active, setActive] = useState<number | null>(null)
  const [revealed, setRevealed] = useState<ReadonlyMap<string, string>>(new Map())
  const [asked, setAsked] = useState<readonly string[] | null>(null)
  const [allowing, setAllowing] = useState<ShownFinding | null>(null)
  const original = useMemo(() => originalSegments(redaction), [redaction])
  const sent = useMemo(() => (mode === 'enforce' ? sentSegments(redaction) : original), [redaction, mode, original])
  const { findings } = redaction
  const revealedValue = (finding: ShownFinding): string | null =>
    conversation ? (revealed.get(finding.token) ?? null) : redaction.original.slice(finding.start, finding.end)
  const shown = (segment: Segment): string => {
    const finding = segment.finding === null ? undefined : findings[segment.finding]
    return (finding && revealedValue(finding)) ?? segment.text
  }
  const hide = (token: string) => setRevealed(before => new Map([...before].filter(([each]) => each !== token)))
  const tokens = [...new Set(findings.map(finding => finding.token))]
  const hidden = conversation ? tokens.filter(token => !revealed.has(token)) : []
  const pane = { findings, active, onActive: setActive }
  return (
    <>
      <Verdict mode={mode} to={to} count={tokens.length} />
      <div className={styles.sides}>
        <Pane
          {...pane}
          title="Original"
          note={mode === 'enforce' ? 'stays on this machine' : 'as it is here'}
          segments={original}
          textOf={shown}
          look="value"
        />
        <Pane
          {...pane}
          title={to === null ? 'What would be sent' : `Sent to ${to}`}
          note={modeWords[mode].name.toLowerCase()}
          segments={sent}
          textOf={mode === 'enforce' ? segment => segment.text : shown}
          look={mode === 'enforce' ? 'token' : 'leaks'}
        />
      </div>
      {findings.length > 0 && (
        <section aria-labelledby="findings">
          <header className={styles.head}>
            <h2 id="findings">
              {findings.length === 1 ? '1 finding' : `${findings.length.toLocaleString('en')} findings`}
            </h2>
            {revealed.size > 1 && <Button onClick={() => setRevealed(new Map())}>Hide all</Button>}
            {hidden.length > 1 && <Button onClick={() => setAsked(hidden)}>Reveal all…</Button>}
          </header>
          <Findings
            findings={findings}
            shownValue={revealedValue}
            active={active}
            onActive={setActive}
            hiding={
              conversation ? { reveal: finding => setAsked([finding.token]), hide: ({ token }) => hide(token) } : null
            }
            onAllow={setAllowing}
          />
        </section>
      )}
      {asked && conversation && (
        <RevealDialog
          conversation={conversation}
          tokens={asked}
          onClose={() => setAsked(null)}
          onRevealed={values => setRevealed(before => new Map([...before, ...values]))}
        />
      )}
      {allowing && (
        <AllowDialog
          finding={allowing}
          value={revealedValue(allowing)}
          of={conversation}
          onClose={() => setAllowing(null)}
          onChanged={onAllowed}
        />
      )}
    </>
  )
}

/** One sentence: does anything private leave? */
function Verdict({ mode, to, count }: { mode: EgressMode; to: string | null; count: number }) {
  const leaks = mode !== 'enforce' && (count > 0 || mode === 'off')
  const Icon = leaks ? TriangleAlert : CircleCheck
  const values = count === 1 ? '1 private value' : `${count.toLocaleString('en')} private values`
  const sentence =
    count === 0
      ? 'Nothing private was found: the text would leave as it is.'
      : mode === 'enforce'
        ? `${values} would be replaced by ${count === 1 ? 'a token' : 'tokens'} and stay on this machine.`
        : mode === 'report'
          ? `${values} would leave as they are: for ${to} the guard only reports.`
          : `${values} would leave as they are: for ${to} the guard is off.`
  return (
    <p className={leaks ? `${styles.verdict} ${styles.leaks}` : styles.verdict} role="status">
      <Icon aria-hidden />
      {sentence}
    </p>
  )
}

interface PaneProps {
  readonly title: string
  readonly note: string
  readonly segments: readonly Segment[]
  readonly findings: readonly ShownFinding[]
  readonly look: 'value' | 'token' | 'leaks'
  readonly active: number | null
  textOf(segment: Segment): string
  onActive(finding: number | null): void
}

function Pane({ title, note, segments, findings, look, active, textOf, onActive }: PaneProps) {
  const words = useWords()
  const { shown, left } = useMemo(() => firstOf(segments, mostShown), [segments])
  return (
    <figure className={styles.pane}>
      <figcaption>
        <strong>{title}</strong> <span>{note}</span>
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a text that scrolls must be within reach of the keyboard */}
      <section tabIndex={0} aria-label={title} className={styles.text}>
        {shown.map(segment => {
          const finding = segment.finding === null ? undefined : findings[segment.finding]
          if (!finding) {
            return segment.lookAlike ? (
              <mark key={segment.at} className={styles.alike} title="Looked like a token, so it was replaced too">
                {segment.text}
              </mark>
            ) : (
              segment.text
            )
          }
          const isActive = active === segment.finding
          return (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the list below has the same for the keyboard
            <mark
              key={segment.at}
              ref={isActive ? intoSight : undefined}
              className={[styles.mark, styles[look], isActive && styles.active].filter(Boolean).join(' ')}
              title={look === 'token' ? words.type(finding.type) : `${words.type(finding.type)} → ${finding.token}`}
              onClick={() => onActive(segment.finding)}
              onMouseEnter={() => onActive(segment.finding)}
              onMouseLeave={() => onActive(null)}
            >
              {textOf(segment)}
            </mark>
          )
        })}
        {left > 0 && (
          <span className={styles.more}>
            {'\n'}… {left.toLocaleString('en')} more characters, looked at and not shown
          </span>
        )}
      </section>
    </figure>
  )
}

/** Scrolls a mark's own pane and nothing else: the page stays where the person reads. */
function intoSight(mark: HTMLElement | null): void {
  const pane = mark?.closest('section')
  if (!mark || !pane || pane.matches(':hover')) return
  const [inner, outer] = [mark.getBoundingClientRect(), pane.getBoundingClientRect()]
  if (inner.top < outer.top || inner.bottom > outer.bottom) pane.scrollTop += inner.top - outer.top - outer.height / 3
}
