import type { Effect } from '../effect.ts'
import { hostOf, normalise, type Place, placeOf } from '../paths.ts'
import { startOf } from '../values.ts'

/** Where an effect goes; for a path of which only the start is known, as far as that start tells. */
export function place(effect: Effect): Place | null {
  const start = startOf(effect.target)
  return start === '' ? null : placeOf(start)
}
export const known = (effect: Effect): string => normalise(startOf(effect.target))

/** Whom an effect talks to. */
export const host = (effect: Effect): string => hostOf(startOf(effect.target)) ?? startOf(effect.target)
