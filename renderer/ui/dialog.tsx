import { X } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import { type ReactNode, useRef } from 'react'
import { IconButton } from './button.tsx'
import styles from './dialog.module.css'

interface DialogProps {
  readonly open: boolean
  onClose(): void
  readonly title: string
  readonly description?: string
  readonly wide?: boolean
  readonly children?: ReactNode
  readonly footer?: ReactNode
}

/** A window over the window. Focus goes in and comes back; Escape closes. */
export function Dialog({ open, onClose, title, description, wide = false, children, footer }: DialogProps) {
  /** Where the focus was: no button of ours is the dialog's own trigger, which it would go back to by itself. */
  const before = useRef<Element | null>(null)
  return (
    <Radix.Root open={open} onOpenChange={next => !next && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className={styles.overlay} />
        <Radix.Content
          className={wide ? `${styles.dialog} ${styles.wide}` : styles.dialog}
          {...(description ? {} : { 'aria-describedby': undefined })}
          onOpenAutoFocus={event => {
            before.current = document.activeElement
            focusFirst(event, event.currentTarget)
          }}
          onCloseAutoFocus={() => before.current instanceof HTMLElement && before.current.focus()}
        >
          <header className={styles.header}>
            <Radix.Title className={styles.title}>{title}</Radix.Title>
            <Radix.Close asChild>
              <IconButton label="Close" keys="Escape" icon={<X />} />
            </Radix.Close>
          </header>
          {description && <Radix.Description className={styles.description}>{description}</Radix.Description>}
          {children && (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: long content is scrolled by keyboard too
            <div className={styles.body} tabIndex={0}>
              {children}
            </div>
          )}
          {footer && <footer className={styles.footer}>{footer}</footer>}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

/**
 * To the first field, or to the dialog as a whole. The Close button would be first otherwise, and its tooltip would take
 * the first Escape for itself.
 */
function focusFirst(event: Event, dialog: EventTarget | null): void {
  if (!(dialog instanceof HTMLElement)) return
  event.preventDefault()
  const field = dialog.querySelector<HTMLElement>('[autofocus], input, textarea, select')
  ;(field ?? dialog).focus()
}
