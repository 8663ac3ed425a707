import {
  type Code,
  either,
  i32,
  i64,
  type Local,
  repeat,
  sequence,
  v128,
  type Writer,
  when,
} from '../../../assembler.ts'
import { anchor, classOf, digit, foldable, joiner, lower, underscore, upper, wideLetter } from '../classes.ts'
import { bytesPerMark, layout, maskShift } from './layout.ts'

/**
 * Looks at 64 characters at a time and marks the few that a finder may want to see: words with a digit or underscore in
 * them, words that begin with a capital, words with a sign behind them that keys are joined with, signs that a candidate
 * may hang on, and quotes that open behind a word and a space. Each class becomes 64 bits, one a character, so that where
 * words begin and end is arithmetic: nothing depends on a jump for every word, which a processor guesses wrong half of
 * the time.
 */

const n = i32.const
const N = i64.const
const isNot = (bits: Code): Code => i32.isZero(i64.isZero(bits))

export function writeMarking({ parameter: length, local, constant }: Writer): Code {
  const block = makeBlock(local)
  const base = local('i32')
  const place = local('i32')
  const out = local('i32')
  /** Bits of where words begin; of the end of each word that is marked. */
  const starts = local('i64')
  const ends = local('i64')
  /** 1 when the last block ended inside a word, and inside one that is to be marked. */
  const open = local('i64')
  const openMarked = local('i64')
  const openStart = local('i32')
  const openMask = local('i32')
  const marked = local('i64')
  /** Words of the last block. */
  const lastWords = local('i64')
  const afterWord = local('i64')
  const sum = local('i64')
  const left = local('i64')
  const bit = local('i64')
  const before = local('i64')
  const run = local('i64')
  const start = local('i32')
  const mask = local('i32')

  const { digits, uppers, underscores, wides, lowers, words, joiners, signs, quotes } = block
  const flag = (set: Local, bits: number): Code => either(i64.isZero(i64.and(set.get, run.get)), n(0), n(bits))
  const classesOfRun = [
    flag(digits, digit),
    flag(uppers, upper),
    flag(lowers, lower),
    flag(underscores, underscore),
    flag(wides, wideLetter),
  ].reduce(i32.or)

  /** `run` is cut to the word that `before` holds the beginnings up to; without one the word began in an earlier block. */
  const runFromItsStart = (began: Local, classes: Local): Code =>
    when(
      isNot(before.get),
      before.set(i64.sub(N(63), i64.leadingZeros(before.get))),
      run.set(i64.and(run.get, i64.shiftLeft(N(-1), before.get))),
      began.set(i32.add(base.get, i32.fromI64(before.get))),
      classes.set(n(0)),
    )

  const secondAfterWord = i64.or(i64.shiftLeft(words.get, N(2)), i64.shiftRight(lastWords.get, N(62)))

  const findWords = sequence(
    afterWord.set(i64.or(i64.shiftLeft(words.get, N(1)), open.get)),
    starts.set(i64.and(words.get, i64.not(afterWord.get))),
    marked.set(i64.or(i64.or(digits.get, underscores.get), i64.and(uppers.get, starts.get))),
    // Added to the bits of its word, a bit in it carries over to just behind the word: there the sum has a bit.
    sum.set(i64.add(i64.add(words.get, marked.get), openMarked.get)),
    openMarked.set(
      i64.shiftRight(
        i64.or(i64.and(words.get, marked.get), i64.and(i64.or(words.get, marked.get), i64.not(sum.get))),
        N(63),
      ),
    ),
    ends.set(i64.and(i64.not(words.get), i64.or(sum.get, i64.and(afterWord.get, joiners.get)))),
    signs.set(i64.or(signs.get, i64.and(quotes.get, secondAfterWord))),
    lastWords.set(words.get),
  )

  const advance = (set: Local): Code =>
    out.set(i32.add(out.get, either(i64.isZero(i64.and(set.get, bit.get)), n(0), n(bytesPerMark))))

  const writeMarks = sequence(
    left.set(i64.or(ends.get, signs.get)),
    repeat(
      isNot(left.get),
      bit.set(i64.and(left.get, i64.sub(N(0), left.get))),
      run.set(i64.sub(bit.get, N(1))),
      before.set(i64.and(starts.get, run.get)),
      start.set(openStart.get),
      mask.set(openMask.get),
      runFromItsStart(start, mask),
      // Written in any case, and kept by moving on where it is one.
      i32.store(out.get, 0, i32.or(start.get, i32.shiftLeft(i32.or(mask.get, classesOfRun), n(maskShift)))),
      start.set(i32.add(base.get, i32.fromI64(i64.trailingZeros(bit.get)))),
      i32.store(out.get, 4, start.get),
      advance(ends),
      i32.store(out.get, 0, start.get),
      advance(signs),
      left.set(i64.xor(left.get, bit.get)),
    ),
  )

  const keepOpenWord = sequence(
    open.set(i64.shiftRight(words.get, N(63))),
    when(
      isNot(open.get),
      run.set(N(-1)),
      before.set(starts.get),
      runFromItsStart(openStart, openMask),
      openMask.set(i32.or(openMask.get, classesOfRun)),
    ),
  )

  return sequence(
    out.set(n(layout.marks)),
    place.set(n(layout.codes)),
    // A word at the end of the text ends at the zero behind it.
    repeat(
      i32.below(base.get, i32.add(length.get, n(1))),
      readBlock(block, place.get, local, constant),
      findWords,
      writeMarks,
      keepOpenWord,
      base.set(i32.add(base.get, n(64))),
      place.set(i32.add(place.get, n(128))),
    ),
    i32.add(out.get, n(-layout.marks)),
  )
}

