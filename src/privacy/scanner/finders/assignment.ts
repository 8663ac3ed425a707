import { type FieldMeaning, mayMean, meaningOf } from '../../fields.ts'
import { classAt, classOf, digit, letter, lower, upper, word } from '../classes.ts'
import type { Finders } from '../compile.ts'
import { entropy, isPlaceholder } from '../plausible.ts'
import type { Scan } from '../scan.ts'

const longestValue = 512
const longestName = 48

/** Called at `=`, `:`, `>` or `,`: a name that means something before it, and a value that can be one after it. */
export function findAssignment(scan: Scan, at: number): number {
  if (at < scan.assignedTo) return 0
  const end = nameEnd(scan.codes, at)
  const start = nameStart(scan.codes, end)
  if (start === end || !mayMean(scan.codes, start, end)) return 0
  const meaning = meaningAt(scan, start, end)
  if (!meaning) return 0
  const value = readValue(scan, at)
  return value ? report(scan, scan.text.slice(start, end), meaning, value) : 0
}

interface Value {
  readonly start: number
  readonly end: number
  readonly quoted: boolean
  /** Class bits of its characters. */
  readonly mask: number
}

const isQuote = (code: number): boolean => code === 0x22 || code === 0x27 || code === 0x60

/** `)`, `}`, `.`, `:` and `>` after a bare value belong to what is around it. */
const endsSentence = (code: number): boolean =>
  code === 0x29 || code === 0x7d || code === 0x2e || code === 0x3a || code === 0x3e

function readValue(scan: Scan, at: number): Value | null {
  const { codes, length } = scan
  let from = at + 1
  let quote = 0
  // `=> `, `:= "`, `: 'Bearer `: up to six signs and spaces between name and value.
  for (let skipped = 0; skipped < 7 && from < length; skipped++, from++) {
    const code = codes[from] ?? 0
    if (isQuote(code)) {
      quote = code
      from++
      break
    }
    if (code === 0x5c && isQuote(codes[from + 1] ?? 0)) continue
    if (code !== 0x20 && code !== 0x3d && code !== 0x3e && code !== 0x3a && code !== 0x09) break
  }
  // The second quote of `""` or of `"""`.
  if (quote && (codes[from] ?? 0) === quote) return null
  let end = from
  let mask = 0
  const limit = Math.min(length, from + longestValue)
  for (; end < limit; end++) {
    const code = codes[end] ?? 0
    if (
      quote
        ? code === quote || code === 0x0a
        : code <= 0x20 || isQuote(code) || code === 0x2c || code === 0x3b || code === 0x3c || code === 0x5d
    )
      break
    mask |= classOf[code] ?? 0
  }
  // JSON inside a string ends its values with `\"`.
  if (quote && (codes[end - 1] ?? 0) === 0x5c) end--
  if (!quote) while (end > from && endsSentence(codes[end - 1] ?? 0)) end--
  return end - from < 3 ? null : { start: from, end, quoted: quote !== 0, mask }
}

const betweenNameAndSign = new Uint8Array(128)
for (const sign of ' "\'`]:\\?|') betweenNameAndSign[sign.charCodeAt(0)] = 1

/** Where the identifier before the sign at `at` ends, quotes and brackets left out. */
function nameEnd(codes: Uint16Array, at: number): number {
  let end = at
  for (let skipped = 0; skipped < 4 && end > 0; skipped++, end--) {
    const code = codes[end - 1] ?? 0
    if (code > 127 || !betweenNameAndSign[code]) break
  }
  return end
}

function nameStart(codes: Uint16Array, end: number): number {
  const limit = Math.max(0, end - longestName)
  let start = end
  while (start > limit && nameSigns[codes[start - 1] ?? 0]) start--
  return start
}

/** What names are made of: words, joined by hyphens and dots. */
const nameSigns = classOf.map(bits => (bits & word ? 1 : 0))
nameSigns[0x2d] = 1
nameSigns[0x2e] = 1

/** Last words of phrases that mean more than their last word: `api key: …`, `secret access key = …`. */
const lastOfPhrase = /^(?:key|token|code|string|secret|password)$/i
const wordsBefore = /[A-Za-z]{2,14}(?: [A-Za-z]{2,14})?$/

/** A name that was met before, so that the few names of a log or table are understood without cutting them out. */
interface Known {
  readonly name: string
  readonly meaning: FieldMeaning | null
  readonly endsPhrase: boolean
}
const knownNames = new Array<Known | undefined>(1024).fill(undefined)

