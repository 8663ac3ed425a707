import type { ReactNode } from 'react'
import styles from './empty.module.css'

interface EmptyProps {
  readonly icon?: ReactNode
  readonly title: string
  /** In the middle of other things, where it must not push them down. */
  readonly small?: boolean
  readonly children?: ReactNode
}

/** Says what would stand here and what to do about it. */
export function Empty({ icon, title, small = false, children }: EmptyProps) {
  return (
    <div className={small ? `${styles.empty} ${styles.small}` : styles.empty}>
      {icon && <div className={styles.icon}>{icon}</div>}
      <h2>{title}</h2>
      {children}
    </div>
  )
}
