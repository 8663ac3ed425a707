import { useEffect, useId, useState } from 'react'
import { z } from 'zod'
import styles from './policy.module.css'

export function Group({
  title,
  about,
  children,
}: {
  title: string
  about?: string | undefined
  children: React.ReactNode
}) {
  const id = useId()
  return (
    <section className={styles.group} aria-labelledby={id}>
      <h3 id={id}>{title}</h3>
      {about && <p className={styles.description}>{about}</p>}
      {children}
    </section>
  )
}

interface ChoiceProps<V extends string> {
  readonly label: React.ReactNode
  /** Its name for those who do not see the label. */
  readonly name?: string
  readonly schema: z.ZodType<V>
  readonly words: Readonly<Record<V, string>>
  readonly value: V
  onChange(value: V): void
}

export function Choice<V extends string>({ label, name, schema, words, value, onChange }: ChoiceProps<V>) {
  const id = useId()
  const choices = (z.toJSONSchema(schema, { io: 'input' }).enum ?? []) as V[]
  return (
    <div className={styles.field}>
      <label htmlFor={id}>
        {label}
        <span className={styles.description}>{schema.description}</span>
      </label>
      <select id={id} aria-label={name} value={value} onChange={event => onChange(event.target.value as V)}>
        {choices.map(choice => (
          <option key={choice} value={choice}>
            {words[choice]}
          </option>
        ))}
      </select>
    </div>
  )
}

export function Check({
  label,
  about,
  value,
  onChange,
}: {
  label: string
  about?: string | undefined
  value: boolean
  onChange(value: boolean): void
}) {
  const id = useId()
  return (
    <div className={styles.field}>
      <label htmlFor={id}>
        {label}
        <span className={styles.description}>{about}</span>
      </label>
      <input id={id} type="checkbox" checked={value} onChange={event => onChange(event.target.checked)} />
    </div>
  )
}

export function Several<V extends string>({
  label,
  about,
  choices,
  chosen,
  onChange,
}: {
  label: string
  about?: string | undefined
  choices: readonly { value: V; label: string }[]
  chosen: readonly V[]
  onChange(chosen: V[]): void
}) {
  // Someone who is named and no longer known must still be seen, and can be taken out.
  const unknown = chosen.filter(value => !choices.some(choice => choice.value === value))
  const all = [...choices, ...unknown.map(value => ({ value, label: `${value.slice(0, 8)} (not known here)` }))]
  return (
    <fieldset className={styles.several}>
      <legend>
        {label}
        <span className={styles.description}>{about}</span>
      </legend>
      <div>
        {all.map(({ value, label: text }) => (
          <label key={value}>
            <input
              type="checkbox"
              checked={chosen.includes(value)}
              onChange={event =>
                onChange(event.target.checked ? [...chosen, value] : chosen.filter(each => each !== value))
              }
            />
            {text}
          </label>
        ))}
      </div>
    </fieldset>
  )
}

export function NumberField({
  label,
  schema,
  value,
  onChange,
}: {
  label: string
  schema: z.ZodType<number>
  value: number
  onChange(value: number): void
}) {
  const id = useId()
  const { minimum, maximum } = z.toJSONSchema(schema, { io: 'input' })
  const [text, setText] = useState(String(value))
  useEffect(() => setText(String(value)), [value])
  const parsed = schema.safeParse(Number(text))
  const settle = () => {
    if (parsed.success && text.trim() !== '') onChange(parsed.data)
    else setText(String(value))
  }
  return (
    <div className={styles.field}>
      <label htmlFor={id}>
        {label}
        <span className={styles.description}>{schema.description}</span>
        {!parsed.success && (
          <span className={styles.wrong}>
            From {minimum} to {maximum}.
          </span>
        )}
      </label>
      <input
        id={id}
        inputMode="decimal"
        value={text}
        aria-invalid={!parsed.success}
        onChange={event => setText(event.target.value)}
        onBlur={settle}
        onKeyDown={event => event.key === 'Enter' && settle()}
      />
    </div>
  )
}