/** Bits of 64 characters by their class. */
const makeBlock = (local: Writer['local']) => ({
  digits: local('i64'),
  uppers: local('i64'),
  lowers: local('i64'),
  underscores: local('i64'),
  wides: local('i64'),
  words: local('i64'),
  joiners: local('i64'),
  signs: local('i64'),
  quotes: local('i64'),
})

function readBlock(
  { digits, uppers, lowers, underscores, wides, words, joiners, signs, quotes }: ReturnType<typeof makeBlock>,
  place: Code,
  local: Writer['local'],
  constant: Writer['constant'],
): Code {
  const chars = local('v128')
  const sign = local('v128')
  const kinds = local('v128')
  const others = local('i64')
  const bit = local('i64')
  const classes = local('i32')
  const table = signTable()
  const every = (byte: number): Code => constant(new Array<number>(16).fill(byte))
  const everyPair = (pair: number): Code =>
    constant(Array.from({ length: 16 }, (_, at) => (pair >> (8 * (at % 2))) & 255))
  const within = (value: Code, first: string, last: string): Code =>
    v128.atMost(v128.sub(value, every(first.charCodeAt(0))), every(last.charCodeAt(0) - first.charCodeAt(0)))
  const quarters = [0, 1, 2, 3]
  const half = (quarter: number, which: number): Code => v128.load(place, quarter * 32 + which * 16)
  const add = (to: Local, quarter: number, found: Code): Code => {
    const bits = i64.fromI32(v128.bits(found))
    return to.set(quarter === 0 ? bits : i64.or(to.get, i64.shiftLeft(bits, N(quarter * 16))))
  }

  const readQuarter = (quarter: number): Code =>
    sequence(
      chars.set(v128.narrow(half(quarter, 0), half(quarter, 1))),
      add(digits, quarter, within(chars.get, '0', '9')),
      add(underscores, quarter, v128.equal(chars.get, every(0x5f))),
      add(uppers, quarter, within(chars.get, 'A', 'Z')),
      add(lowers, quarter, within(chars.get, 'a', 'z')),
      sign.set(
        v128.and(
          v128.pick(constant(table.byLowHalf), v128.and(chars.get, every(15))),
          v128.pick(constant(table.byHighHalf), v128.shiftRight(chars.get, 4)),
        ),
      ),
      add(joiners, quarter, v128.above(v128.and(sign.get, every(table.joiners)), every(0))),
      add(signs, quarter, v128.above(sign.get, every(table.joiners | table.quotes))),
      kinds.set(quarter === 0 ? sign.get : v128.or(kinds.get, sign.get)),
    )

  /** Characters beyond ASCII are looked up one by one. */
  const readOthers = sequence(
    ...quarters.map(quarter => {
      const isOther = (which: number): Code => v128.pairsAbove(half(quarter, which), everyPair(127))
      return add(others, quarter, v128.narrowBits(isOther(0), isOther(1)))
    }),
    repeat(
      isNot(others.get),
      bit.set(i64.and(others.get, i64.sub(N(0), others.get))),
      classes.set(
        i32.load8(
          i32.load16(i32.add(place, i32.shiftLeft(i32.fromI64(i64.trailingZeros(others.get)), n(1))), 0),
          layout.classes,
        ),
      ),
      wides.set(i64.or(wides.get, either(i32.and(classes.get, n(wideLetter)), bit.get, N(0)))),
      signs.set(i64.or(signs.get, either(i32.and(classes.get, n(foldable)), bit.get, N(0)))),
      others.set(i64.xor(others.get, bit.get)),
    ),
  )
  /** Quotes behind a space; most stretches of prose have no quote at all. */
  const readQuotes = sequence(
    ...quarters.map(quarter => {
      const before = i32.add(place, n(quarter * 32 - 2))
      const quote = (which: string): Code =>
        v128.equal(v128.narrow(half(quarter, 0), half(quarter, 1)), every(which.charCodeAt(0)))
      const afterSpace = v128.equal(v128.narrow(v128.load(before, 0), v128.load(before, 16)), every(0x20))
      return add(quotes, quarter, v128.and(v128.or(quote('"'), quote("'")), afterSpace))
    }),
  )
  const all = quarters.flatMap(quarter => [half(quarter, 0), half(quarter, 1)]).reduce(v128.or)

  return sequence(
    ...quarters.map(readQuarter),
    wides.set(N(0)),
    quotes.set(N(0)),
    when(v128.any(v128.and(kinds.get, every(table.quotes))), readQuotes),
    when(v128.any(v128.and(all, everyPair(0xff80))), readOthers),
    words.set([digits, uppers, lowers, underscores, wides].map(set => set.get).reduce(i64.or)),
  )
}

