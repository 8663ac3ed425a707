import { CircleAlert, CircleCheck, Info, X } from 'lucide-react'
import { useEffect } from 'react'
import { type Toast, useToasts } from '../state/toasts.ts'
import { Button, IconButton } from '../ui/button.tsx'
import styles from './toasts.module.css'

const icons = { info: Info, good: CircleCheck, bad: CircleAlert } as const
/** Long enough to read and to reach for the action; problems stay until they are dismissed. */
const stayMs = 8000

export function Toasts() {
  const { toasts, dismiss } = useToasts()
  return (
    <section className={styles.toasts} aria-label="Messages" aria-live="polite">
      {toasts.map(toast => (
        <One key={toast.id} toast={toast} onDismiss={() => dismiss(toast.id)} />
      ))}
    </section>
  )
}

function One({ toast, onDismiss }: { toast: Toast; onDismiss(): void }) {
  const Icon = icons[toast.kind]
  useEffect(() => {
    if (toast.kind === 'bad') return
    const timer = setTimeout(onDismiss, stayMs)
    return () => clearTimeout(timer)
  }, [toast.kind, onDismiss])
  return (
    <div className={`${styles.toast} ${styles[toast.kind]}`} role={toast.kind === 'bad' ? 'alert' : 'status'}>
      <Icon aria-hidden />
      <div className={styles.text}>
        <p>{toast.text}</p>
        {toast.hint && <p className={styles.hint}>{toast.hint}</p>}
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
