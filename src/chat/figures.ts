import type { Figure } from '../contract/chat.ts'
import type { CellId } from '../contract/ids.ts'

/** An output of the path, or a piece of one. */
export interface Source {
  readonly cell: CellId
  readonly text: string
}

const unit = String.raw`(?:\s?%|\s?(?:percent|per cent|bps?|basis points|k|m|mn|bn|million|billion|thousand|EUR|USD|GBP|CHF)\b)`
const numberPattern = new RegExp(
  String.raw`(?<![\w.,#/-])(?<sign>[-−+]?)(?<currency>[€$£¥]\s?|(?:EUR|USD|GBP|CHF)\s)?(?<digits>\d{1,3}(?:[,  ']\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?:[eE][+-]?\d+)?(?<unit>${unit})?(?![\w/]|[.,]\d|-\d)`,
  'g',
)

/** A figure of an answer, and the values that would round to it, by how they would have to be scaled. */
interface Wanted {
  readonly start: number
  readonly end: number
  readonly ranges: readonly { readonly least: number; readonly most: number }[]
  /** The cell of the newest number that fits, and the place of the range that it is in: an earlier one fits better. */
  found: { readonly cell: CellId; readonly range: number } | null
}

interface Interval {
  readonly least: number
  readonly most: number
  readonly wanted: Wanted
  readonly range: number
  /** The largest `most` up to here. */
  reach: number
}

/**
 * Matches the figures of answers against what the path computed. A figure stands in an output when some number there,
 * as it is or as a share in percent, in thousands, millions or billions, rounds to it at the digits that it shows.
 * Outputs are looked at one after the other and not kept: they can be far larger than what is said of them.
 */
export class FigureSearch {
  readonly #texts: readonly Wanted[][]
  readonly #intervals: readonly Interval[]
  #missing: number

  constructor(texts: readonly string[]) {
    this.#texts = texts.map(wantedIn)
    const all = this.#texts.flat()
    this.#missing = all.length
    const intervals = all.flatMap(wanted =>
      wanted.ranges.map(({ least, most }, range) => ({ least, most, wanted, range, reach: most })),
    )
    intervals.sort((a, b) => a.least - b.least)
    for (const [at, each] of intervals.entries())
      each.reach = Math.max(each.most, intervals[at - 1]?.reach ?? -Infinity)
    this.#intervals = intervals
  }

  /** Every figure has a number that it needs no scale for: an older output changes nothing. */
  get isOver(): boolean {
    return this.#missing === 0
  }

  /** Looks at a piece of an output; the newest first. */
  look({ cell, text }: Source): void {
    for (const [found] of text.matchAll(/\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g)) {
      if (this.isOver) return
      this.#note(Number(found.replaceAll(',', '')), cell)
    }
  }

  /** The figures of each text, in its order. */
  figures(): Figure[][] {
    return this.#texts.map(each => each.map(({ start, end, found }) => ({ start, end, cell: found?.cell ?? null })))
  }

  #note(value: number, cell: CellId): void {
    for (let at = firstAbove(this.#intervals, value) - 1; at >= 0; at--) {
      const interval = this.#intervals[at]
      if (!interval || interval.reach < value) return
      const { most, wanted, range } = interval
      if (value > most || (wanted.found && wanted.found.range <= range)) continue
      if (range === 0) this.#missing--
      wanted.found = { cell, range }
    }
  }
}

/** The figures of one text. Those of code, of tokens and of addresses are none. */
function wantedIn(text: string): Wanted[] {
  const quoted = [...text.matchAll(/```[\s\S]*?(?:```|$)|`[^`\n]*`|\[[A-Z][A-Z0-9_]*_\d+\]|https?:\/\/\S+/g)].map(
    match => ({
      start: match.index,
      end: match.index + match[0].length,
    }),
  )
  const figures: Wanted[] = []
  for (const match of text.matchAll(numberPattern)) {
    const start = match.index
    const end = start + match[0].length
    if (quoted.some(span => span.start < end && start < span.end)) continue
    const { digits = '', unit: said = '', currency } = match.groups ?? {}
    if (!isFigure(text, start, digits, said, currency)) continue
    const value = Number(digits.replace(/[,  ']/g, ''))
    figures.push({ start, end, ranges: rangesOf(value, decimalsOf(digits), said), found: null })
  }
  return figures
}

/** Years, counts on one hand, list numbers and "Q3" are words; what has decimals, a unit or size is a figure. */
function isFigure(text: string, start: number, digits: string, said: string, currency: string | undefined): boolean {
  if (currency || said || digits.includes('.') || /[,  ']/.test(digits)) {
    const isListNumber =
      /(?:^|\n)\s*$/.test(text.slice(Math.max(0, start - 20), start)) &&
      /^\s*\./.test(text.slice(start + digits.length))
    return !isListNumber
  }
  return digits.length >= 3 && !/^(?:19|20)\d\d$/.test(digits)
}

const decimalsOf = (digits: string): number => digits.split('.')[1]?.length ?? 0

const scales = (said: string): readonly number[] => {
  const word = said.trim().toLowerCase()
  if (/^(?:%|percent|per cent)$/.test(word)) return [1, 100]
  if (/^b(?:ps?|asis)/.test(word)) return [1, 100, 10_000]
  if (/^(?:k|thousand)$/.test(word)) return [1, 1e-3]
  if (/^(?:m|mn|million)$/.test(word)) return [1, 1e-6, 1e-3]
  if (/^(?:bn|billion)$/.test(word)) return [1, 1e-9, 1e-6]
  return [1]
}

/** What rounds to a figure at its decimals, by each of the scales that its unit allows. */
function rangesOf(figure: number, decimals: number, said: string): Wanted['ranges'] {
  return scales(said).map(scale => {
    const half = (0.5 * 10 ** -decimals) / scale
    const wanted = figure / scale
    const slack = Math.abs(wanted) * 1e-12
    return { least: wanted - half - slack, most: wanted + half + slack }
  })
}

/** The place of the first interval that begins above a value. */
function firstAbove(intervals: readonly Interval[], value: number): number {
  let low = 0
  let high = intervals.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((intervals[middle]?.least ?? 0) <= value) low = middle + 1
    else high = middle
  }
  return low
}
