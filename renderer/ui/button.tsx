import type { ButtonHTMLAttributes, ReactNode } from 'react'
import styles from './button.module.css'
import { Tooltip } from './tooltip.tsx'

type Look = 'plain' | 'primary' | 'danger' | 'quiet'

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly look?: Look
  readonly icon?: ReactNode
  readonly busy?: boolean
}

export function Button({ look = 'plain', icon, busy = false, children, className, disabled, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      className={[styles.button, styles[look], className].filter(Boolean).join(' ')}
      aria-busy={busy}
      disabled={disabled || busy}
      {...rest}
    >
      {icon}
      {children}
    </button>
  )
}

interface IconButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'children'> {
  /** What it does, for the tooltip and for screen readers. */
  readonly label: string
  readonly keys?: string
  readonly icon: ReactNode
}

export function IconButton({ label, keys, icon, className, ...rest }: IconButtonProps) {
  return (
    <Tooltip text={label} keys={keys}>
      <button
        type="button"
        aria-label={label}
        className={[styles.button, styles.icon, className].filter(Boolean).join(' ')}
        {...rest}
      >
        {icon}
      </button>
    </Tooltip>
  )
}
