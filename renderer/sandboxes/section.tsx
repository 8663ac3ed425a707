import { type ReactNode, useId } from 'react'
import styles from './sandboxes.module.css'

/** A part of the page: its title, what it says in a line, and what can be done with all of it. */
export function Section({
  title,
  lead,
  actions,
  children,
}: {
  title: string
  lead?: string
  actions?: ReactNode
  children: ReactNode
}) {
  const id = useId()
  return (
    <section aria-labelledby={id} className={styles.section}>
      <header>
        <div>
          <h2 id={id}>{title}</h2>
          {lead && <p>{lead}</p>}
        </div>
        {actions}
      </header>
      {children}
    </section>
  )
}
