import { type Code, either, i32, sequence, type Writer, when } from '../../../assembler.ts'
import { digit, joiner, lower, underscore, upper, word } from '../classes.ts'
import { traits } from './layout.ts'
import {
  all,
  any,
  classAt,
  classOf,
  codeAt,
  has,
  is,
  isAt,
  isBelow,
  isInSieve,
  isLength,
  isSmallAt,
  low,
  type Mark,
  n,
  not,
  opensKey,
  traitsOf,
} from './reading.ts'

/** Words without a digit, as `plainWord` goes through them. */
export function siftWord({ start, stop, mask, keep }: Mark, local: Writer['local']): Code {
  const length = local('i32')
  const first = local('i32')
  const follows = local('i32')
  const next = local('i32')
  const capital = local('i32')
  const separated = local('i32')
  const slot = local('i32')
  const onlyUpper = i32.equal(mask.get, n(upper))
  const lettered = any(
    all(separated.get, has(next.get, digit), any(isBelow(length, 6), onlyUpper)),
    all(separated.get, onlyUpper, has(next.get, upper)),
  )
  const mayOpenKey = any(
    has(classOf(follows.get), joiner),
    has(mask.get, underscore),
    all(separated.get, capital.get, any(isLength(length, 2), all(isLength(length, 3), has(next.get, digit)))),
    not(isBelow(length, 20)),
  )
  // `face:…`, `AA:BB:…`: the first letter at least must be a hexadecimal digit.
  const isHexadecimal = i32.below(i32.sub(i32.or(first.get, n(32)), n(0x61)), n(6))
  const address = any(
    all(is(follows, ':', '-'), i32.equal(codeAt(stop, 3), follows.get)),
    all(is(follows, '.'), isAt(stop, 5, '.')),
    all(is(follows, ':'), either(isAt(stop, 1, ':'), has(classAt(stop, 2), digit), has(classAt(stop, 1), word))),
  )
  const third = either(isBelow(length, 3), n(0), codeAt(start, 2))
  const wordSlot = [
    any(i32.and(first.get, n(31)), low(codeAt(start, 1), 5), low(third, 10)),
    low(codeAt(stop, -1), 7),
    i32.shiftLeft(i32.and(length.get, n(15)), n(12)),
  ].reduce(i32.xor)
  const name = all(
    capital.get,
    has(mask.get, lower),
    isBelow(length, 15),
    // `my name is Xiulan`
    any(isInSieve('names', wordSlot, slot), all(isAt(start, -2, 's'), isAt(start, -3, 'i'), isAt(start, -5, 'e'))),
  )
  const bankOrBlock = all(onlyUpper, any(isLength(length, 8, 11), all(isLength(length, 5), is(first, 'B'))))
  const variable = all(
    capital.get,
    not(has(mask.get, lower)),
    not(isBelow(length, 6)),
    any(has(traitsOf(follows.get), traits.gap), is(follows, ')', '.'), isAt(start, -2, 'V')),
  )
  const option = all(isAt(start, -1, ' '), isAt(start, -2, 'u'), isAt(start, -3, '-'))
  const secureString = all(isLength(length, 9), is(follows, '-'), isSmallAt(start, 0, 'c'))
  return sequence(
    length.set(i32.sub(stop.get, start.get)),
    first.set(codeAt(start)),
    follows.set(codeAt(stop)),
    next.set(classAt(stop, 1)),
    capital.set(has(classOf(first.get), upper)),
    separated.set(all(isBelow(length, 9), has(traitsOf(follows.get), traits.separates))),
    keep.set(any(all(mayOpenKey, opensKey(start, slot)), name, option, secureString)),
    // Few words are any of these: the jump is nearly always guessed right.
    when(
      any(not(has(mask.get, lower)), all(separated.get, has(next.get, digit))),
      keep.set(any(keep.get, lettered, bankOrBlock, variable)),
    ),
    when(all(isHexadecimal, isBelow(length, 5), is(follows, ':', '-', '.')), keep.set(any(keep.get, address))),
  )
}
