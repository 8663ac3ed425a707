import type { Figure } from '../contract/chat.ts'
import type { CellId } from '../contract/ids.ts'

/** An output of the path, newest last. */
export interface Source {
  readonly cell: CellId
  readonly text: string
}

const unit = String.raw`(?:\s?%|\s?(?:percent|per cent|bps?|basis points|k|m|mn|bn|million|billion|thousand|EUR|USD|GBP|CHF)\b)`
const numberPattern = new RegExp(
  String.raw`(?<![\w.,#/-])(?<sign>[-−+]?)(?<currency>[€$£¥]\s?|(?:EUR|USD|GBP|CHF)\s)?(?<digits>\d{1,3}(?:[,  ']\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?:[eE][+-]?\d+)?(?<unit>${unit})?(?![\w/]|[.,]\d|-\d)`,
  'g',
)

/**
 * Matches the figures of an answer against what the path computed. A figure stands in an output when some number there,
 * as it is or as a share in percent, in thousands, millions or billions, rounds to it at the digits that it shows.
 */
export function findFigures(text: string, sources: readonly Source[]): Figure[] {
  const quoted = [...text.matchAll(/```[\s\S]*?(?:```|$)|`[^`\n]*`|\[[A-Z][A-Z0-9_]*_\d+\]|https?:\/\/\S+/g)].map(
    match => ({
      start: match.index,
      end: match.index + match[0].length,
    }),
  )
  const computed = numbersOf(sources)
  const figures: Figure[] = []
  for (const match of text.matchAll(numberPattern)) {
    const start = match.index
    const end = start + match[0].length
    if (quoted.some(span => span.start < end && start < span.end)) continue
    const { digits = '', unit: said = '', currency } = match.groups ?? {}
    if (!isFigure(text, start, digits, said, currency)) continue
    figures.push({
      start,
      end,
      cell: cellWith(Number(digits.replace(/[,  ']/g, '')), decimalsOf(digits), said, computed),
    })
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

interface Computed {
  readonly value: number
  readonly cell: CellId
}

/** More numbers than this in the outputs of a path are a table that nobody quotes from the end of. */
const mostNumbers = 100_000

function numbersOf(sources: readonly Source[]): Computed[] {
  const computed: Computed[] = []
  for (const { cell, text } of sources.toReversed()) {
    for (const [found] of text.matchAll(/\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g)) {
      if (computed.length >= mostNumbers) break
      const value = Number(found.replaceAll(',', ''))
      if (Number.isFinite(value)) computed.push({ value, cell })
    }
  }
  // Stable: of equal values the newest cell stays first.
  return computed.sort((a, b) => a.value - b.value)
}

const scales = (said: string): readonly number[] => {
  const word = said.trim().toLowerCase()
  if (/^(?:%|percent|per cent)$/.test(word)) return [1, 100]
  if (/^b(?:ps?|asis)/.test(word)) return [1, 100, 10_000]
  if (/^(?:k|thousand)$/.test(word)) return [1, 1e-3]
  if (/^(?:m|mn|million)$/.test(word)) return [1, 1e-6, 1e-3]
  if (/^(?:bn|billion)$/.test(word)) return [1, 1e-9, 1e-6]
  return [1]
}

/** The cell with a number that, scaled, rounds to the figure at its decimals. */
function cellWith(figure: number, decimals: number, said: string, computed: readonly Computed[]): CellId | null {
  for (const scale of scales(said)) {
    const half = (0.5 * 10 ** -decimals) / scale
    const wanted = figure / scale
    const slack = Math.abs(wanted) * 1e-12
    const at = firstFrom(computed, wanted - half - slack)
    const found = computed[at]
    if (found && found.value <= wanted + half + slack) return found.cell
  }
  return null
}

function firstFrom(computed: readonly Computed[], least: number): number {
  let low = 0
  let high = computed.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((computed[middle]?.value ?? 0) < least) low = middle + 1
    else high = middle
  }
  return low
}
