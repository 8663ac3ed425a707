import type { ParameterValue } from '../contract/analyses.ts'

/**
 * The edges of one value of a parameter and, for the inputs of an example, which of them they lie on. A text instead is
 * the reason why a parameter has none.
 */
export type EdgesOf = (value: Value, input: Input, name: string) => Record<string, boolean>
export type Input = Readonly<Record<string, unknown>>
export type Value = Readonly<Record<string, ParameterValue>>

export const rate = 'a rate or an amount that holds for all'
export const constants = 'constants of a formula'

export const on = (a: number, b: unknown) => Math.abs(a - Number(b)) < 0.005
export const near = (a: number, b: unknown) => Math.abs(a - Number(b)) < 1e-9
export const sum = (...parts: unknown[]) => parts.reduce<number>((all, part) => all + Number(part ?? 0), 0)
export const rows = (value: unknown) => (value ?? []) as Input[]
export const record = (value: unknown) => (value ?? {}) as Value

/** An edge for each of these, by name. */
export const each = <T>(
  all: readonly T[],
  name: (one: T) => string,
  hit: (one: T) => boolean,
): Record<string, boolean> => Object.fromEntries(all.map(one => [name(one), hit(one)]))

/** The upper ends of bands; the last has none. */
export const ends = (bands: unknown) =>
  rows(bands)
    .map(({ to }) => to)
    .filter(to => to !== null)
export const banded = (bands: unknown, at: number, what = '') =>
  each(
    ends(bands),
    to => `${what}${to}`,
    to => on(at, to),
  )
