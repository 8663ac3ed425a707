import { digit, joiner, letter, lower, underscore, upper, word } from '../classes.ts'
import { type Code, either, i32, type Local, repeat, sequence, type Writer, when, whenElse } from './assembler.ts'
import { bytesPerMark, layout, maskShift, sieveLayout, startMask, traits } from './layout.ts'

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
      whenElse(
        i32.isZero(mark.mask.get),
        siftSign(mark, local),
        whenElse(i32.and(mark.mask.get, n(digit)), siftNumber(mark, local), siftWord(mark, local)),
      ),
      i32.store(out.get, 0, mark.first.get),
      i32.store(out.get, 4, mark.stop.get),
      out.set(i32.add(out.get, either(mark.keep.get, n(bytesPerMark), n(0)))),
      from.set(i32.add(from.get, n(bytesPerMark))),
    ),
    i32.sub(out.get, n(layout.marks)),
  )
}

const makeMark = (local: Writer['local']) => ({
  first: local('i32'),
  start: local('i32'),
  stop: local('i32'),
  mask: local('i32'),
  keep: local('i32'),
})
type Mark = ReturnType<typeof makeMark>

const n = i32.const
const all = (...conditions: readonly Code[]): Code => conditions.reduce(i32.and)
const any = (...conditions: readonly Code[]): Code => conditions.reduce(i32.or)
const not = i32.isZero
/** The character so far from a place, its class bits and its traits. */
const codeAt = (at: Local, offset = 0): Code => i32.load16(i32.shiftLeft(at.get, n(1)), layout.codes + 2 * offset)
const classAt = (at: Local, offset = 0): Code => i32.load8(codeAt(at, offset), layout.classes)
const traitsOf = (code: Code): Code => i32.load8(code, layout.traits)
const isAt = (at: Local, offset: number, char: string): Code => i32.equal(codeAt(at, offset), n(char.charCodeAt(0)))
const is = (code: Local, ...chars: readonly string[]): Code =>
  any(...chars.map(char => i32.equal(code.get, n(char.charCodeAt(0)))))
const has = (bits: Code, some: number): Code => i32.isNot(i32.and(bits, n(some)))
const isLength = (length: Local, ...lengths: readonly number[]): Code =>
  any(...lengths.map(count => i32.equal(length.get, n(count))))
const isBelow = (value: Local, limit: number): Code => i32.below(value.get, n(limit))
const isInSieve = (table: keyof typeof sieveLayout, slot: Code, spare: Local): Code =>
  sequence(
    spare.set(slot),
    i32.and(
      i32.shiftRight(i32.load8(i32.shiftRight(spare.get, n(3)), sieveLayout[table]), i32.and(spare.get, n(7))),
      n(1),
    ),
  )
const low = (code: Code, shift: number): Code => i32.shiftLeft(i32.and(code, n(31)), n(shift))

