import { Tabs } from 'radix-ui'
import type { ReactNode } from 'react'
import styles from './tabs.module.css'

export interface Tab<Id extends string> {
  readonly id: Id
  readonly title: string
  readonly view: ReactNode
}

interface TabbedProps<Id extends string> {
  readonly label: string
  readonly tabs: readonly Tab<Id>[]
  readonly value: Id
  onChange(id: Id): void
  /** Stands above the tabs. */
  readonly header?: ReactNode
  /** How the place lays them out. */
  readonly look: {
    readonly root?: string | undefined
    readonly list?: string | undefined
    readonly content?: string | undefined
  }
}

/** Several views of one thing, one of them in sight; arrows lead from one to the next. */
export function Tabbed<Id extends string>({ label, tabs, value, onChange, header, look }: TabbedProps<Id>) {
  return (
    <Tabs.Root className={look.root} value={value} onValueChange={id => onChange(id as Id)}>
      {header}
      <Tabs.List className={[styles.list, look.list].filter(Boolean).join(' ')} aria-label={label}>
        {tabs.map(({ id, title }) => (
          <Tabs.Trigger key={id} value={id}>
            {title}
          </Tabs.Trigger>
        ))}
      </Tabs.List>
      {tabs.map(({ id, view }) => (
        <Tabs.Content key={id} value={id} className={look.content}>
          {view}
        </Tabs.Content>
      ))}
    </Tabs.Root>
  )
}
