import { isTrue } from '../effects/make.ts'
import { type Call, origin, type Value } from '../model.ts'
import { comesFrom, sketch, textOf } from '../values.ts'

/** Questions that many rules ask of a call or a value. */

export const python = ['python'] as const
export const scripts = ['javascript', 'typescript'] as const
export const code = ['python', 'javascript', 'typescript'] as const
export const everywhere = ['python', 'javascript', 'typescript', 'bash'] as const

/** An argument by position or name; in JavaScript also a field of an options object. */
export function given(call: Call, position: number, ...names: readonly string[]): Value | undefined {
  for (const name of names) {
    const named = call.named.get(name) ?? option(call, name)
    if (named !== undefined) return named
  }
  return call.args[position]
}

export function option(call: Call, name: string): Value | undefined {
  const named = call.named.get(name)
  if (named !== undefined) return named
  for (const value of call.args) if (value.kind === 'map' && value.entries.has(name)) return value.entries.get(name)
  return undefined
}

export const isFalse = (value: Value | undefined): boolean =>
  (value?.kind === 'boolean' && !value.boolean) || (value?.kind === 'number' && value.number === 0)
export { isTrue }

/** Text of which the program itself decides every letter. */
export const isFixed = (value: Value | undefined): boolean =>
  value !== undefined &&
  (value.kind === 'text' || value.kind === 'number' || value.kind === 'nothing' || value.kind === 'boolean')

/** Someone outside the program decides part of it. */
export const isForeign = (value: Value | undefined): boolean =>
  comesFrom(value, origin.request | origin.input | origin.download | origin.environment | origin.parameter)
export const isRequested = (value: Value | undefined): boolean => comesFrom(value, origin.request)

/** Text with at least one part that is not known before the program runs. */
export const hasHole = (value: Value | undefined): boolean => value?.kind === 'joined'

export const says = (value: Value | undefined, pattern: RegExp): boolean => {
  const known = sketch(value)
  return known !== null && pattern.test(known)
}
export const names = (value: Value | undefined, pattern: RegExp): boolean =>
  value?.kind === 'thing' && pattern.test(value.name)

export const numberIn = (value: Value | undefined): number | null => (value?.kind === 'number' ? value.number : null)
export const lower = (value: Value | undefined): string => textOf(value)?.toLowerCase() ?? ''

/** All arguments, positional and named. */
export const everything = (call: Call): Value[] => [...call.args, ...call.named.values()]

/** An SQL statement, as opposed to a sentence that starts with such a word. */
export const looksLikeSql = (text: string): boolean =>
  /^\s*(select\b[\s\S]+\bfrom\b|insert\s+into\b|update\b[\s\S]+\bset\b|delete\s+from\b|drop\s+(table|database|schema|user|view|index)|alter\s+(table|user)|truncate\s+table|create\s+(?:or\s+replace\s+)?(?:temp(?:orary)?\s+|unique\s+)?(table|user|database|view|index|role|schema)|with\s+\w+\s+as\s*\(\s*select|call\s+\w+\s*\(|exec(ute)?\s+\w|replace\s+into|merge\s+into|grant\s+\w)/i.test(
    text,
  )