/** Words without a digit, as `plainWord` goes through them. */
function siftWord({ start, stop, mask, keep }: Mark, local: Writer['local']): Code {
  const length = local('i32')
  const first = local('i32')
  const follows = local('i32')
  const next = local('i32')
  const capital = local('i32')
  const separated = local('i32')
  const slot = local('i32')
  const onlyUpper = i32.equal(mask.get, n(upper))
  const beforeNumber = all(separated.get, has(next.get, digit))
  const lettered = any(
    all(beforeNumber, any(isBelow(length, 6), onlyUpper)),
    all(separated.get, onlyUpper, has(next.get, upper)),
  )
  const opensKey = any(
    has(i32.load8(follows.get, layout.classes), joiner),
    has(mask.get, underscore),
    all(separated.get, capital.get, any(isLength(length, 2), all(isLength(length, 3), has(next.get, digit)))),
    not(isBelow(length, 20)),
  )
  const beginning = any(
    i32.shiftLeft(i32.and(first.get, n(63)), n(10)),
    low(codeAt(start, 1), 5),
    i32.and(codeAt(start, 2), n(31)),
  )
  // `face:…`, `AA:BB:…`: the first letter at least must be a hexadecimal digit.
  const small = i32.or(first.get, n(32))
  const address = all(
    i32.below(i32.sub(small, n(0x61)), n(6)),
    isBelow(length, 5),
    any(
      all(is(follows, ':', '-'), i32.equal(codeAt(stop, 3), follows.get)),
      all(is(follows, '.'), isAt(stop, 5, '.')),
      all(is(follows, ':'), either(isAt(stop, 1, ':'), has(classAt(stop, 2), digit), has(classAt(stop, 1), word))),
    ),
  )
  const wordSlot = [
    any(
      i32.and(first.get, n(31)),
      low(codeAt(start, 1), 5),
      low(either(isBelow(length, 3), n(0), codeAt(start, 2)), 10),
    ),
    low(codeAt(stop, -1), 7),
    i32.shiftLeft(i32.and(length.get, n(15)), n(12)),
  ].reduce(i32.xor)
  const name = all(
    capital.get,
    has(mask.get, lower),
    isBelow(length, 15),
    // `my name is Xiulan`
    any(isInSieve('names', wordSlot, slot), all(isAt(start, -2, 's'), isAt(start, -3, 'i'))),
  )
  const bankOrBlock = all(onlyUpper, any(isLength(length, 8, 11), all(isLength(length, 5), is(first, 'B'))))
  const variable = all(
    capital.get,
    not(has(mask.get, lower)),
    not(isBelow(length, 6)),
    any(has(traitsOf(follows.get), traits.gap), is(follows, ')', '.'), isAt(start, -2, 'V')),
  )
  const option = all(isAt(start, -1, ' '), isAt(start, -2, 'u'), isAt(start, -3, '-'))
  const secureString = all(isLength(length, 9), is(follows, '-'), i32.equal(small, n(0x63)))
  return sequence(
    length.set(i32.sub(stop.get, start.get)),
    first.set(codeAt(start)),
    follows.set(codeAt(stop)),
    next.set(classAt(stop, 1)),
    capital.set(has(i32.load8(first.get, layout.classes), upper)),
    separated.set(all(isBelow(length, 9), has(traitsOf(follows.get), traits.separates))),
    keep.set(
      any(
        lettered,
        all(opensKey, isInSieve('prefixes', beginning, slot)),
        address,
        name,
        bankOrBlock,
        variable,
        option,
        secureString,
      ),
    ),
  )
}

/** Words with a digit, as `numbered` goes through them: what is left out is short and stands for itself. */
function siftNumber({ start, stop, mask, keep }: Mark, local: Writer['local']): Code {
  const length = local('i32')
  const follows = local('i32')
  const before = local('i32')
  const next = local('i32')
  const second = local('i32')
  const inNumber = local('i32')
  const isDecimals = all(is(before, '.'), has(second.get, digit))
  const unit = all(
    isBelow(length, 6),
    i32.unequal(length.get, n(4)),
    has(mask.get, lower),
    not(has(mask.get, underscore)),
    not(has(i32.load8(follows.get, layout.classes), joiner)),
    not(all(is(follows, ' '), has(next.get, digit), has(classAt(start), letter))),
  )
  const mixedIsNothing = any(
    all(isDecimals, has(classAt(start), digit), not(all(isLength(length, 8), is(follows, '-')))),
    unit,
  )
  const mayBeYear = all(
    isLength(length, 4),
    is(before, ' '),
    any(isAt(start, 0, '1'), isAt(start, 0, '2')),
    any(isAt(start, -2, ','), has(second.get, letter)),
  )
  const isBehindNumber = all(
    is(before, '.', '-', '/'),
    has(second.get, digit),
    not(is(follows, '-', '.', ':', '$', '/', '°')),
  )
  const colonSoon = any(...[1, 2, 3, 4, 5].map(offset => isAt(stop, offset, ':')))
  const mayGoOn = any(
    has(next.get, digit | upper),
    all(isLength(length, 2), any(has(next.get, letter), all(is(follows, '-'), isAt(stop, 3, '-')))),
    all(isLength(length, 1), is(follows, '/')),
    all(isLength(length, 4), is(follows, '-', '.')),
    is(follows, '$', '('),
    not(isBelow(follows, 128)),
  )
  const plainIsNothing = all(
    isBelow(length, 6),
    // Five digits may be a postal code behind its label, which nothing in a path has.
    any(isBelow(length, 5), is(before, '/')),
    not(mayBeYear),
    any(
      isBehindNumber,
      not(has(traitsOf(follows.get), traits.goesOn)),
      all(not(is(before, '+', '(')), not(either(is(follows, ':'), colonSoon, mayGoOn))),
    ),
  )
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
    inNumber.set(not(has(mask.get, letter | underscore))),
    keep.set(any(behindLetters, not(either(inNumber.get, plainIsNothing, mixedIsNothing)))),
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
  const quote = (code: Local): Code => is(code, '"', "'")
  const isQuoteAt = (offset: number): Code => any(isAt(start, offset, '"'), isAt(start, offset, "'"))
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
  const closing = sequence(
    keep.set(all(quote(before), not(isBelow(next, 0x21)))),
    ask.set(all(has(beforeClass.get, word), not(all(is(next, '<'), not(isAt(start, 3, '[')))))),
  )
  return sequence(
    sign.set(codeAt(start)),
    next.set(codeAt(start, 1)),
    before.set(codeAt(start, -1)),
    nextClass.set(i32.load8(next.get, layout.classes)),
    beforeClass.set(i32.load8(before.get, layout.classes)),
    keep.set(n(0)),
    ask.set(n(0)),
    whenElse(
      is(sign, ':'),
      colon,
      whenElse(
        is(sign, '='),
        ask.set(n(1)),
        whenElse(
          is(sign, ','),
          comma,
          whenElse(
            is(sign, '('),
            keep.set(any(quote(next), all(is(next, '['), isQuoteAt(2)))),
            whenElse(is(sign, '>'), closing, keep.set(n(1))),
          ),
        ),
      ),
    ),
    when(i32.and(ask.get, not(keep.get)), askName(sign, start, before, keep, local)),
  )
}