function meaningAt(scan: Scan, start: number, end: number): FieldMeaning | null {
  const { text, codes } = scan
  let hash = end - start
  for (let at = start; at < end; at++) hash = (Math.imul(hash, 31) + (codes[at] ?? 0)) | 0
  const slot = (hash ^ (hash >>> 15)) & 1023
  let known = knownNames[slot]
  if (!known || !isSame(known.name, codes, start, end)) {
    const name = text.slice(start, end)
    known = { name, meaning: meaningOf(name), endsPhrase: lastOfPhrase.test(name) }
    knownNames[slot] = known
  }
  if (known.endsPhrase && codes[start - 1] === 0x20) {
    const before = wordsBefore.exec(text.slice(Math.max(0, start - 31), start - 1))
    if (before) return meaningOf(`${before[0]} ${known.name}`)
  }
  return known.meaning
}

function isSame(name: string, codes: Uint16Array, start: number, end: number): boolean {
  if (name.length !== end - start) return false
  for (let at = start; at < end; at++) if (name.charCodeAt(at - start) !== codes[at]) return false
  return true
}

function report(scan: Scan, name: string, meaning: FieldMeaning, value: Value): number {
  let { start, end } = value
  const { text, codes } = scan
  let plain = text.slice(start, end)
  // A scheme before the credential is not part of it.
  const scheme =
    /^(?:Bearer|Basic|Token|ApiKey|Digest|bearer|token) +/.exec(plain) ??
    (/^(?:Bearer|Basic|Token|bearer)$/.test(plain) ? [plain] : null)
  if (scheme) {
    start += scheme[0].length
    while ((codes[start] ?? 0) === 0x20) start++
    if (!value.quoted) {
      end = start
      while (end < text.length && end - start < longestValue && (codes[end] ?? 0) > 0x20 && !isQuote(codes[end] ?? 0))
        end++
    }
    plain = text.slice(start, end)
  }
  const rule = ruleFor(name, meaning, plain, value)
  const detector = rule ? scan.compiled.finders[rule] : undefined
  if (!detector) return 0
  const type = rule === 'field' ? meaning.type : detector.type
  scan.found.push({ start, end, type, rule: detector.rule, score: detector.score })
  scan.assignedTo = end
  return end
}

function ruleFor(name: string, meaning: FieldMeaning, plain: string, value: Value): keyof Finders | null {
  // Only keys are long; looking closely at long values of other kinds would be time that a hostile text can ask for.
  if (plain.length > 200 && meaning.kind !== 'secret') return null
  if (isTemplate(plain) || isPlaceholder(plain)) return null
  switch (meaning.kind) {
    case 'password':
      return isPassword(plain, value) ? 'password' : null
    case 'personal':
      return isPersonal(meaning.type, plain, value) ? 'field' : null
    case 'secret':
    case 'weak-secret':
      if (/^[A-Za-z0-9+/]{40}$/.test(plain) && /aws|secret/i.test(name) && entropy(plain) > 4) return 'awsSecret'
      if (/^(?:AccountKey|SharedAccessKey)$/i.test(name) && /^[A-Za-z0-9+/]{43,86}={1,2}$/.test(plain))
        return 'azureKey'
      return isRandom(plain, value, meaning.kind === 'secret') ? 'secret' : null
  }
}

