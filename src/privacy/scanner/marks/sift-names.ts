import { type Code, either, i32, type Local, repeat, sequence, type Writer, when } from '../../../assembler.ts'
import { digit, word } from '../classes.ts'
import { lengthFactor, traits } from './layout.ts'
import {
  all,
  any,
  classAt,
  codeAt,
  has,
  is,
  isAt,
  isBelow,
  isInSieve,
  isLength,
  isSmallAt,
  n,
  step,
  traitsOf,
} from './reading.ts'

const longestName = 48

/** A name that was read backwards from its end. */
export const makeName = (local: Writer['local']) => ({
  end: local('i32'),
  start: local('i32'),
  /** Whether its letters say that it may mean something, as `tellingName` would find. */
  tells: local('i32'),
  part: local('i32'),
  limit: local('i32'),
  three: local('i32'),
  letters: local('i32'),
  slot: local('i32'),
})
export type Name = ReturnType<typeof makeName>

/** Reads the name that ends at `end`. */
export function readName({ end, start, tells, part, limit, three, letters, slot }: Name): Code {
  const isField = isInSieve(
    'fields',
    i32.and(i32.xor(i32.shiftLeft(three.get, n(1)), i32.times(letters.get, n(lengthFactor))), n(0xffff)),
    slot,
  )
  return sequence(
    start.set(end.get),
    limit.set(either(isBelow(end, longestName), n(0), i32.sub(end.get, n(longestName)))),
    three.set(n(0)),
    letters.set(n(0)),
    tells.set(n(0)),
    repeat(
      all(
        sequence(part.set(i32.and(traitsOf(codeAt(start, -1)), n(traits.part))), i32.isNot(part.get)),
        i32.below(limit.get, start.get),
      ),
      step(start, -1),
      three.set(
        either(isBelow(part, 27), i32.or(i32.shiftRight(three.get, n(5)), i32.shiftLeft(part.get, n(10))), three.get),
      ),
      tells.set(i32.or(tells.get, isInSieve('threes', three.get, slot))),
      letters.set(i32.add(letters.get, isBelow(part, 28))),
    ),
    // `db_pw` has no three letters that tell.
    tells.set(any(tells.get, isField, all(isSmallAt(end, -1, 'w'), isSmallAt(end, -2, 'p')))),
  )
}

/** Whether what ends at `end`, with a space behind it, may tell what follows, as `findSecretAfterLabel` and `findQuoted` would look. */
export function askBeforeSpace(name: Name, keep: Local): Code {
  const { end } = name
  const states = any(
    isAt(end, -1, '-', ' '),
    all(isAt(end, -2, '-'), isAt(end, -3, ' ')),
    all(isAt(end, -3, '-'), isAt(end, -1, 'w')),
    all(isSmallAt(end, -1, 's'), any(isAt(end, -3, ' '), isAt(end, -4, ' '))),
    all(isAt(end, -2, ' '), i32.equal(i32.and(codeAt(end, -1), n(0x50)), n(0x10))),
    all(isSmallAt(end, -1, 'y'), any(isAt(end, -3, ' '), isAt(end, -4, 'n'))),
    all(isSmallAt(end, -1, 'g'), isAt(end, -6, 'S')),
    all(isSmallAt(end, -1, 'e'), isAt(end, -6, '-')),
    all(isAt(end, -1, 'o'), isAt(end, -2, 'h')),
  )
  return sequence(keep.set(states), when(i32.isZero(keep.get), readName(name), keep.set(name.tells.get)))
}

/** Whether the name before a sign may mean something, as those would say who read it, or look for it elsewhere. */
export function askBeforeSign(
  sign: Local,
  start: Local,
  before: Local,
  keep: Local,
  name: Name,
  local: Writer['local'],
): Code {
  const code = local('i32')
  const signs = local('i32')
  const spaces = local('i32')
  const bracket = local('i32')
  const length = local('i32')
  const { end } = name
  const skipGap = repeat(
    all(
      sequence(code.set(codeAt(end, -1)), has(traitsOf(code.get), traits.gap)),
      isBelow(signs, 4),
      isBelow(spaces, 24),
      i32.isNot(end.get),
    ),
    // `password[255] =`, `keys[] =`: left to those who can read brackets.
    bracket.set(any(bracket.get, all(is(code, ']'), any(has(classAt(end, -2), digit), isAt(end, -2, '['))))),
    spaces.set(i32.add(spaces.get, is(code, ' '))),
    signs.set(i32.add(signs.get, i32.unequal(code.get, n(0x20)))),
    step(end, -1),
  )
  const isBehindValue = any(isAt(name.start, -2, '"', "'", '`', ','), isAt(name.start, -3, ','))
  // `token: string = "…"`: the name before the type is asked, or those who can find it where it is written otherwise.
  const isTyped = all(
    is(sign, '='),
    i32.isNot(length.get),
    any(...[1, 2, 3, 4].map(offset => isAt(name.start, -offset, ':'))),
  )
  const isCommonly = all(isAt(name.start, -1, ' '), isAt(name.start, -2, ':'))
  const askTyped = sequence(
    keep.set(n(1)),
    when(
      all(isCommonly, has(classAt(name.start, -3), word)),
      end.set(i32.sub(name.start.get, n(2))),
      readName(name),
      keep.set(name.tells.get),
    ),
  )
  // `<string>…`, `"kty":`, `name="…"`, `value="…"`, `default = "…"`
  const elsewhere = any(
    all(is(sign, '>'), isLength(length, 5, 6), isAt(name.start, -1, '<')),
    all(isLength(length, 3), isAt(name.start, 0, 'k')),
    all(isLength(length, 4), isAt(name.start, 0, 'n'), isBehindValue),
    all(isLength(length, 5), isSmallAt(name.start, 0, 'v')),
    all(isLength(length, 7), isAt(name.start, 0, 'd')),
    // `df['password'].eq('…')`
    all(is(sign, '('), isAt(name.start, -1, ']')),
  )
  return sequence(
    end.set(i32.sub(start.get, all(is(sign, '='), is(before, '+', '.')))),
    signs.set(n(0)),
    spaces.set(n(0)),
    bracket.set(n(0)),
    skipGap,
    readName(name),
    length.set(i32.sub(end.get, name.start.get)),
    keep.set(any(bracket.get, all(i32.isNot(length.get), any(name.tells.get, elsewhere)))),
    when(all(i32.isZero(keep.get), isTyped), askTyped),
  )
}
