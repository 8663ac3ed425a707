import type { Finding } from '../../contract/privacy.ts'
import { longestKeyBlock } from './finders/keys.ts'

/**
 * A long text is scanned in pieces, and a stream is nothing but pieces. What is found in a piece holds for the whole
 * text up to a cut: a place that no value reaches over and beyond which nothing can change the answer.
 */

/** How much decided text a piece begins with: more than any value with spaces in it is long. */
const before = 768
/** How much undecided text stays behind: a value may go on in it, or a word in it may speak for a value before. */
export const reach = 640
/** More than the longest value without a space, a token of 64 KB. An unbroken line longer than this is cut all the same. */
const longestRun = 81_920

const isSpace = (code: number): boolean => code === 0x20 || (code >= 0x09 && code <= 0x0d)

/** Where the piece that continues at `decided` has to begin: after a space, so that no word is cut. */
export function contextStart(text: string, decided: number): number {
  if (decided <= before) return 0
  let start = decided - before
  while (start < decided && !isSpace(text.charCodeAt(start - 1))) start++
  return start === decided ? decided - before : start
}

/** Up to where the findings in a piece that is not the last hold; never before `decided`, nor behind `limit`. */
export function cutPoint(piece: string, found: readonly Finding[], decided: number, limit = piece.length): number {
  let cut = Math.max(decided, Math.min(limit, piece.length - reach))
  // A word or key under way belongs to one side.
  const least = Math.max(decided, cut - longestRun)
  let start = cut
  while (start > least && !isSpace(piece.charCodeAt(start - 1))) start--
  if (start > least || least === decided) cut = start
  const block = lastBlock(piece, Math.max(decided, piece.length - longestKeyBlock), cut)
  if (block >= 0 && piece.indexOf('-----END', block) < 0) cut = block
  for (let at = found.length - 1; at >= 0; at--) {
    const finding = found[at]
    if (finding && finding.start < cut && finding.end > cut) cut = Math.max(decided, finding.start)
  }
  return avoidSplitPair(piece, cut)
}

/**
 * Where the last key block begins that may be under way, or -1. It is searched for from the front, and by a letter that
 * is rare: backwards, or by its hyphens, takes several times as long, and each piece is searched.
 */
function lastBlock(piece: string, from: number, to: number): number {
  let last = -1
  for (let at = piece.indexOf('BEGIN', from + 5); at >= 0 && at - 5 <= to; at = piece.indexOf('BEGIN', at + 5))
    if (piece.startsWith('-----', at - 5)) last = at - 5
  return last
}

/** A cut between the halves of a surrogate pair would give each side a broken character. */
const avoidSplitPair = (piece: string, cut: number): number =>
  cut > 0 && (piece.charCodeAt(cut - 1) & 0xfc00) === 0xd800 && (piece.charCodeAt(cut) & 0xfc00) === 0xdc00
    ? cut - 1
    : cut

/** Adds what lies between `decided` and `cut`, moved to offsets in the whole text. */
export function addDecided(
  all: Finding[],
  inPiece: readonly Finding[],
  from: number,
  decided: number,
  cut: number,
): void {
  for (const finding of inPiece) {
    const start = finding.start + from
    const end = finding.end + from
    if (start >= decided && end <= cut) all.push({ ...finding, start, end })
  }
}
