import { Check, CircleAlert, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import type { BuildView } from '../../src/contract/images.ts'
import { age, bytes } from '../inspector/format.ts'
import { useNow } from '../sandbox/badge.tsx'
import { client } from '../state/connection.ts'
import { showProblem } from '../state/toasts.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { sentencesOf, Words } from '../ui/words.tsx'
import styles from './sandboxes.module.css'

/** The image that is being made: how far it is, what it says, and a way to stop it. It goes on when the page is left. */
export function Building({ build, onAgain }: { build: BuildView; onAgain(): void }) {
  const [isDismissed, setDismissed] = useState(false)
  const now = useNow(1000)
  if (isDismissed || (build.state !== 'running' && build.endedAt !== null && now - build.endedAt > forgottenAfterMs))
    return null
  const { state, request, done, startedAt, endedAt } = build
  const took = age((endedAt ?? now) - startedAt)
  return (
    <div className={styles.building} data-state={state}>
      <header>
        {state === 'done' && <Check aria-hidden />}
        {state === 'failed' && <CircleAlert aria-hidden />}
        <strong role="status">{titleOf(build)}</strong>
        <span>{state === 'running' ? `${Math.round(done * 100)} % · ${took}` : `after ${took}`}</span>
        {state === 'running' ? (
          <Button onClick={() => void client.sandboxes.cancelBuild().catch(showProblem)}>Cancel</Button>
        ) : (
          <>
            {state !== 'done' && <Button onClick={onAgain}>Try again</Button>}
            <IconButton label="Dismiss" icon={<X />} onClick={() => setDismissed(true)} />
          </>
        )}
      </header>
      {state === 'running' && <progress max={1} value={done} aria-label={`Building ${request.template}`} />}
      {build.problem && state === 'failed' && (
        <p>
          <Words text={sentencesOf(build.problem)} />
        </p>
      )}
      {build.image && (
        <p>
          {bytes(build.image.bytes)}, digest <code>{build.image.digest}</code>
        </p>
      )}
      {build.log.length > 0 && <Log lines={build.log} isOpen={state !== 'done'} />}
    </div>
  )
}

/** What ended long ago is on the record, and no news. */
const forgottenAfterMs = 3_600_000

function titleOf({ state, request: { template } }: BuildView): string {
  switch (state) {
    case 'running':
      return `Building ${template}`
    case 'done':
      return `${template} is ready`
    case 'failed':
      return `${template} could not be made`
    case 'cancelled':
      return `Building ${template} was stopped`
  }
}

/** The newest line stays in sight, unless somebody reads further up. */
function Log({ lines, isOpen }: { lines: readonly string[]; isOpen: boolean }) {
  const box = useRef<HTMLPreElement>(null)
  const follows = useRef(true)
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is the lines that make it scroll
  useEffect(() => {
    if (follows.current && box.current) box.current.scrollTop = box.current.scrollHeight
  }, [lines])
  return (
    <details open={isOpen}>
      <summary>Log</summary>
      <pre
        ref={box}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: long content is scrolled by keyboard too
        tabIndex={0}
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
          follows.current = scrollHeight - scrollTop - clientHeight < 20
        }}
      >
        {lines.join('\n')}
      </pre>
    </details>
  )
}
