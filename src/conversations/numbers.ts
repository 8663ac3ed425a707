import type { NumberPair } from '../contract/conversations.ts'
import type { Output } from '../contract/run.ts'
import { textOf } from './outputs.ts'

/** Numbers that a person reads in an output, with what they are called there. */
export interface Labelled {
  readonly label: string
  readonly value: number
  readonly unit: string
  /** As it was printed. */
  readonly shown: string
}

const maxNumbers = 2000
const maxChars = 200_000
// Thousands in groups of three or plain digits, a fraction, an exponent; not the 1 of `cet1` nor the parts of 10.0.0.1.
const pattern =
  /(?<![\w.,])(?<sign>[-+−]?)(?<currency>[$€£¥]?)(?<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)(?<power>[eE][-+]?\d+)?(?!(?!bps?\b)\w|[.,]\d)(?<percent>[  ]?%|[  ]?(?:bp|bps)\b)?/g

export function numbersIn(outputs: readonly Output[]): Labelled[] {
  const found: Labelled[] = []
  for (const output of outputs) {
    const data = output.type === 'display' || output.type === 'result' ? output.data : {}
    const json = data['application/json'] ?? data['application/vnd.dataresource+json']
    if (json !== undefined) inJson(json, '', found)
    else inText(textOf(output).slice(0, maxChars), found)
    if (found.length >= maxNumbers) break
  }
  return found.slice(0, maxNumbers)
}

/** Puts numbers of the same label side by side, the first with the first, the second with the second. */
export function pairNumbers(left: readonly Output[], right: readonly Output[]): NumberPair[] {
  const waiting = new Map<string, Labelled[]>()
  for (const number of numbersIn(right)) {
    const key = `${number.label} ${number.unit}`
    const list = waiting.get(key)
    if (list) list.push(number)
    else waiting.set(key, [number])
  }
  return numbersIn(left).flatMap(number => {
    const other = waiting.get(`${number.label} ${number.unit}`)?.shift()
    return other ? pair(number, other) : []
  })
}

function pair(left: Labelled, right: Labelled): NumberPair {
  const absolute = exactDifference(left.value, right.value)
  return {
    label: left.label,
    left: left.value,
    right: right.value,
    unit: left.unit,
    absolute,
    relative: left.value === 0 ? null : absolute / Math.abs(left.value),
  }
}

/** 11.84 - 12.91 is -1.07 to a reader, not -1.0700000000000003: no more decimals than the two have. */
function exactDifference(left: number, right: number): number {
  const decimals = Math.max(decimalsOf(left), decimalsOf(right))
  const difference = right - left
  return decimals > 15 ? difference : Number(difference.toFixed(decimals))
}

function decimalsOf(value: number): number {
  const [digits = '', power = '0'] = String(value).split('e')
  return Math.max(0, (digits.split('.')[1]?.length ?? 0) - Number(power))
}

function inText(text: string, found: Labelled[]): void {
  for (const line of text.split('\n')) {
    let from = 0
    for (const match of line.matchAll(pattern)) {
      const { sign = '', currency = '', digits = '', power = '', percent = '' } = match.groups ?? {}
      const value = Number(`${sign === '−' ? '-' : sign}${digits.replaceAll(',', '')}${power}`)
      const end = match.index + match[0].length
      // "Headroom over 7.0%: 5.91%": this figure belongs to the name of the next.
      if (isOfLabel(line.slice(from, match.index), line.slice(end, end + longestLabel))) continue
      const label = labelOf(line.slice(from, match.index))
      from = end
      if (Number.isFinite(value)) found.push({ label, value, unit: percent.trim() || currency, shown: match[0].trim() })
      if (found.length >= maxNumbers) return
    }
  }
}

const longestLabel = 80

/** Whether a figure stands in the middle of a label: words before it, and after it nothing but words up to the colon. */
const isOfLabel = (before: string, after: string): boolean =>
  /[A-Za-z]/.test(before) && /^(?:(?! {2})[^\d:=,;|│\t])*(?::|[ )]=)\s+[-+−]?[$€£¥]?\.?\d/.test(after)

function labelOf(text: string): string {
  return text
    .replace(/[\s│|:=(),;[\]{}]+/g, ' ')
    .trim()
    .slice(-longestLabel)
}

function inJson(json: unknown, label: string, found: Labelled[], depth = 0): void {
  if (found.length >= maxNumbers || depth > 20) return
  if (typeof json === 'number') found.push({ label, value: json, unit: '', shown: String(json) })
  else if (Array.isArray(json))
    for (const [index, each] of json.entries()) inJson(each, `${label}[${index}]`, found, depth + 1)
  else if (json && typeof json === 'object') {
    for (const [key, each] of Object.entries(json)) inJson(each, label ? `${label}.${key}` : key, found, depth + 1)
  }
}
