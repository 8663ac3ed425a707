import type { FieldMeaning } from '../../fields.ts'
import { classAt, codeAt } from '../codes.ts'
import type { Scan } from '../scan.ts'
import { commonWords, isTemplate, type Value } from './assigned-value.ts'

/** Passwords that are told by their place: in a call, in a list, in a key that is written as JSON. */

/** Last letters of the names below; most calls end otherwise and are not looked at. */
const lastLetters = new Uint8Array(128)
for (const letter of 'tnOhis') lastLetters[letter.charCodeAt(0)] = 1

const takesUser = /(?:^|[.\s>:(=])(?:login|\w{0,12}(?:Basic|Digest)Auth|basic_auth|PasswordAuthentication)$/
const takesHost = /(?:^|[.\s>:(=])(?:connect|(?:mysqli?|pg|ftp|ssh2)_\w{0,8}connect|getConnection|PDO|mysqli)$/
const pair = /\(\s{0,20}(["'])[^"'\n]{1,80}\1\s{0,8},\s{0,20}(["'])([^"'\n]{3,60})\2/y
const triple =
  /\(\s{0,20}(["'])[^"'\n]{1,200}\1\s{0,8},\s{0,20}(["'])[^"'\n]{1,80}\2\s{0,8},\s{0,20}(["'])([^"'\n]{3,60})\3/y

/** Called at `(` before a quote: `login("ali", "…")`, `connect("db1", "ali", "…")`. */
export function findArgument(scan: Scan, at: number): number {
  if (lastLetters[codeAt(at - 1) & 127] !== 1) return 0
  const before = scan.text.slice(Math.max(0, at - 28), at)
  const form = takesUser.test(before) ? pair : takesHost.test(before) ? triple : null
  return form ? keepLast(scan, form, at, /[\d!@#$%^&*?]/) : 0
}

/** `new NetworkCredential("user", "…")`, `auth=("user", "…")`: the second of the two. */
export const findCredentialPair = (scan: Scan, at: number): number => keepLast(scan, pair, at, /./)

function keepLast(scan: Scan, form: RegExp, at: number, least: RegExp): number {
  form.lastIndex = at
  const password = form.exec(scan.text)?.at(-1)
  const detector = scan.compiled.finders.password
  if (!password || !detector || !least.test(password) || commonWords.test(password) || isTemplate(password)) return 0
  const end = form.lastIndex - 1
  scan.found.push({
    start: end - password.length,
    end,
    type: detector.type,
    rule: detector.rule,
    score: detector.score,
  })
  scan.assignedTo = end
  return end
}

const mostItems = 20
const yamlItem = /\s{0,40}- {1,4}(["'`]?)([^\s"'`]{4,128})\1[ \t]{0,8}(?=[\r\n]|$)/y
const arrayItem = /[\s,]{0,40}(["'`])([^\s"'`]{4,128})\1(?=\s{0,40}[,\]])/y
const personalItem = /[\s,]{0,40}(?:(["'`])([^"'`\n]{2,80})\1|(\d{3,20}))(?=\s{0,40}[,\]])/y

/**
 * `passwords:` with a line for each, `tokens = ["…", "…"]`, `DataFrame({"pin": [4821]})`. Words alone may be names of
 * fields, or rules that a field has to keep.
 */
export function findItems(
  scan: Scan,
  at: number,
  name: string,
  meaning: FieldMeaning,
  report: (value: Value) => number,
): number {
  let from = at + 1
  while (codeAt(from) === 0x20 || codeAt(from) === 0x3d || codeAt(from) === 0x3e) from++
  const opens = codeAt(from)
  const personal = meaning.kind === 'personal'
  const inLines = (opens === 0x0a || opens === 0x0d) && /s$/i.test(name) && !personal
  const form = opens === 0x5b ? (personal ? personalItem : arrayItem) : inLines ? yamlItem : null
  if (!form || meaning.kind === 'weak-secret') return 0
  form.lastIndex = opens === 0x5b ? from + 1 : from
  let ends = 0
  for (let items = 0; items < mostItems; items++) {
    const match = form.exec(scan.text)
    const item = match?.[2] ?? match?.[3]
    if (item === undefined || isRule.test(item) || commonWords.test(item)) break
    const reached = form.lastIndex
    const start = scan.text.lastIndexOf(item, reached)
    let mask = 0
    for (let place = start; place < start + item.length; place++) mask |= classAt(place)
    if (isItem(meaning, item)) ends = report({ start, end: start + item.length, quoted: true, mask }) || ends
    form.lastIndex = reached
  }
  return ends
}

/** `min:8`, `This field is required.`: what is said about a field. */
const isRule = /^[a-z_]+:[\w,.]+$|\s.*[.!?]$/

const isItem = ({ kind, type }: FieldMeaning, item: string): boolean => {
  if (kind !== 'personal') return /[\d!@#$%^&*?]/.test(item)
  if (type === 'PERSON') return /^\p{Lu}/u.test(item)
  return type !== 'ADDRESS' || /\d/.test(item)
}

const privatePart = /"(?:d|k|p|q|dp|dq|qi)"\s{0,4}:\s{0,4}"([\w-]{20,1400})"/g
/** How far from its `kty` a part of a key may stand. */
const near = 2400

const isBrace = (code: number): boolean => code === 0x7b || code === 0x7d

/** Called at the colon of `"kty":`: the parts of a key in JSON that are not public. */
export function findJsonKey(scan: Scan, at: number): number {
  const detector = scan.compiled.finders.privateKey
  if (!detector) return 0
  // Up to the braces on both sides: a thousand keys in a row are each looked at once.
  let from = at
  while (from > 0 && at - from < near && !isBrace(codeAt(from - 1))) from--
  let to = at
  while (to < scan.length && to - at < near && !isBrace(codeAt(to))) to++
  const inside = scan.text.slice(from, to)
  privatePart.lastIndex = 0
  for (let match = privatePart.exec(inside); match; match = privatePart.exec(inside)) {
    const end = from + privatePart.lastIndex - 1
    scan.found.push({
      start: end - (match[1] ?? '').length,
      end,
      type: detector.type,
      rule: detector.rule,
      score: detector.score,
    })
  }
  return 0
}
