import {
  type Code,
  either,
  i32,
  type Local,
  repeat,
  sequence,
  type Writer,
  when,
  whenElse,
} from '../../../assembler.ts'
import { digit, joiner, letter, lower, underscore, upper, word } from '../classes.ts'
import { flags, traits } from './layout.ts'
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
  type Mark,
  n,
  not,
  opensKey,
  step,
  traitsOf,
} from './reading.ts'
import { askBeforeSpace, makeName } from './sift-names.ts'

/** What is read once around a word with a digit. */
const makeAround = (local: Writer['local']) => ({
  length: local('i32'),
  follows: local('i32'),
  before: local('i32'),
  /** Class bits of the second character behind it, and of the second before it. */
  next: local('i32'),
  second: local('i32'),
})
type Around = ReturnType<typeof makeAround>

/** Words with a digit, as `numbered` goes through them. */
export function siftNumber(mark: Mark, local: Writer['local']): Code {
  const { start, stop, mask, keep } = mark
  const around = makeAround(local)
  const { length, follows, before, next, second } = around
  // `ab 12 34 56 c`, `hrb 12345`: what begins with small letters is called at its digits.
  const behindLetters = all(
    is(before, ' '),
    any(
      all(has(second.get, letter), has(classAt(start, -3), lower), not(has(classAt(start, -4), word))),
      all(isAt(start, -3, 'r'), isAt(start, -4, 'h')),
    ),
  )
  return sequence(
    length.set(i32.sub(stop.get, start.get)),
    follows.set(codeAt(stop)),
    before.set(codeAt(start, -1)),
    next.set(classAt(stop, 1)),
    second.set(classAt(start, -2)),
    keep.set(behindLetters),
    when(
      not(keep.get),
      whenElse(
        has(mask.get, letter | underscore),
        siftMixed(mark, around, local),
        sequence(siftPlain(mark, around, local), when(keep.get, skipTime(mark, around, local))),
      ),
    ),
  )
}

/** Digits alone that are short and stand for themselves: counts, ports, lines, parts of a number. */
function siftPlain(mark: Mark, around: Around, local: Writer['local']): Code {
  const { start, keep } = mark
  const { length, follows, before, second } = around
  // `12 March 1980`; five digits may be a postal code behind its label, which nothing in a path has.
  const byItself = any(
    all(
      isLength(length, 4),
      is(before, ' '),
      isAt(start, 0, '1', '2'),
      any(isAt(start, -2, ','), has(second.get, letter)),
    ),
    all(isLength(length, 5), not(is(before, '/'))),
  )
  return whenElse(
    isBelow(length, 6),
    sequence(
      keep.set(byItself),
      when(all(not(keep.get), has(traitsOf(follows.get), traits.goesOn)), keep.set(goesOnAsMore(mark, around))),
    ),
    askGiven(mark, around, local),
  )
}

/** No template of this many digits alone is sure without a word that speaks for it. */
const longestUnsure = 10

/** `bytes=8123456`: a number that is given to a name is spoken for by that name alone, and most names speak for nothing. */
function askGiven({ start, keep }: Mark, { length, follows, before, next }: Around, local: Writer['local']): Code {
  const at = local('i32')
  const hash = local('i32')
  const slot = local('i32')
  const stands = all(
    is(before, '='),
    isBelow(length, longestUnsure + 1),
    not(all(has(traitsOf(follows.get), traits.separates), has(next.get, word))),
    not(is(follows, '(')),
    not(all(isAt(start, 0, '0'), isAt(start, 1, '0'))),
    i32.load8(n(0), flags.onlySure),
  )
  const goesBack = all(has(classAt(at, -1), lower), i32.below(i32.sub(start.get, at.get), n(32)))
  // `userId=…` and `user_id=…` are more than one word, and left to those who can read them.
  const isOneWord = all(
    i32.below(at.get, i32.sub(start.get, n(1))),
    isAt(at, -1, ' ', '\n', '&', '?', ',', ';', '(', '"'),
  )
  return sequence(
    keep.set(n(1)),
    when(
      stands,
      at.set(i32.sub(start.get, n(1))),
      repeat(goesBack, step(at, -1)),
      when(
        isOneWord,
        hash.set(n(0)),
        repeat(
          i32.below(at.get, i32.sub(start.get, n(1))),
          hash.set(i32.add(i32.times(hash.get, n(31)), codeAt(at))),
          step(at, 1),
        ),
        keep.set(isInSieve('speaking', i32.and(hash.get, n(0xffff)), slot)),
      ),
    ),
  )
}

