import type { Effect, EffectOf } from '../effect.ts'
import type { Call, Value } from '../model.ts'
import { sketch, startOf, textOf } from '../values.ts'
import { effect, type Pick } from './make.ts'

/** What opening a file in a mode does: `r`, `w`, `a+`, `w:gz`, `r|*`, in JavaScript also `wx` and `as`. */
export function byMode(call: Call, file: Value | undefined, mode: Value | undefined, usual = 'r'): Effect[] {
  const written = mode === undefined ? usual : textOf(mode)
  if (written === null) return [effect('read', call, file), effect('write', call, file)]
  // Behind the colon stands how it is packed: the `x` of `r:xz` makes no file.
  const letters = written.replace(/[:|].*$/, '')
  const writes = /[waxcn+]/.test(letters)
  const effects: Effect[] = []
  if (/[r+]/.test(letters) || !writes) effects.push(readOf(call, file))
  if (writes) effects.push(effect('write', call, file, { harmless: /[axc]/.test(letters) }))
  return effects
}

/** Opens the file that an argument names, if one does: a stream that is open already is nothing new. */
export const opensByMode =
  (file: Pick, mode: Pick, usual = 'r'): EffectOf =>
  call => {
    const value = file(call)
    return value === undefined || value.kind === 'nothing' || isStream(value)
      ? []
      : byMode(call, value, mode(call), usual)
  }

/** Writes the file that an argument names, if one does. */
export const writesTo =
  (file: Pick, harmless = false): EffectOf =>
  call => {
    const value = file(call)
    return value === undefined || value.kind === 'nothing' || isStream(value)
      ? []
      : [effect('write', call, value, { harmless })]
  }

const isStream = (value: Value): boolean =>
  value.kind === 'thing' && /^(open\(\)|io\.\w+\(\)|tempfile\.\w*File\(\)|sys\.std\w+)/.test(value.name)

function readOf(call: Call, file: Value | undefined): Effect {
  return effect(/^(https?|ftp|s3|gs):\/\//i.test(startOf(file)) ? 'connect' : 'read', call, file)
}

/** Of what is perhaps no path at all: only a text that says where it leads counts. */
export const isElsewhere = (value: Value | undefined): boolean =>
  /^([/~]|\.\.\/|[a-z]:[\\/])/i.test(sketch(value) ?? '')
