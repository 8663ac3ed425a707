import { DropdownMenu as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
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

/** A button's menu; `'line'` draws a line between groups. */
export function Menu({ trigger, items }: { trigger: ReactNode; items: readonly (MenuItem | 'line')[] }) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
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