/** Whether a short number may be the beginning of something longer. */
function goesOnAsMore({ stop }: Mark, { length, follows, before, next, second }: Around): Code {
  const isBehindNumber = all(
    is(before, '.', '-', '/'),
    has(second.get, digit),
    any(
      not(is(follows, '-', '.', ':', '$', '/', '°')),
      // The middle of `2026-01-05`; four digits may begin a time, and two behind a slash an address of hardware.
      all(is(follows, '-'), not(is(before, '/')), not(isLength(length, 4))),
    ),
  )
  // `1.25)`: what has more digits or goes on may be an address, a place or a number in groups.
  const endsAfter = (decimals: number): Code =>
    all(
      ...Array.from({ length: decimals }, (_, at) => has(classAt(stop, 1 + at), digit)),
      not(has(classAt(stop, 1 + decimals), word)),
      not(has(traitsOf(codeAt(stop, 1 + decimals)), traits.separates)),
      not(isAt(stop, 1 + decimals, ',', ';', '(')),
      i32.below(codeAt(stop, 1 + decimals), n(128)),
      not(
        all(
          isAt(stop, 1 + decimals, ')'),
          has(i32.or(classAt(stop, 2 + decimals), classAt(stop, 3 + decimals)), digit),
        ),
      ),
    )
  const isDecimal = all(isBelow(length, 4), is(follows, '.'), any(endsAfter(1), endsAfter(2), endsAfter(3)))
  const colonSoon = any(...[1, 2, 3, 4, 5].map(offset => isAt(stop, offset, ':')))
  const mayGoOn = any(
    has(next.get, digit | upper),
    all(isLength(length, 2), any(has(next.get, letter), all(is(follows, '-'), isAt(stop, 3, '-')))),
    all(isLength(length, 1), is(follows, '/')),
    all(isLength(length, 4), is(follows, '-', '.')),
    is(follows, '$', '('),
    not(isBelow(follows, 128)),
  )
  return all(
    not(isBehindNumber),
    any(is(before, '+', '('), all(not(isDecimal), either(is(follows, ':'), colonSoon, mayGoOn))),
  )
}

/** `2026-01-05T09:30:00.123Z`, which every line of a log begins with, and `09:30:00`: passed over to their end. */
function skipTime({ start, keep, skip }: Mark, { length, follows }: Around, local: Writer['local']): Code {
  const time = local('i32')
  const end = local('i32')
  const areDigits = (at: Local, ...offsets: readonly number[]): Code =>
    has(offsets.map(offset => classAt(at, offset)).reduce(i32.and), digit)
  const isStamp = all(
    isLength(length, 4),
    is(follows, '-'),
    isAt(start, 7, '-'),
    isAt(start, 10, 'T'),
    areDigits(start, 5, 6, 8, 9, 11, 12),
  )
  const isTime = all(isAt(time, 2, ':'), isAt(time, 5, ':'), areDigits(time, 3, 4, 6, 7))
  const readFraction = when(
    all(isAt(end, 0, '.', ','), has(classAt(end, 1), digit)),
    step(end, 1),
    repeat(all(has(classAt(end), digit), i32.below(end.get, i32.add(time.get, n(25)))), step(end, 1)),
  )
  return sequence(
    time.set(i32.add(start.get, either(isStamp, n(11), n(0)))),
    when(
      all(any(isStamp, all(isLength(length, 2), is(follows, ':'))), isTime),
      end.set(i32.add(time.get, n(8))),
      readFraction,
      end.set(i32.add(end.get, isAt(end, 0, 'Z'))),
      when(not(any(has(classAt(end), word), isAt(end, 0, ':'))), keep.set(n(0)), skip.set(end.get)),
    ),
  )
}

