import type { ReactNode } from 'react'
import styles from './page.module.css'

/** A place of the application: a title, what can be done, and the content that scrolls. */
export function Page({
  title,
  subtitle,
  actions,
  wide = false,
  children,
}: {
  title: string
  subtitle?: string
  actions?: ReactNode
  wide?: boolean
  children: ReactNode
}) {
  return (
    <div className={styles.page}>
      <header className={styles.header}>
        <div>
          <h1>{title}</h1>
          {subtitle && <p>{subtitle}</p>}
        </div>
        {actions && <div className={styles.actions}>{actions}</div>}
      </header>
      <div className={styles.scroll}>
        <div className={wide ? styles.wide : styles.narrow}>{children}</div>
      </div>
    </div>
  )
}
