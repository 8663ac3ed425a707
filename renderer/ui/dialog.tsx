import { X } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { IconButton } from './button.tsx'
import styles from './dialog.module.css'

interface DialogProps {
  readonly open: boolean
  onClose(): void
  readonly title: string
  readonly description?: string
  readonly wide?: boolean
  readonly children: ReactNode
  readonly footer?: ReactNode
}

/** A window over the window. Focus goes in and comes back; Escape closes. */
export function Dialog({ open, onClose, title, description, wide = false, children, footer }: DialogProps) {
  return (
    <Radix.Root open={open} onOpenChange={next => !next && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className={styles.overlay} />
        <Radix.Content
          className={wide ? `${styles.dialog} ${styles.wide}` : styles.dialog}
          {...(description ? {} : { 'aria-describedby': undefined })}
        >
          <header className={styles.header}>
            <Radix.Title className={styles.title}>{title}</Radix.Title>
            <Radix.Close asChild>
              <IconButton label="Close" keys="Escape" icon={<X />} />
            </Radix.Close>
          </header>
          {description && <Radix.Description className={styles.description}>{description}</Radix.Description>}
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long content is scrolled by keyboard too */}
          <div className={styles.body} tabIndex={0}>
            {children}
          </div>
          {footer && <footer className={styles.footer}>{footer}</footer>}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
