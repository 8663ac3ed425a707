import { RotateCcw } from 'lucide-react'
import { Switch } from 'radix-ui'
import { useId } from 'react'
import { z } from 'zod'
import type { SettingOrigin } from '../../src/contract/settings.ts'
import { IconButton } from '../ui/button.tsx'
import { Segmented } from '../ui/segmented.tsx'
import { Words } from '../ui/words.tsx'
import styles from './field.module.css'
import { Interpreter } from './interpreter.tsx'
import { NamesFolder } from './names/folder.tsx'
import { ThemeChoice } from './theme.tsx'
import { Typed } from './typed.tsx'
import { choiceWords, labelOf, originWords, unitOf } from './words.ts'

export interface FieldProps {
  readonly path: string
  readonly schema: z.ZodType
  readonly value: unknown
  readonly origin: SettingOrigin
  /** `null` takes back what was set here. */
  onChange(value: string | number | boolean | null): void
}

/** A longer list of choices would not fit in a row. */
const mostInRow = 5

/** One setting: what it is, where its value comes from, and a control as its declaration says. */
export function SettingField({ path, schema, value, origin, onChange }: FieldProps) {
  const id = useId()
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  const label = labelOf(path)
  const wide = path === 'appearance.theme' || path === 'privacy.namesModel'
  return (
    <div className={wide ? `${styles.field} ${styles.wide}` : styles.field} data-setting={path}>
      <div className={styles.about}>
        <label id={`${id}-label`} htmlFor={id}>
          {label}
        </label>
        <p id={`${id}-about`}>
          <Words text={json.description ?? ''} />
        </p>
        <span className={styles.origin} data-origin={origin}>
          {originWords[origin]}
        </span>
        {origin === 'screen' && (
          <IconButton
            className={styles.reset}
            label={`Reset ${label} to what it was`}
            icon={<RotateCcw />}
            onClick={() => onChange(null)}
          />
        )}
      </div>
      <div className={styles.control}>
        <Control id={id} path={path} schema={schema} choices={json.enum} value={value} onChange={onChange} />
      </div>
    </div>
  )
}

type ControlProps = Omit<FieldProps, 'origin'> & { id: string; choices: readonly unknown[] | undefined }

function Control({ id, path, schema, choices, value, onChange }: ControlProps) {
  const named = { 'aria-labelledby': `${id}-label`, 'aria-describedby': `${id}-about` }
  if (path === 'appearance.theme') return <ThemeChoice {...named} value={String(value)} onChange={onChange} />
  if (path === 'privacy.namesModel')
    return <NamesFolder id={id} schema={schema} value={String(value)} onChange={onChange} />
  if (path === 'sandbox.python')
    return <Interpreter id={id} schema={schema} value={String(value)} onClear={() => onChange('')} />
  if (choices && choices.length <= mostInRow) {
    const all = choices.map(choice => ({ value: String(choice), label: choiceWords(String(choice)) }))
    return <Segmented {...named} value={String(value)} choices={all} onChange={onChange} />
  }
  if (choices) {
    return (
      <select id={id} {...named} value={String(value)} onChange={event => onChange(event.target.value)}>
        {choices.map(choice => (
          <option key={String(choice)} value={String(choice)}>
            {choiceWords(String(choice))}
          </option>
        ))}
      </select>
    )
  }
  if (typeof value === 'boolean') {
    return (
      <Switch.Root id={id} {...named} className={styles.switch} checked={value} onCheckedChange={onChange}>
        <Switch.Thumb className={styles.thumb} />
      </Switch.Root>
    )
  }
  return <Typed id={id} schema={schema} value={value} unit={unitOf(path)} onChange={onChange} />
}