/** Set before the sifting when `-u` stands somewhere in the text: a colon may then stand between a user and a password. */
const hasUserOption = i32.load8(n(0), layout.flags)

/** Whether the name before the sign may mean something, as `tellingName` and those who look elsewhere would say. */
function askName(sign: Local, start: Local, before: Local, keep: Local, local: Writer['local']): Code {
  const end = local('i32')
  const at = local('i32')
  const limit = local('i32')
  const code = local('i32')
  const part = local('i32')
  const signs = local('i32')
  const spaces = local('i32')
  const bracket = local('i32')
  const three = local('i32')
  const letters = local('i32')
  const tells = local('i32')
  const slot = local('i32')
  const length = local('i32')
  const isGap = sequence(code.set(codeAt(end, -1)), has(traitsOf(code.get), traits.gap))
  const skipGap = repeat(
    all(isGap, isBelow(signs, 4), isBelow(spaces, 24), i32.isNot(end.get)),
    // `password[255] =`, `keys[] =`: left to those who can read brackets.
    bracket.set(any(bracket.get, all(is(code, ']'), any(has(classAt(end, -2), digit), isAt(end, -2, '['))))),
    spaces.set(i32.add(spaces.get, is(code, ' '))),
    signs.set(i32.add(signs.get, i32.unequal(code.get, n(0x20)))),
    end.set(i32.sub(end.get, n(1))),
  )
  const readName = repeat(
    all(
      sequence(part.set(i32.and(traitsOf(codeAt(at, -1)), n(traits.part))), i32.isNot(part.get)),
      i32.below(limit.get, at.get),
    ),
    at.set(i32.sub(at.get, n(1))),
    three.set(
      either(isBelow(part, 27), i32.or(i32.shiftRight(three.get, n(5)), i32.shiftLeft(part.get, n(10))), three.get),
    ),
    tells.set(i32.or(tells.get, isInSieve('threes', three.get, slot))),
    letters.set(i32.add(letters.get, isBelow(part, 28))),
  )
  const isField = isInSieve(
    'fields',
    i32.and(i32.xor(i32.shiftLeft(three.get, n(1)), i32.times(letters.get, n(0x1357))), n(0xffff)),
    slot,
  )
  const small = (offset: number): Code => i32.or(codeAt(end, offset), n(32))
  const endsInPw = all(i32.equal(small(-1), n(0x77)), i32.equal(small(-2), n(0x70)))
  const elsewhere = any(
    all(is(sign, '='), any(...[1, 2, 3, 4].map(offset => isAt(at, -offset, ':')))),
    all(is(sign, '>'), isLength(length, 5, 6), isAt(at, -1, '<')),
    all(isLength(length, 3), isAt(at, 0, 'k')),
    all(isLength(length, 4), isAt(at, 0, 'n')),
    all(isLength(length, 5), i32.equal(i32.or(codeAt(at), n(32)), n(0x76))),
    all(isLength(length, 7), isAt(at, 0, 'd')),
  )
  return sequence(
    end.set(i32.sub(start.get, all(is(sign, '='), is(before, '+', '.')))),
    signs.set(n(0)),
    spaces.set(n(0)),
    bracket.set(n(0)),
    skipGap,
    at.set(end.get),
    limit.set(either(isBelow(end, 48), n(0), i32.sub(end.get, n(48)))),
    three.set(n(0)),
    letters.set(n(0)),
    tells.set(n(0)),
    readName,
    length.set(i32.sub(end.get, at.get)),
    keep.set(any(bracket.get, all(i32.isNot(length.get), any(tells.get, isField, endsInPw, elsewhere)))),
  )
}
