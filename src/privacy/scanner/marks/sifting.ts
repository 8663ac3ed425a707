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
import { digit, word } from '../classes.ts'
import { bytesPerMark, flags, layout, maskShift, startMask } from './layout.ts'
import { all, any, classOf, codeAt, has, is, isAt, isBelow, type Mark, makeMark, n, not, step } from './reading.ts'
import { askBeforeSign, askBeforeSpace, makeName } from './sift-names.ts'
import { siftNumber } from './sift-numbers.ts'
import { siftWord } from './sift-words.ts'

/**
 * Goes over the marks and leaves those that some finder would do more with than look and turn away: nine in ten words,
 * signs and numbers end here. It asks what finders ask first, a little more generously, and never decides anything else:
 * what is left out was nothing to any finder. Conditions are joined without jumps wherever it can be done.
 */
export function writeSifting(writer: Writer): Code {
  const { parameter: behind, local } = writer
  const from = local('i32')
  const out = local('i32')
  const mark = makeMark(local)
  return sequence(
    from.set(n(layout.marks)),
    out.set(n(layout.marks)),
    repeat(
      i32.below(from.get, behind.get),
      mark.first.set(i32.load(from.get, 0)),
      mark.stop.set(i32.load(from.get, 4)),
      mark.start.set(i32.and(mark.first.get, n(startMask))),
      mark.mask.set(i32.shiftRight(mark.first.get, n(maskShift))),
      mark.keep.set(n(0)),
      when(
        not(i32.below(mark.start.get, mark.skip.get)),
        whenElse(
          i32.isZero(mark.mask.get),
          siftSign(mark, local),
          whenElse(i32.and(mark.mask.get, n(digit)), siftNumber(mark, local), siftWord(mark, local)),
        ),
      ),
      i32.store(out.get, 0, mark.first.get),
      i32.store(out.get, 4, mark.stop.get),
      out.set(i32.add(out.get, either(mark.keep.get, n(bytesPerMark), n(0)))),
      step(from, bytesPerMark),
    ),
    i32.sub(out.get, n(layout.marks)),
  )
}

/** Signs, as `sign` goes through them: most of them give nothing to a name that would mean anything. */
function siftSign({ start, keep }: Mark, local: Writer['local']): Code {
  const sign = local('i32')
  const next = local('i32')
  const before = local('i32')
  const nextClass = local('i32')
  const beforeClass = local('i32')
  const ask = local('i32')
  const name = makeName(local)
  const quote = (code: Local): Code => is(code, '"', "'")
  const isQuoteAt = (offset: number): Code => isAt(start, offset, '"', "'")
  const colon = sequence(
    keep.set(
      any(
        is(next, '/', ':', '{'),
        all(is(next, '\n'), is(before, 'a')),
        all(has(nextClass.get, digit), any(isAt(start, 5, ':'), isAt(start, 6, ':'))),
        all(has(nextClass.get, word), i32.below(codeAt(start, 14), n(0x0e))),
        all(hasUserOption, not(isBelow(next, 0x21)), not(isBelow(before, 0x21))),
      ),
    ),
    ask.set(not(has(i32.and(beforeClass.get, nextClass.get), digit))),
  )
  const comma = ask.set(
    either(
      quote(before),
      any(quote(next), all(is(next, ' '), isQuoteAt(2))),
      all(has(beforeClass.get, word), has(nextClass.get, word)),
    ),
  )
  // `login("…", "…")`: names that such are called by end in one of these.
  const bracket = sequence(
    ask.set(any(quote(next), all(is(next, '['), isQuoteAt(2)))),
    keep.set(all(ask.get, is(before, 't', 'n', 'O', 'h', 'i', 's'))),
  )
  // `sorted(rows, key=lambda row: …)`: a function is given, and no value.
  const isFunction = all(...[...'lambda'].map((letter, at) => isAt(start, 1 + at, letter)), isAt(start, 7, ' ', ':'))
  const quoted = sequence(name.end.set(i32.sub(start.get, n(1))), askBeforeSpace(name, keep))
  const closing = sequence(
    keep.set(all(quote(before), not(isBelow(next, 0x21)))),
    ask.set(all(has(beforeClass.get, word), not(all(is(next, '<'), not(isAt(start, 3, '[')))))),
  )
  return sequence(
    sign.set(codeAt(start)),
    next.set(codeAt(start, 1)),
    before.set(codeAt(start, -1)),
    nextClass.set(classOf(next.get)),
    beforeClass.set(classOf(before.get)),
    keep.set(n(0)),
    ask.set(n(0)),
    choose(
      [is(sign, ':'), colon],
      [is(sign, '='), ask.set(not(isFunction))],
      [is(sign, ','), comma],
      [is(sign, '('), bracket],
      [is(sign, '>'), closing],
      [quote(sign), quoted],
      [n(1), keep.set(n(1))],
    ),
    when(i32.and(ask.get, not(keep.get)), askBeforeSign(sign, start, before, keep, name, local)),
  )
}

/** The first whose condition holds. */
const choose = (...cases: readonly (readonly [Code, Code])[]): Code =>
  cases.reduceRight<Code>((otherwise, [condition, then]) => whenElse(condition, then, otherwise), [])

/** Set before the sifting when `-u` stands somewhere in the text: a colon may then stand between a user and a password. */
const hasUserOption = i32.load8(n(0), flags.hasUserOption)
