import { CircleAlert, CircleCheck, Info, X } from 'lucide-react'
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { type Toast, useToasts } from '../state/toasts.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Words } from '../ui/words.tsx'
import styles from './toasts.module.css'

const icons = { info: Info, good: CircleCheck, bad: CircleAlert } as const
/** Long enough to read; a problem, and what offers something, needs longer. */
const stayMs = { info: 6_000, good: 6_000, bad: 15_000, offer: 15_000 } as const

export function Toasts() {
  const { toasts } = useToasts()
  const section = useRef<HTMLElement>(null)
  useLayoutEffect(() => {
    if (section.current) makeRoom(toasts.length > 0 ? section.current.getBoundingClientRect() : null)
  }, [toasts])
  return (
    <section ref={section} className={styles.toasts} aria-label="Messages" aria-live="polite">
      {toasts.map(toast => (
        <One key={toast.id} toast={toast} />
      ))}
    </section>
  )
}

const gap = 16

/** What lies where messages stand ends above them: a button below one could not be pressed. */
function makeRoom(box: DOMRect | null): void {
  const { style } = document.body
  style.setProperty('--toasts-height', `${box ? box.height + gap : 0}px`)
  style.setProperty('--toasts-top', `${box ? window.innerHeight - box.top + gap : 0}px`)
}

function One({ toast }: { toast: Toast }) {
  const { id } = toast
  const Icon = icons[toast.kind]
  // Whoever reads it or reaches for it is not to lose it.
  const [pointed, setPointed] = useState(false)
  // The same from one message to the next: a new one must not make the others stay longer.
  const onDismiss = useCallback(() => useToasts.getState().dismiss(id), [id])
  useEffect(() => {
    if (pointed || toast.asks) return
    const timer = setTimeout(onDismiss, stayMs[toast.action ? 'offer' : toast.kind])
    return () => clearTimeout(timer)
  }, [toast, pointed, onDismiss])
  return (
    <div
      className={`${styles.toast} ${styles[toast.kind]}`}
      role={toast.kind === 'bad' ? 'alert' : 'status'}
      onPointerEnter={() => setPointed(true)}
      onPointerLeave={() => setPointed(false)}
    >
      <Icon aria-hidden />
      <div className={styles.text}>
        <p>
          <Words text={toast.text} />
        </p>
        {toast.hint && (
          <p className={styles.hint}>
            <Words text={toast.hint} />
          </p>
        )}
      </div>
      {toast.action && (
        <Button
          look="quiet"
          onClick={() => {
            toast.action?.run()
            onDismiss()
          }}
        >
          {toast.action.label}
        </Button>
      )}
      <IconButton label="Dismiss" icon={<X />} onClick={onDismiss} />
    </div>
  )
}
