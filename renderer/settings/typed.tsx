import { type ReactNode, useEffect, useState } from 'react'
import type { z } from 'zod'
import styles from './field.module.css'
import { bare, boundsOf, complaintAbout, shownIn, typedIn, type Unit } from './words.ts'

interface TypedProps {
  readonly id: string
  readonly schema: z.ZodType
  readonly value: unknown
  readonly unit?: Unit
  readonly placeholder?: string
  /** Beside the field. */
  readonly children?: ReactNode
  onChange(value: string | number): void
}

/**
 * A number or a text. It is saved on Enter or on leaving, so that half a number is never in force; what does not fit
 * says so while one types and is not saved. Escape brings back what is in force.
 */
export function Typed({ id, schema, value, unit = bare, placeholder, children, onChange }: TypedProps) {
  const isNumber = typeof value === 'number'
  const inForce = isNumber ? shownIn(unit, value) : String(value)
  const [text, setText] = useState(inForce)
  useEffect(() => setText(inForce), [inForce])
  const typed = isNumber ? typedIn(unit, text) : text.trim()
  const complaint = text === inForce ? null : complaintAbout(schema, typed, unit)
  const save = () => {
    if (complaint === null && text !== inForce) onChange(typed)
  }
  return (
    <>
      <span className={styles.typed}>
        <input
          id={id}
          type={isNumber ? 'number' : 'text'}
          className={isNumber ? styles.number : styles.text}
          {...(isNumber ? boundsOf(schema, unit) : {})}
          placeholder={placeholder}
          value={text}
          aria-describedby={complaint ? `${id}-complaint` : `${id}-about`}
          aria-invalid={complaint !== null}
          autoComplete="off"
          spellCheck={false}
          onChange={event => setText(event.target.value)}
          onBlur={save}
          onKeyDown={event => {
            if (event.key === 'Enter') save()
            if (event.key === 'Escape') setText(inForce)
          }}
        />
        {isNumber && <span className={styles.unit}>{unit.word}</span>}
        {children}
      </span>
      {complaint && (
        <p id={`${id}-complaint`} className={styles.complaint} role="alert">
          {complaint} Kept at {inForce === '' ? 'empty' : inForce}.
        </p>
      )}
    </>
  )
}
