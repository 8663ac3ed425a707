import { RadioGroup } from 'radix-ui'
import type { ReactNode } from 'react'
import styles from './segmented.module.css'

interface Choice<T extends string> {
  readonly value: T
  readonly label: ReactNode
  readonly disabled?: boolean
}

/** A few choices side by side, one of them taken. Arrow keys move between them. */
export function Segmented<T extends string>({
  label,
  value,
  choices,
  onChange,
  ...rest
}: {
  /** Its name for screen readers; leave it out where `aria-labelledby` is given. */
  label?: string
  'aria-labelledby'?: string
  'aria-describedby'?: string
  value: T
  choices: readonly Choice<NoInfer<T>>[]
  onChange(value: NoInfer<T>): void
}) {
  return (
    <RadioGroup.Root
      className={styles.group}
      orientation="horizontal"
      aria-label={label}
      value={value}
      onValueChange={next => onChange(next as T)}
      {...rest}
    >
      {choices.map(choice => (
        <RadioGroup.Item
          key={choice.value}
          value={choice.value}
          className={styles.choice}
          disabled={choice.disabled ?? false}
        >
          {choice.label}
        </RadioGroup.Item>
      ))}
    </RadioGroup.Root>
  )
}
