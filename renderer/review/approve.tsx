import { Stamp } from 'lucide-react'
import { useEffect, useId, useState } from 'react'
import type { RiskLevel } from '../../src/contract/run.ts'
import { Button } from '../ui/button.tsx'
import { HoldButton } from './hold-button.tsx'
import styles from './verdict.module.css'

export const word = 'approve'

interface ApproveProps {
  readonly risk: RiskLevel
  /** What is approved; when it changes, what was typed for the old is gone. */
  readonly subject: string
  readonly disabled: boolean
  readonly busy: boolean
  /** What the button does, where that is more than a yes. */
  readonly act?: string
  onApprove(): void
}

/**
 * Approving takes a deliberate act: hold the button, or, for critical code and for hands that cannot hold, type the
 * word. No single key does it, and Enter never.
 */
export function Approve({ risk, subject, disabled, busy, act = 'approve', onApprove }: ApproveProps) {
  const id = useId()
  const [text, setText] = useState('')
  const [short, setShort] = useState(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the subject is the reason to start anew
  useEffect(() => {
    setText('')
    setShort(false)
  }, [subject])
  const typed = text.trim().toLowerCase() === word
  const byWord = risk === 'critical' || short
  return (
    <span className={styles.approve}>
      {byWord && (
        <label className={styles.word}>
          <span>
            {risk === 'critical' ? (
              <>
                Critical: type <b>{word}</b>
              </>
            ) : (
              <>
                Keep it pressed, or type <b>{word}</b>
              </>
            )}
          </span>
          <input
            value={text}
            size={9}
            autoComplete="off"
            spellCheck={false}
            onChange={event => setText(event.target.value)}
            onPaste={event => event.preventDefault()}
          />
        </label>
      )}
      <span id={id} className="visually-hidden">
        {risk === 'critical'
          ? `Type the word ${word} first. Enter does not approve.`
          : `Keep the button or the space bar pressed. Enter does not approve.`}
      </span>
      {byWord && (risk === 'critical' || typed) ? (
        <Button
          look="primary"
          icon={<Stamp />}
          aria-disabled={disabled || !typed}
          aria-describedby={id}
          aria-busy={busy}
          onKeyDown={event => event.key === 'Enter' && event.preventDefault()}
          onClick={() => !disabled && typed && onApprove()}
        >
          {busy ? 'Signing…' : `${act[0]?.toUpperCase()}${act.slice(1)} and sign`}
        </Button>
      ) : (
        <HoldButton
          label={busy ? 'Signing…' : `Hold to ${act}`}
          icon={<Stamp aria-hidden />}
          disabled={disabled}
          describedBy={id}
          onHeld={onApprove}
          onShort={() => setShort(true)}
        />
      )}
    </span>
  )
}
