/**
 * Where an item stands on its path: a string that sorts between those of its neighbours, so that an insertion touches
 * no other item. Eight digits of a whole number, then a fraction. Appending counts the number up, which keeps the
 * keys of ten thousand items short; only an insertion between adjacent numbers needs a fraction.
 */
export type Position = string

/** Sorts before every position: the cut of a branch that inherits nothing. */
export const beforeAll: Position = ''

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const base = digits.length
const width = 8
const middle = base ** width / 2

/** `count` positions in order, between two neighbours; an empty string or null stands for the start and the end. */
export function positionsBetween(before: Position | null, after: Position | null, count: number): Position[] {
  if (count === 0) return []
  if (before && after && before >= after) throw new Error(`no position between ${before} and ${after}`)
  const low = before ? split(before) : null
  const high = after ? split(after) : null
  if (low && high && low.whole === high.whole) {
    return fractionsBetween(low.fraction, high.fraction, count).map(fraction => key(low.whole, fraction))
  }
  if (!low) {
    const last = high ? high.whole - 1 : middle + count - 1
    return Array.from({ length: count }, (_, index) => key(last - count + 1 + index, ''))
  }
  const room = high ? high.whole - low.whole - 1 : Number.POSITIVE_INFINITY
  if (room >= count) return Array.from({ length: count }, (_, index) => key(low.whole + 1 + index, ''))
  return fractionsBetween(low.fraction, null, count).map(fraction => key(low.whole, fraction))
}

function key(whole: number, fraction: string): Position {
  let text = ''
  for (let rest = whole, place = 0; place < width; place++) {
    text = digits.charAt(rest % base) + text
    rest = Math.floor(rest / base)
  }
  return text + fraction
}

function split(position: Position): { whole: number; fraction: string } {
  let whole = 0
  for (const digit of position.slice(0, width)) whole = whole * base + digits.indexOf(digit)
  return { whole, fraction: position.slice(width) }
}

function fractionsBetween(low: string, high: string | null, count: number): string[] {
  if (count === 0) return []
  if (high === null) {
    const out: string[] = []
    for (let last = low; out.length < count; out.push(last)) last = next(last)
    return out
  }
  const left = Math.floor((count - 1) / 2)
  const mid = halfway(low, high)
  return [...fractionsBetween(low, mid, left), mid, ...fractionsBetween(mid, high, count - 1 - left)]
}

/** The next fraction upwards: one more in the last digit, or one digit more. */
function next(fraction: string): string {
  const last = digits.indexOf(fraction.slice(-1) || 'z')
  return fraction === '' || last === base - 1 ? `${fraction}1` : fraction.slice(0, -1) + digits.charAt(last + 1)
}

/** A fraction between two others. None ends in zero, so that there is always one more below. */
function halfway(low: string, high: string): string {
  let shared = ''
  for (let place = 0; ; place++) {
    const from = digits.indexOf(low.charAt(place) || '0')
    const to = place < high.length ? digits.indexOf(high.charAt(place)) : base
    if (from === to) {
      shared += digits.charAt(from)
      continue
    }
    if (to - from > 1) return shared + digits.charAt(Math.floor((from + to) / 2))
    // Adjacent digits: stay with the lower one and look for room behind it.
    return shared + digits.charAt(from) + next(low.slice(place + 1))
  }
}
