import { Search } from 'lucide-react'
import type { InputHTMLAttributes } from 'react'
import styles from './search-field.module.css'

interface SearchFieldProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange' | 'type'> {
  /** What it is called for those who do not see it. */
  readonly label: string
  readonly value: string
  onSearch(text: string): void
}

/** Finds something in what stands below it. */
export function SearchField({ label, onSearch, className, ...input }: SearchFieldProps) {
  return (
    <span className={className ? `${styles.field} ${className}` : styles.field}>
      <Search aria-hidden />
      <input {...input} type="search" aria-label={label} onChange={event => onSearch(event.target.value)} />
    </span>
  )
}
