import type { ReactNode } from 'react'
import styles from './empty.module.css'

/** Says what would stand here and what to do about it. */
export function Empty({ icon, title, children }: { icon?: ReactNode; title: string; children?: ReactNode }) {
  return (
    <div className={styles.empty}>
      {icon && <div className={styles.icon}>{icon}</div>}
      <h2>{title}</h2>
      {children}
    </div>
  )
}
