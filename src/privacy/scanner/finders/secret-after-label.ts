import { type FieldMeaning, meaningOf, tellingName } from '../../fields.ts'
import { classOf } from '../classes.ts'
import { classAt, codeAt } from '../codes.ts'
import { isPlaceholder } from '../plausible.ts'
import type { Scan } from '../scan.ts'
import { meaningAt } from './assigned-name.ts'
import { commonWords, endsSentence, isQuote, isRandom, isTemplate, longestValue, type Value } from './assigned-value.ts'
import { report } from './assignment.ts'
import { findBehindOption, findEchoed, isShortOption } from './option.ts'

/** Values that stand behind a name with nothing but a space between: options, sentences, statements. */

const tellers =
  /(?:^|[^\w-])(?:-{1,2}([A-Za-z][\w-]{2,40})|([A-Z][A-Z0-9]{1,20}(?:_[A-Z0-9]{1,20}){1,4})|(?:ENV|export|set) ([A-Za-z_]\w{2,40})|login\s{1,12}\S{1,60}\s{1,12}(password)|([A-Za-z][\w-]{2,30}(?: [A-Za-z]{3,12})?) (?:is|was)) ["'`]?$/

/** A statement of SQL and a command of PowerShell give a password to no name at all. */
const statements =
  /identified (?:with \S{1,40} )?by ["'`\\]{0,2}$|SecureString (?:-\w{1,12} ){0,3}["'`\\]{0,2}$|community ["']?$|enable (?:secret|password) $|(?:password|secret|key) [05789] $/i

/** The cheap look at the word that ends at `end`: `is`, `was`, `by`, `…String`, `community`, or a name that may mean something. */
function mayTell(end: number): boolean {
  const last = codeAt(end - 1) | 32
  if (last === 0x73 && (codeAt(end - 3) === 0x20 || codeAt(end - 4) === 0x20)) return true
  return isTelling(end) || mayState(end, last)
}

/** `by`, `…String`, `-Force`, `community`, by their ends. */
function mayState(end: number, last: number): boolean {
  // `password 7 …` in the settings of a router.
  if (codeAt(end - 2) === 0x20 && (last & 0x70) === 0x30) return codeAt(end - 3) === 0x64 || codeAt(end - 3) === 0x74
  if (last === 0x79) return (codeAt(end - 3) === 0x20 && (codeAt(end - 2) | 32) === 0x62) || codeAt(end - 4) === 0x6e
  if (last === 0x67) return codeAt(end - 6) === 0x53
  return last === 0x65 && codeAt(end - 6) === 0x2d && codeAt(end - 5) === 0x46
}

/** `password ---- 8f3a…`, `token - 8f3a…`: where the name before the dashes ends. */
function beforeDash(end: number): number {
  if (codeAt(end - 1) !== 0x2d && codeAt(end - 1) !== 0x20) return end
  let at = end
  let dashes = 0
  for (; end - at < 32 && (codeAt(at - 1) === 0x2d || codeAt(at - 1) === 0x20); at--) dashes += codeAt(at - 1) & 1
  return dashes ? at : end
}

function isTelling(end: number): boolean {
  const start = tellingName(end)
  return start >= 0 && end - start > 1
}

/** Called at a word of letters and digits behind a space: `--token 8f3a…`, `ENV API_TOKEN 8f3a…`, `the password is …`. */
export function findSecretAfterLabel(scan: Scan, start: number): number {
  const { text } = scan
  if (start < scan.assignedTo) return 0
  const behind = beforeDash(isQuote(codeAt(start - 1)) ? start - 2 : start - 1)
  if (isShortOption(behind)) return findBehindOption(scan, start, behind)
  if (!mayTell(behind)) return codeAt(behind - 1) === 0x6f && codeAt(behind - 2) === 0x68 ? findEchoed(scan, start) : 0
  const before = text.slice(Math.max(0, start - 64), start)
  const told = tellers.exec(before)
  const value = readWord(scan, start)
  if (told) {
    const name = told.slice(1).find(Boolean) ?? ''
    const meaning = meaningOf(name)
    if (isSecretOrPassword(meaning)) {
      // With its hyphens an option is one for good, and takes what is no word of a language.
      const option = told[1] && !/^[A-Za-z]?[a-z]+$/.test(text.slice(value.start, value.end)) ? `--${name}` : name
      const end = report(scan, option, meaning, value)
      if (end) return end
    }
  }
  const plain = text.slice(value.start, value.end)
  if (statements.test(before)) return isStated(plain) ? keep(scan, 'password', value) : 0
  const from = tellingName(behind)
  if (from < 0 || from === behind) return 0
  const meaning = meaningAt(scan, from, behind)
  if (!meaning) return 0
  const name = text.slice(from, behind)
  if (isDirective(text, from, name, value)) return report(scan, name, meaning, value)
  if (!isSurely(plain, value, meaning.kind, name)) return 0
  return keep(scan, meaning.kind === 'password' ? 'password' : 'secret', value)
}

/** `requirepass …`, `bindpw …`: a line of the settings of a server that is nothing but a name and its value. */
const isDirective = (text: string, from: number, name: string, value: Value): boolean =>
  name.length > 5 &&
  /(?:pass|pw|auth|[._]password)$/i.test(name) &&
  value.start - from === name.length + 1 &&
  /(?:^|\n)[ \t]*$/.test(text.slice(Math.max(0, from - 12), from)) &&
  /^[ \t]*(?:[\r\n]|$)/.test(text.slice(value.end, value.end + 8))

/** Names that a value in quotes stands behind in Gradle, in SQL and in files of servers; no verbs, which are calls. */
const settingName =
  /^(?!(?:check|validate|get|set|verify|reset|change|prompt|read|confirm|forgot|new|old|is|has|hash|encrypt)[A-Z_])(?:[\w-]*[_.-])?\w*(?:[Pp]assword|PASSWORD|[Pp]assphrase|[Pp]wd)$/

/** Called at a quote behind a word: `password 'sesame'`, `the password is "sesame"`, `identified by 'sesame'`. */
export function findQuoted(scan: Scan, at: number): void {
  const { text } = scan
  const quote = codeAt(at)
  if (at < scan.assignedTo || !mayTell(at - 1)) return
  let end = at + 1
  let mask = 0
  for (; end - at < 130 && codeAt(end) !== quote; end++) {
    if (codeAt(end) < 0x20) return
    mask |= classAt(end)
  }
  const value = { start: at + 1, end, quoted: true, mask }
  const plain = text.slice(value.start, end)
  if (plain.length < 4 || codeAt(end) !== quote) return
  const before = text.slice(Math.max(0, at - 64), at + 1)
  const told = tellers.exec(before)
  const name = told?.slice(1).find(Boolean) ?? ''
  const meaning = name ? meaningOf(name) : null
  if (isSecretOrPassword(meaning)) report(scan, name, meaning, value)
  else if (statements.test(before)) {
    if (isStated(plain)) keep(scan, 'password', value)
  } else setBehindName(scan, at - 1, value)
}

function setBehindName(scan: Scan, end: number, value: Value): void {
  const from = tellingName(end)
  if (from < 0 || from === end || isQuote(codeAt(from - 1))) return
  const name = scan.text.slice(from, end)
  const meaning = meaningAt(scan, from, end)
  if (
    meaning?.kind === 'password' ? settingName.test(name) : meaning?.kind === 'secret' && value.end - value.start > 11
  )
    report(scan, name, meaning as FieldMeaning, value)
}

const isSecretOrPassword = (meaning: FieldMeaning | null): meaning is FieldMeaning =>
  meaning?.kind === 'secret' || meaning?.kind === 'password'

export function keep(scan: Scan, rule: 'password' | 'secret', { start, end }: Value): number {
  const detector = scan.compiled.finders[rule]
  if (!detector) return 0
  scan.found.push({ start, end, type: detector.type, rule: detector.rule, score: detector.score })
  scan.assignedTo = end
  return end
}

export const isStated = (plain: string): boolean =>
  plain.length >= 4 && plain.length < 128 && !isTemplate(plain) && !isPlaceholder(plain) && !commonWords.test(plain)

/** Without a sign between name and value the value must speak for itself: prose is full of `token ring` and `key 2`. */
function isSurely(plain: string, value: Value, kind: FieldMeaning['kind'], name: string): boolean {
  if (isTemplate(plain) || isPlaceholder(plain) || /[()[\]{}<>;]|^\W|=(?!=?$)/.test(plain)) return false
  const digits = plain.replace(/\D/g, '').length
  switch (kind) {
    case 'password':
      if (plain.length < 6 || plain.length > 64 || /[/\\]|^[\d.:,-]+$|^[A-Z\d_-]+$|\.\w{1,4}$/.test(plain)) return false
      return /[!@#$%^&*~+?]/.test(plain) || (digits > 1 && /[a-z]/.test(plain) && /[A-Z]/.test(plain)) || digits > 7
    case 'secret':
      return plain.length >= 14 && digits > 1 && !/[/:]/.test(plain) && isRandom(plain, value, true)
    case 'weak-secret':
      return (
        plain.length >= 20 &&
        digits > 2 &&
        !/[/:.]/.test(plain) &&
        isRandom(plain, value, false) &&
        (/[_-]/.test(name) || !/^[\da-f]+$/i.test(plain))
      )
    case 'personal':
      return false
  }
}

/** The word, with the signs in it, that begins here. */
export function readWord(scan: Scan, start: number): Value {
  let end = start
  let mask = 0
  for (; end < scan.length && end - start < longestValue; end++) {
    const code = codeAt(end)
    if (code <= 0x20 || isQuote(code) || code === 0x2c || code === 0x3b || code === 0x3c || code === 0x5c) break
    mask |= classAt(end)
  }
  while (end > start && endsSentence(codeAt(end - 1))) end--
  return { start, end, quoted: false, mask }
}

const pairNames =
  /(?:^|[^A-Za-z])(?:id|user(?:name)?|login|account)\)?\s?[/:&,(]?\s?(?:pw|pwd|pass(?:wd|word)?)\)?\s?(?:[:=-]>?|\()?\s?[\w.@-]{1,40}\s?[/:,(]{1,2}\s?$/i

/** Called at a word behind `/`, `:`, `,` or `(`: the second of the two in `ID/PW: ali/…`, `user/password=ali:…`. */
export function findSecond(scan: Scan, start: number): number {
  if (start < scan.assignedTo) return 0
  let at = start - 1
  const least = at - 40
  while (at > least && isUserSign(codeAt(at - 1))) at--
  if (at === start - 1) return 0
  if (isOracleUser(scan.text, at, start)) return keepSecond(scan, beforeHost(scan, readWord(scan, start)))
  if (codeAt(start - 1) === 0x3a && isQuote(codeAt(at - 1))) return findEchoed(scan, start)
  for (let signs = 0; signs < 3 && isBetween(codeAt(at - 1)); signs++) at--
  if (!isTelling(at) || !pairNames.test(scan.text.slice(Math.max(0, start - 80), start))) return 0
  return keepSecond(scan, readWord(scan, start))
}

/** `sqlplus scott/…@orcl`, `jdbc:oracle:thin:scott/…@host`. */
const isOracleUser = (text: string, at: number, start: number): boolean =>
  codeAt(start - 1) === 0x2f && (text.startsWith('sqlplus ', at - 8) || text.startsWith(':thin:', at - 6))

function keepSecond(scan: Scan, value: Value): number {
  const plain = scan.text.slice(value.start, value.end)
  return plain.length > 5 && /\d/.test(plain) && isStated(plain) ? keep(scan, 'password', value) : 0
}

/** What stands before the host. */
function beforeHost(scan: Scan, value: Value): Value {
  const at = scan.text.slice(value.start, value.end).indexOf('@')
  return at < 0 ? value : { ...value, end: value.start + at }
}

const isUserSign = (code: number): boolean =>
  ((classOf[code] ?? 0) > 0 && (classOf[code] ?? 0) < 32) || code === 0x2d || code === 0x2e
/** `:`, `=`, `-`, `>`, `(`, `)` and the space. */
const isBetween = (code: number): boolean =>
  code === 0x3a || code === 0x3d || code === 0x2d || code === 0x3e || code === 0x28 || code === 0x29 || code === 0x20
