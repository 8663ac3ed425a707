import { DropdownMenu as Radix } from 'radix-ui'
import type { MouseEvent, ReactNode } from 'react'
import { Keys } from './keys.tsx'
import styles from './menu.module.css'

export interface MenuItem {
  readonly label: string
  readonly icon?: ReactNode
  readonly keys?: string
  readonly danger?: boolean
  readonly disabled?: boolean
  onSelect(): void
}

interface MenuProps {
  readonly trigger: ReactNode
  readonly items: readonly (MenuItem | 'line')[]
  /** The menu of the thing that it stands in: a right click on that opens it too. */
  readonly main?: boolean
}

/** Opens the main menu of what was clicked with the right button; a selected text keeps the system's own menu. */
export function onRightClick(event: MouseEvent<HTMLElement>): void {
  const isText = event.target instanceof Element && event.target.closest('input, textarea, .monaco-editor') !== null
  const trigger = event.currentTarget.querySelector<HTMLElement>('[data-menu]')
  // What lies inside may have answered already, as a number does that can be pinned.
  if (event.defaultPrevented || isText || !trigger || !(window.getSelection()?.isCollapsed ?? true)) return
  event.preventDefault()
  trigger.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }))
}

/** A button's menu; `'line'` draws a line between groups. */
export function Menu({ trigger, items, main = false }: MenuProps) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild {...(main ? { 'data-menu': '' } : {})}>
        {trigger}
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Content className={styles.menu} sideOffset={4} align="start" collisionPadding={8}>
          {items.map((item, index) =>
            item === 'line' ? (
              // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name
              <Radix.Separator key={index} className={styles.line} />
            ) : (
              <Radix.Item
                key={item.label}
                className={item.danger ? `${styles.item} ${styles.danger}` : styles.item}
                disabled={item.disabled}
                onSelect={() => item.onSelect()}
              >
                <span className={styles.icon}>{item.icon}</span>
                <span className={styles.label}>{item.label}</span>
                {item.keys && <Keys keys={item.keys} />}
              </Radix.Item>
            ),
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
