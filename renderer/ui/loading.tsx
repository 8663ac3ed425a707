import styles from './loading.module.css'

/** Appears only after a moment, so that quick things do not flicker. */
export function Loading({ text = 'Loading…' }: { text?: string }) {
  return (
    <p className={styles.loading} role="status">
      {text}
    </p>
  )
}
