import type { Finding } from '../../contract/privacy.ts'

/** A stretch of a text that a model reads at once. It answers for the names that begin from `from` up to `to`. */
export interface Part {
  /** Where it begins in the whole text. */
  readonly start: number
  readonly text: string
  readonly from: number
  readonly to: number
}

/** Longer than this, some models read no further. */
const longest = 900
/** What two neighbours both read on either side of their border: a name there is seen whole by the one that it begins in. */
const overlap = 64

/**
 * Cuts a text that comes in chunks into parts. Where it is cut depends on the text alone, so that the same names are
 * found wherever the chunks end.
 */
export class PartCutter {
  /** From the start of the next part on. */
  #text = ''
  #start = 0
  #from = 0

  push(chunk: string): Part[] {
    this.#text += chunk
    const parts: Part[] = []
    let at = 0
    while (this.#text.length - at > longest) {
      const { end, border, next } = cutAt(this.#text, at)
      const to = this.#start + border
      parts.push({ start: this.#start + at, text: this.#text.slice(at, end), from: this.#from, to })
      this.#from = to
      at = next
    }
    this.#text = this.#text.slice(at)
    this.#start += at
    return parts
  }

  end(): Part[] {
    const to = this.#start + this.#text.length
    const last = { start: this.#start, text: this.#text, from: this.#from, to }
    this.#text = ''
    this.#start = to
    this.#from = to
    return last.to > last.from ? [last] : []
  }
}

export function partsOf(text: string): Part[] {
  const cutter = new PartCutter()
  return [...cutter.push(text), ...cutter.end()]
}

/** Of what was found in a part, what it answers for, with offsets in the whole text. */
export function ownedBy({ start, from, to }: Part, found: readonly Finding[]): Finding[] {
  return found
    .map(finding => ({ ...finding, start: finding.start + start, end: finding.end + start }))
    .filter(finding => finding.start >= from && finding.start < to)
}

/** More than `longest` characters follow `at`. */
function cutAt(text: string, at: number): { end: number; border: number; next: number } {
  const middle = at + longest / 2
  const end = lastBreak(text, middle, at + longest)
  const latest = end - overlap
  const sentence = Math.max(text.lastIndexOf('\n', latest - 1) + 1, text.lastIndexOf('. ', latest - 2) + 2)
  const border = sentence > middle ? sentence : lastBreak(text, middle, latest)
  return { end, border, next: lastBreak(text, border - 2 * overlap, border - overlap) }
}

/** Behind the last space between two places; where there is none, at the second one. */
function lastBreak(text: string, from: number, to: number): number {
  for (let at = to; at > from; at--) if (/\s/.test(text.charAt(at - 1))) return at
  return isInPair(text, to) ? to - 1 : to
}

/** A cut between the halves of a surrogate pair would give each side a broken character. */
const isInPair = (text: string, at: number): boolean =>
  (text.charCodeAt(at - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(at) & 0xfc00) === 0xdc00
