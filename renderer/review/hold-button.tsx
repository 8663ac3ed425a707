import { type CSSProperties, type ReactNode, useCallback, useEffect, useRef, useState } from 'react'
import styles from './hold-button.module.css'

/** Long enough that nobody does it by accident, short enough to do it fifty times a day. */
export const holdMs = 1200

interface HoldButtonProps {
  readonly label: string
  readonly icon: ReactNode
  readonly disabled: boolean
  readonly describedBy?: string
  onHeld(): void
  /** It was only pressed, or pressed by something that cannot hold, as a screen reader. */
  onShort(): void
}

/** Works only when it is kept pressed, with the pointer or with the space bar. Enter does nothing. */
export function HoldButton({ label, icon, disabled, describedBy, onHeld, onShort }: HoldButtonProps) {
  const [holding, setHolding] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null)
  const held = useRef(false)
  const latest = useRef({ disabled, onHeld })
  latest.current = { disabled, onHeld }

  const stop = useCallback(() => {
    if (timer.current) clearTimeout(timer.current)
    timer.current = null
    setHolding(false)
  }, [])
  const start = () => {
    if (latest.current.disabled || timer.current) return
    held.current = false
    setHolding(true)
    timer.current = setTimeout(() => {
      stop()
      if (latest.current.disabled) return
      held.current = true
      latest.current.onHeld()
    }, holdMs)
  }
  useEffect(() => stop, [stop])
  // What is asked changed, or the window went to the back, while the button was down: letting it be pressed on would
  // approve something that nobody looked at.
  useEffect(() => {
    if (disabled) stop()
  }, [disabled, stop])

  return (
    <button
      type="button"
      className={holding ? `${styles.hold} ${styles.holding}` : styles.hold}
      style={{ '--hold': `${holdMs}ms` } as CSSProperties}
      aria-disabled={disabled}
      aria-describedby={describedBy}
      onPointerDown={event => event.isPrimary && event.button === 0 && start()}
      onPointerUp={stop}
      onPointerLeave={stop}
      onPointerCancel={stop}
      onContextMenu={event => event.preventDefault()}
      onBlur={stop}
      onKeyDown={event => {
        if (event.key === 'Enter') {
          event.preventDefault()
          if (!disabled && !event.repeat) onShort()
        }
        if (event.key === ' ' && !event.repeat) start()
      }}
      onKeyUp={event => event.key === ' ' && stop()}
      onClick={() => {
        if (!disabled && !held.current) onShort()
        held.current = false
      }}
    >
      <span className={styles.fill} aria-hidden />
      <span className={styles.label}>
        {icon}
        {label}
      </span>
    </button>
  )
}
