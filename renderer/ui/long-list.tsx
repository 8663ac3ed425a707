import { Fragment, type ReactNode, useState } from 'react'
import styles from './long-list.module.css'

interface LongListProps<T> {
  readonly items: readonly T[]
  /** How many are shown at first. */
  readonly most: number
  /** The rest of them in words, as in "Show 30 more hosts". */
  readonly what: string
  children(item: T): ReactNode
}

/** Lines of a list of which there may be a thousand: they must not push what follows out of sight. */
export function LongList<T>({ items, most, what, children }: LongListProps<T>) {
  const [showsAll, setShowsAll] = useState(false)
  const shown = showsAll ? items : items.slice(0, most)
  return (
    <>
      {shown.map((item, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines are shown in their order and keep nothing
        <Fragment key={at}>{children(item)}</Fragment>
      ))}
      {shown.length < items.length && (
        <li>
          <button type="button" className={styles.more} onClick={() => setShowsAll(true)}>
            Show {items.length - shown.length} more {what}
          </button>
        </li>
      )}
    </>
  )
}
