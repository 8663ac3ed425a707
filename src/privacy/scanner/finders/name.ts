import {
  ambiguousFirstNames,
  closings,
  firstNames,
  labels,
  lastNames,
  notNames,
  salutations,
  titles,
} from '../../names/lists.ts'
import { classOf, letter, lower, upper, wideLetter } from '../classes.ts'
import { codeAt } from '../codes.ts'
import type { Finders } from '../compile.ts'
import type { Scan } from '../scan.ts'

/** What a capitalised word is known as, one bit each. */
const first = 1
const ambiguous = 2
const last = 4
const title = 8
const salutation = 16
const closing = 32
const label = 64
const notName = 128

const longestOpener = 14

let known: ReadonlyMap<string, number> | null = null

/** What each word is known as. Put together when first needed. */
function dictionary(): ReadonlyMap<string, number> {
  if (known) return known
  const kinds = new Map<string, number>()
  const learn = (words: string, kind: number): void => {
    for (const word of words.split(' ')) kinds.set(word, (kinds.get(word) ?? 0) | kind)
  }
  learn(firstNames, first)
  learn(ambiguousFirstNames, ambiguous)
  learn(lastNames, last)
  learn(titles, title)
  learn(salutations, salutation)
  learn(closings, closing)
  learn(labels, label)
  learn(notNames, notName)
  known = kinds
  return kinds
}

/** Words that `findName` begins something at. A surname alone begins nothing. */
export const openers = (): string[] =>
  [...dictionary()].flatMap(([word, kind]) => (kind & ~(last | notName) ? [word] : []))

/** Called at a word with a capital first letter. */
export function findName(scan: Scan, start: number, end: number): void {
  const { text } = scan
  if (end - start > longestOpener) return
  const kind = dictionary().get(text.slice(start, end)) ?? 0
  if (!(kind & ~(last | notName))) {
    // `my name is Xiulan`: what no list knows is believed after these words alone.
    if (codeAt(start - 2) === 0x73 && text.startsWith('name is ', start - 8))
      keep(scan, 'nameIntroduced', start, nameEnd(text, start, 3))
    return
  }
  if (kind & title) afterTitle(scan, end)
  else if (kind & salutation) afterSalutation(scan, end)
  else if (kind & closing) afterClosing(scan, end)
  else if (kind & label) afterLabel(scan, end)
  if (kind & (first | ambiguous)) knownFirstName(scan, start, end, kind)
}

/** `Dr. Jane Doe`, `Mr Smith`: up to three words after the title. */
function afterTitle(scan: Scan, end: number): void {
  const { text } = scan
  let at = end
  if (text.charCodeAt(at) === 0x2e) at++
  if (text.charCodeAt(at) !== 0x20) return
  const ends = nameEnd(text, at + 1, 3)
  if (ends > 0) keep(scan, 'nameTitle', at + 1, ends)
}

/** `Dear Jane,`: a sign must end it, or `Hello World peace` would be greeted. */
function afterSalutation(scan: Scan, end: number): void {
  const { text } = scan
  if (text.charCodeAt(end) !== 0x20) return
  const ends = nameEnd(text, end + 1, 2)
  if (ends > 0 && /^(?: ?[,!:–-]|\s*\n|\s*$)/.test(text.slice(ends, ends + 3)))
    keep(scan, 'nameSalutation', end + 1, ends)
}

function afterClosing(scan: Scan, end: number): void {
  const { text } = scan
  const gap = /^[,.!]?[ \t]{0,4}(?:\r?\n[ \t]{0,8}){1,3}/.exec(text.slice(end, end + 32))
  if (!gap) return
  const start = end + gap[0].length
  const ends = nameEnd(text, start, 4)
  if (ends > 0 && /^[ \t]{0,4}(?:\r?\n|$|,)/.test(text.slice(ends, ends + 6))) keep(scan, 'nameSignature', start, ends)
}