/** Letters and digits: identifiers, keys, and far more often parts of names, hashes and versions. */
function siftMixed(mark: Mark, around: Around, local: Writer['local']): Code {
  const { start, mask, keep } = mark
  const { length, follows, before, next, second } = around
  const slot = local('i32')
  const first = local('i32')
  const isDecimals = all(
    is(before, '.'),
    has(second.get, digit),
    has(first.get, digit),
    not(all(isLength(length, 8), is(follows, '-'))),
  )
  const isUnit = all(
    isBelow(length, 6),
    i32.unequal(length.get, n(4)),
    has(mask.get, lower),
    not(has(mask.get, underscore)),
    not(has(classOf(follows.get), joiner)),
    not(all(is(follows, ' '), has(next.get, digit), has(first.get, letter))),
  )
  /** As in `kindOf`, where the slot has it. */
  const kindAt = (offset: number): Code => {
    const bits = classAt(start, offset)
    const kind = either(has(bits, digit), n(0), either(has(bits, upper), n(1), either(has(bits, lower), n(2), n(3))))
    return i32.shiftLeft(kind, n(2 * offset))
  }
  const goesOnAsKey = all(not(isBelow(length, 6)), is(follows, '-', '.', '+', '=', '~'), has(next.get, word))
  const byItself = any(
    opensKey(start, slot),
    isInSieve(
      'words',
      any(
        i32.shiftLeft(either(isBelow(length, 127), length.get, n(127)), n(8)),
        kindAt(0),
        kindAt(1),
        kindAt(2),
        kindAt(3),
      ),
      slot,
    ),
    not(isBelow(length, 16)),
    goesOnAsKey,
    // `IE29 AIBK…`
    all(has(first.get, letter), has(classAt(start, 1), letter), has(classAt(start, 2), digit)),
    is(follows, '<', '~'),
    all(isLength(length, 8), is(follows, '-')),
    all(not(isBelow(length, 11)), isAt(start, 0, 'i'), isAt(start, 1, 's')),
    all(isLength(length, 8, 11), not(has(mask.get, lower | underscore))),
    all(isBelow(length, 5), is(follows, ':', '-', '.')),
  )
  return sequence(
    first.set(classAt(start)),
    keep.set(not(any(isDecimals, isUnit))),
    when(
      keep.get,
      keep.set(byItself),
      when(not(keep.get), hasRuns(mark, slot, local)),
      when(not(keep.get), isLabelled(mark, slot, local)),
      when(all(not(keep.get), not(isBelow(length, 6))), isTold(mark, around, local)),
    ),
  )
}

/** Whether some template begins with the runs of digits and letters that the word begins with. */
function hasRuns({ start, keep }: Mark, slot: Local, local: Writer['local']): Code {
  const at = local('i32')
  const from = local('i32')
  const kind = local('i32')
  const runs = local('i32')
  const longest = 31
  const run = sequence(
    from.set(at.get),
    repeat(
      all(i32.isNot(i32.and(classAt(at), kind.get)), i32.below(i32.sub(at.get, from.get), n(longest))),
      step(at, 1),
    ),
    from.set(i32.sub(at.get, from.get)),
    runs.set(i32.or(i32.shiftLeft(runs.get, n(4)), either(isBelow(from, 15), from.get, n(15)))),
    kind.set(i32.xor(kind.get, n(digit | letter))),
  )
  return sequence(
    at.set(start.get),
    kind.set(either(has(classAt(start), digit), n(digit), n(letter))),
    runs.set(has(classAt(start), digit)),
    run,
    run,
    run,
    keep.set(isInSieve('runs', runs.get, slot)),
  )
}

/** Whether a label may stand before it, as `Labels` would look. */
function isLabelled({ start, keep }: Mark, slot: Local, local: Writer['local']): Code {
  const at = local('i32')
  const code = local('i32')
  const part = (offset: number): Code => {
    const bits = i32.and(traitsOf(codeAt(at, offset)), n(traits.part))
    return either(i32.below(bits, n(27)), bits, n(0))
  }
  return sequence(
    at.set(start.get),
    repeat(
      all(
        sequence(code.set(codeAt(at, -1)), isBelow(code, 128)),
        isInSieve('between', i32.and(code.get, n(127)), slot),
        i32.below(i32.sub(start.get, at.get), n(4)),
      ),
      step(at, -1),
    ),
    keep.set(
      all(
        not(isAt(start, -1, '/')),
        any(
          // Letters of other scripts, and their spaces.
          not(isBelow(code, 128)),
          all(
            i32.unequal(at.get, start.get),
            isInSieve('labels', i32.or(i32.shiftLeft(part(-2), n(5)), part(-1)), slot),
          ),
        ),
      ),
    ),
  )
}

/** Whether it may be told by what stands before it, as `findSecretAfterLabel`, `findSecond` and `findAttached` would look. */
function isTold({ start, keep }: Mark, { before, second }: Around, local: Writer['local']): Code {
  const name = makeName(local)
  const { end } = name
  const isQuote = is(before, '"', "'")
  return sequence(
    keep.set(
      any(
        all(is(before, '/', ':', ',', '('), any(has(second.get, word), isAt(start, -2, '-', '.', '"', "'"))),
        all(isQuote, isAt(start, -2, 'p'), isAt(start, -3, '-')),
        all(is(before, '-'), isAt(start, 0, 'p'), isAt(start, -2, ' ')),
      ),
    ),
    when(
      all(not(keep.get), any(is(before, ' '), all(isQuote, isAt(start, -2, ' ')))),
      end.set(i32.sub(start.get, i32.add(isQuote, n(1)))),
      askBeforeSpace(name, keep),
    ),
  )
}
