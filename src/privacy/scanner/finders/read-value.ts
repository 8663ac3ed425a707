import { nameStart } from '../../fields.ts'
import { word } from '../classes.ts'
import { classAt, codeAt } from '../codes.ts'
import type { Scan } from '../scan.ts'
import { endsSentence, isQuote, longestValue, type Value } from './assigned-value.ts'

/** Letters and signs right before the quote of a text: `b"…"`, `f"…"`, `@"…"`. */
const stringPrefix = new Uint8Array(128)
for (const sign of 'bfruL@') stringPrefix[sign.charCodeAt(0)] = 1

/** Where the value after the sign at `at` begins: past `=> `, `:= "`, `: |` and the line end behind that. */
function valueStart(scan: Scan, at: number): { from: number; quote: number } {
  const { length } = scan
  // `${TOKEN:-…}`
  let from =
    codeAt(at) === 0x3a && codeAt(at + 1) === 0x2d && (classAt(at + 2) & word || codeAt(at + 2) === 0x24)
      ? at + 2
      : at + 1
  // Blocks of YAML and elements of XML begin on the next line.
  let opensBlock = codeAt(at) === 0x3e
  let most = 7
  for (let skipped = 0; skipped < most && from < length; skipped++, from++) {
    const code = codeAt(from)
    if (isQuote(code)) return { from: from + 1, quote: code }
    if (code === 0x5c && (isQuote(codeAt(from + 1)) || codeAt(from + 1) === 0x5c)) continue
    if (stringPrefix[code & 127] && isQuote(codeAt(from + 1)) && !(classAt(from - 1) & word)) continue
    // Columns of settings are filled up with spaces.
    if (code === 0x20 && most < 24) most++
    if (code === 0x7c || code === 0x3e) opensBlock = true
    else if ((code === 0x0a || code === 0x0d) && opensBlock) most = 40
    else if ((code === 0x0a || code === 0x0d) && isNameInQuotes(at)) {
      const next = afterSpaces(from)
      return isQuote(codeAt(next)) ? { from: next + 1, quote: codeAt(next) } : { from: length, quote: 0 }
    } else if (code !== 0x20 && code !== 0x3d && code !== 0x3a && code !== 0x09) break
  }
  return { from, quote: 0 }
}

/** `"password" :` at the end of a line: JSON may break there. */
function isNameInQuotes(at: number): boolean {
  if (codeAt(at) !== 0x3a) return false
  let end = at
  while (at - end < 4 && codeAt(end - 1) === 0x20) end--
  return isQuote(codeAt(end - 1))
}

function afterSpaces(from: number): number {
  let at = from
  while (at - from < 40 && codeAt(at) <= 0x20 && codeAt(at) > 0) at++
  return at
}

/** The value after the sign at `at`, or null when nothing there can be one. */
export function readValue(scan: Scan, at: number): Value | null {
  const { from, quote } = valueStart(scan, at)
  return quote ? readQuoted(scan, at, from, quote) : readBare(scan, from)
}

function readQuoted(scan: Scan, at: number, opens: number, quote: number): Value | null {
  const tripled = codeAt(opens) === quote && codeAt(opens + 1) === quote
  const from = tripled ? opens + 2 : opens
  // The second quote of `""`, and the one that ends `"Password:"`.
  if (codeAt(from) === quote || (from === at + 2 && codeAt(at) === 0x3a && isInQuotes(at, quote))) return null
  const limit = Math.min(scan.length, from + longestValue)
  const depth = slashesBefore(opens - 1)
  let end = from
  let slashes = 0
  let escaped = -1
  for (; end < limit; end++) {
    const code = codeAt(end)
    if (code === 0x0a) break
    if (code === quote) {
      // A quote behind more of them than the first has belongs to the value: `"hun\"ter"`, and that inside a string.
      if (slashes <= depth) break
      if (escaped < 0) escaped = end
    }
    slashes = code === 0x5c ? slashes + 1 : 0
  }
  // Elsewhere than in code a value may end with one.
  if (codeAt(end) !== quote && escaped >= 0) {
    end = escaped
    slashes = 1
  }
  // JSON inside a string ends its values with `\"`.
  if (codeAt(end) === quote) end -= slashes
  if (end - from < 3) return null
  let mask = 0
  for (let place = from; place < end; place++) mask |= classAt(place)
  return { start: from, end, quoted: true, mask }
}

function slashesBefore(at: number): number {
  let slashes = 0
  while (slashes < 8 && codeAt(at - 1 - slashes) === 0x5c) slashes++
  return slashes
}

/** Whether the name right before the sign has this quote before it and none behind. */
function isInQuotes(at: number, quote: number): boolean {
  const start = nameStart(at)
  return start < at && codeAt(start - 1) === quote
}

/** In the query of an address the next name follows. */
const nextParameter = /^&(?:amp;)?[A-Za-z][\w.[\]-]{0,30}=/

function readBare(scan: Scan, from: number): Value | null {
  const { run } = scan
  const limit = Math.min(scan.length, from + longestValue)
  let end = Math.min(limit, run.knownFrom(from))
  for (; end < limit; end++) {
    const code = codeAt(end)
    if (code <= 0x20 || isQuote(code) || code === 0x2c || code === 0x3b || code === 0x3c) break
    if (code === 0x5d && !(classAt(end + 1) & word)) break
    if (code === 0x26 && nextParameter.test(scan.text.slice(end, end + 40))) break
  }
  run.goesTo(end)
  // No value without quotes is that long; what is inside such a run is looked at when its end comes near.
  if (end === from + longestValue) return null
  while (end > from && endsSentence(codeAt(end - 1))) end--
  if (end - from < 3 || !run.isWorth(end - from)) return null
  let mask = 0
  for (let place = from; place < end; place++) mask |= classAt(place)
  return { start: from, end, quoted: false, mask }
}
