import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import { rpc } from '../state/queries.ts'
import { useView } from '../state/view.ts'
import { Button } from '../ui/button.tsx'
import { ProblemView } from '../ui/problem.tsx'
import { RedactionView } from './redaction.tsx'
import styles from './try-text.module.css'

/** Invented, and built so that each checksum holds. */
const example = `Dear Ms Murphy,

the refund for PPSN 1234567T goes to IE29 AIBK 9311 5212 3456 78.
Write to aoife.murphy@example.ie or call +353 1 679 7700.

Card on file: 4242 4242 4242 4242
`

/** What the guard would make of a text, while one types it. Nothing is kept and nothing leaves. */
export function TryText() {
  const conversation = useView(view => view.conversation)
  const [text, setText] = useState('')
  const settled = useDeferredValue(text)
  const redaction = useQuery({
    ...rpc.privacy.tryText.queryOptions({ input: { conversation, text: settled } }),
    staleTime: 0,
    gcTime: 0,
    placeholderData: before => before,
  })
  return (
    <>
      <div className={styles.try}>
        <textarea
          aria-label="Text to try"
          placeholder="Type or paste a text"
          spellCheck={false}
          value={text}
          onChange={event => setText(event.target.value)}
        />
        <div className={styles.actions}>
          <span>Looked at on this machine, kept nowhere, sent nowhere.</span>
          <Button look="quiet" disabled={text === ''} onClick={() => setText('')}>
            Clear
          </Button>
          <Button onClick={() => setText(example)}>Use an example</Button>
        </div>
      </div>
      {redaction.isError ? (
        <ProblemView error={redaction.error} onRetry={() => redaction.refetch()} />
      ) : (
        redaction.data &&
        text !== '' && (
          <RedactionView
            conversation={null}
            redaction={redaction.data}
            mode="enforce"
            to={null}
            onAllowed={() => void redaction.refetch()}
          />
        )
      )}
    </>
  )
}
