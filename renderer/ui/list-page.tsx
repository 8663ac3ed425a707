import type { ReactNode } from 'react'
import styles from './list-page.module.css'

interface ListPageProps {
  /** What the list is called for those who do not see it. */
  readonly label: string
  readonly title: string
  readonly about?: string
  /** Stands below the title and stays there while the list scrolls. */
  readonly tools?: ReactNode
  readonly list: ReactNode
  readonly detail: ReactNode
}

/** A place of the application with a list on one side and the chosen thing on the other. */
export function ListPage({ label, title, about, tools, list, detail }: ListPageProps) {
  return (
    <div className={styles.place}>
      <div className={styles.page}>
        <section className={styles.side} aria-label={label}>
          <header className={styles.head}>
            <h1>{title}</h1>
            {about && <p>{about}</p>}
            {tools}
          </header>
          <div className={styles.list}>{list}</div>
        </section>
        <div className={styles.detail}>{detail}</div>
      </div>
    </div>
  )
}

interface ListEntryProps {
  readonly current: boolean
  onSelect(): void
  readonly icon?: ReactNode
  readonly title: string
  readonly children?: ReactNode
}

/** One thing of the list: its name, and a line that says more. */
export function ListEntry({ current, onSelect, icon, title, children }: ListEntryProps) {
  return (
    <li>
      <button type="button" className={styles.entry} aria-current={current} onClick={onSelect}>
        {icon}
        <strong>{title}</strong>
        {children && <span>{children}</span>}
      </button>
    </li>
  )
}
