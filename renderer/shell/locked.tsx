import { KeyRound } from 'lucide-react'
import { useEffect, useState } from 'react'
import { askOtherWindows, enterBy, linkIn } from '../state/entry.ts'
import { Button } from '../ui/button.tsx'
import styles from './locked.module.css'

const words = {
  link: {
    title: 'This link has been used',
    text: 'A link lets one window in, once, within an hour. Somebody has used this one, it is too old, or it was never issued. If that was not you, end all other sessions from the command palette once you are in.',
  },
  session: {
    title: 'This window is not signed in',
    text: 'It was opened without a link, its session has ended, or Countersign was started again since. Nothing is lost: what was typed and run is kept.',
  },
} as const

/**
 * What a browser window shows that is not let in: why, and how to get a new link. A window of the same browser that is
 * in lets this one in by itself, unless this one had just been put out.
 */
export function Locked({ reason, wasIn }: { reason: keyof typeof words; wasIn: boolean }) {
  const [pasted, setPasted] = useState('')
  const link = linkIn(pasted)
  useEffect(() => (wasIn ? undefined : askOtherWindows(enterBy)), [wasIn])
  const { title, text } = words[reason]
  return (
    <main className={styles.locked}>
      <div className={styles.card}>
        <KeyRound aria-hidden />
        <h1>{title}</h1>
        <p>{text}</p>
        <h2>Get a new link</h2>
        <ul>
          <li>
            Press <kbd>Enter</kbd> in the terminal where <code>countersign serve</code> runs, or
          </li>
          <li>
            run <code>countersign link</code> in any terminal of yours on that machine, or
          </li>
          <li>choose “Copy a link for another window” in the command palette of a window that is open.</li>
        </ul>
        <form
          onSubmit={event => {
            event.preventDefault()
            if (link) enterBy(link)
          }}
        >
          <input
            aria-label="New link"
            placeholder="Paste the new link here"
            value={pasted}
            onChange={event => setPasted(event.target.value)}
            spellCheck={false}
            autoComplete="off"
          />
          <Button look="primary" type="submit" disabled={link === null}>
            Open
          </Button>
        </form>
        {pasted !== '' && link === null && (
          <p role="status">A link ends in #link= and 43 letters, digits, dashes or underscores.</p>
        )}
      </div>
    </main>
  )
}