/**
 * Signs by the halves of their code: what both tables have a bit in common for is one. Each bit stands for the signs of
 * one class that share their upper half; bits up to `joiners` are of signs that join.
 */
function signTable() {
  const byLowHalf = new Array<number>(16).fill(0)
  const byHighHalf = new Array<number>(16).fill(0)
  let next = 1
  let joiners = 0
  let quotes = 0
  for (const bits of [joiner, anchor]) {
    for (let high = 0; high < 8; high++) {
      const lows = byLowHalf.flatMap((_, low) => ((classOf[high * 16 + low] ?? 0) & bits ? [low] : []))
      if (lows.length === 0) continue
      byHighHalf[high] = (byHighHalf[high] ?? 0) | next
      for (const low of lows) byLowHalf[low] = (byLowHalf[low] ?? 0) | next
      next <<= 1
    }
    if (bits !== joiner) continue
    joiners = next - 1
    // Between the two, so that a comparison tells signs from both.
    quotes = next
    byHighHalf[2] = (byHighHalf[2] ?? 0) | quotes
    for (const low of [2, 7]) byLowHalf[low] = (byLowHalf[low] ?? 0) | quotes
    next <<= 1
  }
  // Compared as signed bytes.
  if (next > 128) throw new Error('more kinds of signs than a byte has room for')
  return { byLowHalf, byHighHalf, joiners, quotes }
}
