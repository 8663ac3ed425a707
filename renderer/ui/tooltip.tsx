import { Tooltip as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { Keys } from './keys.tsx'
import styles from './tooltip.module.css'
import { Words } from './words.tsx'

export const TooltipProvider = Radix.Provider

export function Tooltip({ text, keys, children }: { text: string; keys?: string; children: ReactNode }) {
  return (
    <Radix.Root delayDuration={500}>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content className={styles.tooltip} sideOffset={4} collisionPadding={8}>
          <Words text={text} />
          {keys && <Keys keys={keys} />}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