/** `${X}`, `{{ x }}`, `<x>`, `%X%`, `$X`, `os.environ[…]`, `f(…)`: a place where a value will be, or code that gets it. */
const isTemplate = (plain: string): boolean =>
  /\$\{[\w.:-]+\}|\{\{ ?[\w.| ]+ ?\}\}|^<[^>]*>?$|^%[A-Z_]+%$|^\$[A-Za-z_(]|^\{\w*\}$|^@?[A-Za-z_][\w.]*[([]|^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$|^\*+$|^\[[A-Z_0-9]+\]|^(?:env|process|os|config|self|this|args|settings|options|params|request|req|secrets|vars|local|var|data|ENV)[.[]|\$\(|^!Ref|^arn:aws|^file:|^\/(?:[\w.-]+\/)*[\w.-]*$|^\.{1,2}\//.test(
    plain,
  )

const commonWords =
  /^(?:none|null|nil|undefined|true|false|string|str|number|int|bool|boolean|text|varchar|char|required|optional|password|passwd|pass|secret|token|test|testing|user|admin|root|hidden|empty|default|value|yes|no|any|object|disabled|enabled|prompt|ask|input|unset|blank)\W*$/i

function isPassword(plain: string, value: Value): boolean {
  if (plain.length < 5 || plain.length > 128 || commonWords.test(plain)) return false
  if (value.quoted)
    return (
      !/^[a-z]+(?: [a-z]+)+[.!?:]?$/i.test(plain) &&
      !/\s.*\s.*\s/.test(plain) &&
      !/^[a-z]+[_-](?:password|pass|pwd|secret|token|key)$/i.test(plain)
    )
  return (value.mask & digit) !== 0 || /[!@#$%^&*~+?-]/.test(plain.slice(1))
    ? !/^[\d.,:/-]+$/.test(plain) || /^\d{6,}$/.test(plain)
    : false
}

/** A date, an amount or a version has digits and is not random; words joined by hyphens are not either. */
function isRandom(plain: string, value: Value, strong: boolean): boolean {
  const { length } = plain
  if (length < (strong ? 8 : 16) || length > 500 || /[\s(){}<>]/.test(plain)) return false
  if (!(value.mask & letter) || /^(?:https?|ftp|s3|gs):/i.test(plain)) return false
  if (
    !(value.mask & digit) &&
    !(
      strong &&
      (value.mask & letter) === (upper | lower) &&
      length >= 16 &&
      !/^(?:[A-Z]?[a-z]+|[A-Z]+[a-z]*)(?:[A-Z][a-z]+)*$/.test(plain)
    )
  )
    return false
  if (/^\d{4}-\d\d-\d\d|^v?\d+(?:\.\d+)+|^\d+(?:\.\d+)?[a-z]{1,4}$/i.test(plain)) return false
  if (!strong && /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(plain)) return false
  if (isWords(plain)) return false
  return entropy(plain) >= (length < 12 ? 2.5 : strong ? 2.9 : 3.4)
}

/** `user_profile_2`, `my-app-v2`, `sha256-rsa`: words of a language and a number or two. */
const isWords = (plain: string): boolean => {
  const parts = plain.split(/[-_.:/ ]/)
  return (
    parts.length > 1 &&
    parts.every(
      part => /^(?:[A-Za-z]*[a-z]{2,}\d{0,3}|[A-Z]{2,}\d{0,2}|\d{1,4}|v\d+|[a-z])?$/.test(part) && part.length < 16,
    )
  )
}

function isPersonal(type: string, plain: string, value: Value): boolean {
  if (commonWords.test(plain) || plain.length > 200) return false
  if (type === 'PERSON' || type === 'ADDRESS')
    return (
      value.quoted &&
      (value.mask & letter) !== 0 &&
      !/[<>{}$\\=]/.test(plain) &&
      /^["'\p{L}\d]/u.test(plain) &&
      !/^[a-z]+[_-]|^[a-z]+[A-Z]|^0x/.test(plain)
    )
  const digits = plain.replace(/\D/g, '').length
  if (type === 'CARD_SECURITY_CODE' || type === 'PIN') return /^\d{3,8}$/.test(plain)
  if (type === 'EMAIL' || type === 'IP_ADDRESS' || type === 'IBAN' || type === 'PHONE' || type === 'CREDIT_CARD')
    return false
  return value.quoted && digits >= 4 && plain.length <= 40 && /^[\dA-Za-z][\dA-Za-z ./-]*$/.test(plain)
}

const curlUser = /(?:curl|wget|http)\b[^\n]{0,60}(?:-u|--user)[ =]{0,2}["']?[\w.@-]{0,64}$/

/** Whether what ends at `at` stands behind `-u` or `--user`; most colons do not. */
function followsUserOption(codes: Uint16Array, at: number): boolean {
  let start = at
  while (
    start > 0 &&
    at - start < 64 &&
    (classAt(codes, start - 1) & word || codes[start - 1] === 0x2e || codes[start - 1] === 0x40)
  )
    start--
  if (isQuote(codes[start - 1] ?? 0)) start--
  if (codes[start - 1] === 0x20 || codes[start - 1] === 0x3d) start--
  const option = codes[start - 1]
  return (option === 0x75 && codes[start - 2] === 0x2d) || (option === 0x72 && codes[start - 2] === 0x65)
}

/** Called at `:` in what may be `curl -u name:password`. */
export function findCommandLinePassword(scan: Scan, at: number): number {
  const { text, codes } = scan
  if (classAt(codes, at - 1) & digit && classAt(codes, at + 1) & digit) return 0
  if (!followsUserOption(codes, at)) return 0
  if (!curlUser.test(text.slice(Math.max(0, at - 120), at))) return 0
  let end = at + 1
  while (end < text.length && end - at < 128 && (codes[end] ?? 0) > 0x20 && !isQuote(codes[end] ?? 0)) end++
  const plain = text.slice(at + 1, end)
  if (plain.length < 4 || isTemplate(plain) || isPlaceholder(plain)) return 0
  scan.found.push({ start: at + 1, end, type: 'PASSWORD', rule: 'password-assignment', score: 0.8 })
  return end
}