/** `Patient: Jane Doe`: two words, or one that is known. */
function afterLabel(scan: Scan, end: number): void {
  const { text } = scan
  const gap = /^(?: name)?[ \t]{0,2}:[ \t]{1,4}/i.exec(text.slice(end, end + 16))
  if (!gap) return
  const start = end + gap[0].length
  const ends = nameEnd(text, start, 4)
  if (ends === 0) return
  const word = text.slice(start, ends)
  if (word.includes(' ') || (dictionary().get(word) ?? 0) & (first | last)) keep(scan, 'nameLabel', start, ends)
}

const introduced =
  /(?:[Nn]ame is|[Nn]amed|[Cc]alled|I'm|I am|[Tt]his is|[Tt]hanks,|[Hh]i,|signed by|on behalf of|attention of) $/

function knownFirstName(scan: Scan, start: number, end: number, kind: number): void {
  const { text } = scan
  if (text.charCodeAt(start - 1) === 0x20 && startsOf(scan, start)) return
  const ends = nameEnd(text, start, 3)
  if (ends > end) {
    const lastWord = text.slice(text.lastIndexOf(' ', ends - 1) + 1, ends)
    const surname = (dictionary().get(lastWord) ?? 0) & last
    if (kind & ambiguous && !surname) return
    keep(scan, surname ? 'nameKnown' : 'nameFirst', start, ends)
  } else if (!(kind & ambiguous) && introduced.test(text.slice(Math.max(0, start - 14), start)))
    keep(scan, 'nameIntroduced', start, end)
}

/** The word is inside a name that was found from an earlier word. */
const startsOf = (scan: Scan, start: number): boolean => {
  const before = scan.found.at(-1)
  return before !== undefined && before.type === 'PERSON' && before.end > start
}

const makesAPlace =
  /^(?:Street|Road|University|Avenue|Hospital|Bank|Inc|Ltd|Corp|Company|River|Airport|College|School|Museum|Park|Foundation|Institute|Square|Lane|Drive)$/

/** Where up to `most` capitalised words that may be a name end; 0 when the first is none. */
function nameEnd(text: string, start: number, most: number): number {
  let at = start
  let ends = 0
  for (let count = 0; count < most; count++) {
    const stop = wordEnd(text, at)
    if (stop === 0) break
    const word = text.slice(at, stop)
    const kind = dictionary().get(word) ?? 0
    if (kind & notName && !(kind & last) && !(count === 0 && kind & (first | ambiguous))) {
      return count === 0 || makesAPlace.test(word) ? 0 : ends
    }
    ends = stop
    at = stop
    // An initial: `John Q. Public`.
    if (text.charCodeAt(at) === 0x2e && word.length === 1) at++
    if (text.charCodeAt(at) !== 0x20) break
    at++
  }
  return ends
}

const particles =
  /(?:von der|von|van der|van den|van|de la|de los|de|del|della|di|da|dos|du|la|le|bin|binti|al|el|Ó|Ní|Mac|st\.) /y

/** End of one word of a name: a capital, then small letters; hyphens and apostrophes join two. */
function wordEnd(text: string, start: number): number {
  particles.lastIndex = start
  let at = particles.test(text) ? particles.lastIndex : start
  const begin = at
  while (at < text.length && at - begin < 24) {
    const code = text.charCodeAt(at)
    const bits = classOf[code] ?? 0
    const joins =
      (code === 0x27 || code === 0x2019 || code === 0x2d) &&
      at > begin &&
      ((classOf[text.charCodeAt(at + 1)] ?? 0) & (letter | wideLetter)) !== 0
    if (at === begin ? !(bits & (upper | wideLetter)) : !(bits & (letter | wideLetter)) && !joins) break
    at++
  }
  if (at === begin) return 0
  const word = text.slice(begin, at)
  // `ACME` is no name; `O'Brien`, `McCarthy` and `J` are.
  if (word.length > 1 && !((classOf[word.charCodeAt(word.length - 1)] ?? 0) & (lower | wideLetter))) return 0
  return word.endsWith("'s") || word.endsWith('’s') ? at - 2 : at
}

function keep(scan: Scan, rule: keyof Finders, start: number, end: number): void {
  if (end <= start) return
  const detector = scan.compiled.finders[rule]
  if (detector) scan.keep(detector, start, end)
}
