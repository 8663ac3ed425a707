import { Check, ChevronDown } from 'lucide-react'
import { DropdownMenu as Radix } from 'radix-ui'
import { Fragment, type ReactNode } from 'react'
import menu from '../ui/menu.module.css'
import styles from './filters.module.css'

export interface Choice<T extends string> {
  readonly value: T
  readonly label: ReactNode
}

interface ChoicesProps<T extends string> {
  readonly label: string
  readonly groups: readonly { readonly title?: string; readonly choices: readonly Choice<T>[] }[]
  readonly chosen: readonly T[]
  onChange(chosen: T[]): void
}

/** A button that says how many were chosen, with a menu that stays open while one chooses. */
export function Choices<T extends string>({ label, groups, chosen, onChange }: ChoicesProps<T>) {
  const toggle = (value: T, on: boolean) => onChange(on ? [...chosen, value] : chosen.filter(each => each !== value))
  return (
    <Radix.Root>
      <Radix.Trigger className={styles.choice} data-active={chosen.length > 0 || undefined}>
        {label}
        {chosen.length > 0 && <span className={styles.number}>{chosen.length}</span>}
        <ChevronDown aria-hidden />
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Content className={`${menu.menu} ${styles.menu}`} sideOffset={4} align="start" collisionPadding={8}>
          {groups.map(({ title, choices }) => (
            <Fragment key={title ?? ''}>
              {title && <Radix.Label className={styles.group}>{title}</Radix.Label>}
              {choices.map(choice => (
                <Radix.CheckboxItem
                  key={choice.value}
                  className={menu.item}
                  checked={chosen.includes(choice.value)}
                  onCheckedChange={on => toggle(choice.value, on)}
                  onSelect={event => event.preventDefault()}
                >
                  <span className={menu.icon}>
                    <Radix.ItemIndicator>
                      <Check aria-hidden />
                    </Radix.ItemIndicator>
                  </span>
                  <span className={menu.label}>{choice.label}</span>
                </Radix.CheckboxItem>
              ))}
            </Fragment>
          ))}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
