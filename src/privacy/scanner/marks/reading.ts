import { type Code, i32, type Local, sequence, type Writer } from '../../../assembler.ts'
import { fourthFactor, layout, type SieveTable, sieveLayout } from './layout.ts'

/** How sifting reads the text: characters near a place, as conditions that are 0 or 1 and can be joined without a jump. */

export const n = i32.const
export const all = (...conditions: readonly Code[]): Code => conditions.reduce(i32.and)
export const any = (...conditions: readonly Code[]): Code => conditions.reduce(i32.or)
export const not = i32.isZero

/** One mark, and whether it is kept. */
export const makeMark = (local: Writer['local']) => ({
  first: local('i32'),
  start: local('i32'),
  stop: local('i32'),
  mask: local('i32'),
  keep: local('i32'),
  /** Up to here the text is nothing to any finder. */
  skip: local('i32'),
})
export type Mark = ReturnType<typeof makeMark>

/** The character so far from a place, its class bits and its traits. */
export const codeAt = (at: Local, offset = 0): Code =>
  i32.load16(i32.shiftLeft(at.get, n(1)), layout.codes + 2 * offset)
export const classOf = (code: Code): Code => i32.load8(code, layout.classes)
export const classAt = (at: Local, offset = 0): Code => classOf(codeAt(at, offset))
export const traitsOf = (code: Code): Code => i32.load8(code, layout.traits)

export const isAt = (at: Local, offset: number, ...chars: readonly string[]): Code =>
  any(...chars.map(char => i32.equal(codeAt(at, offset), n(char.charCodeAt(0)))))
export const isSmallAt = (at: Local, offset: number, char: string): Code =>
  i32.equal(i32.or(codeAt(at, offset), n(32)), n(char.charCodeAt(0)))
export const is = (code: Local, ...chars: readonly string[]): Code =>
  any(...chars.map(char => i32.equal(code.get, n(char.charCodeAt(0)))))
export const has = (bits: Code, some: number): Code => i32.isNot(i32.and(bits, n(some)))
export const isLength = (length: Local, ...lengths: readonly number[]): Code =>
  any(...lengths.map(count => i32.equal(length.get, n(count))))
export const isBelow = (value: Local, limit: number): Code => i32.below(value.get, n(limit))
export const low = (code: Code, shift: number): Code => i32.shiftLeft(i32.and(code, n(31)), n(shift))
export const step = (at: Local, by: number): Code => at.set(i32.add(at.get, n(by)))

export const isInSieve = (table: SieveTable, slot: Code, spare: Local): Code =>
  sequence(
    spare.set(slot),
    i32.and(
      i32.shiftRight(i32.load8(i32.shiftRight(spare.get, n(3)), sieveLayout[table]), i32.and(spare.get, n(7))),
      n(1),
    ),
  )

/** Whether some key begins as the word does. */
export const opensKey = (start: Local, slot: Local): Code =>
  any(
    isInSieve('prefixes', beginning(start), slot),
    isInSieve(
      'longPrefixes',
      i32.xor(beginning(start), i32.times(i32.and(codeAt(start, 3), n(31)), n(fourthFactor))),
      slot,
    ),
  )

/** One number for how a word begins, as `beginning` makes it. */
const beginning = (start: Local): Code =>
  any(i32.shiftLeft(i32.and(codeAt(start), n(63)), n(10)), low(codeAt(start, 1), 5), i32.and(codeAt(start, 2), n(31)))
