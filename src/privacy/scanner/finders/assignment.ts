import { type FieldMeaning, meaningOf, tellingName } from '../../fields.ts'
import { word } from '../classes.ts'
import { classAt, codeAt } from '../codes.ts'
import type { Scan } from '../scan.ts'
import { meaningAt, nameEnd } from './assigned-name.ts'
import { commonWords, isQuote, isRandom, isTemplate, longestValue, ruleFor, type Value } from './assigned-value.ts'
import { findArgument, findCredentialPair, findItems, findJsonKey } from './called.ts'
import { readValue } from './read-value.ts'
import { standsInCode, standsInSettings } from './surroundings.ts'

/** Called at `=`, `:`, `>`, `,` or `(`: a name that means something before it, and a value that can be one after it. */
export function findAssignment(scan: Scan, at: number): number {
  if (at < scan.assignedTo) return 0
  const end = nameEnd(at)
  const telling = tellingName(end)
  const start = telling < 0 ? ~telling : telling
  if (start === end) return 0
  if (codeAt(at) === 0x28) return findCalled(scan, start, end, at, telling >= 0)
  if (telling >= 0) {
    const meaning = meaningAt(scan, start, end)
    if (meaning) return giveValue(scan, scan.text.slice(start, end), meaning, at)
  }
  return givenElsewhere(scan, start, end, at)
}

/** A name with a bracket behind it: what is called, or asked of a column, may be given a value there. */
function findCalled(scan: Scan, start: number, end: number, at: number, tells: boolean): number {
  const ends = findArgument(scan, at)
  if (ends) return ends
  if (codeAt(start - 1) === 0x5d && comparesColumn.test(scan.text.slice(start, end))) {
    const nameStop = nameEnd(start)
    const nameFrom = tellingName(nameStop)
    return nameFrom >= 0 && nameFrom < nameStop ? giveTo(scan, nameFrom, nameStop, at) : 0
  }
  if (tells) {
    const stop = comparedName(scan.text, start, end)
    const from = calledName(start, stop)
    const meaning = meaningAt(scan, from, stop)
    if (meaning) return giveValue(scan, scan.text.slice(from, stop), meaning, at)
  }
  return givenElsewhere(scan, start, end, at)
}

/** `password.encode('utf-8')` gives nothing to a password: of what is called the last name counts. */
function calledName(start: number, end: number): number {
  let at = end
  while (at > start && codeAt(at - 1) !== 0x2e) at--
  return at
}

const compares = /\.(?:equals|equalsIgnoreCase|isEqualTo|compareTo|eq|ne|isin)$/
/** `df['password'].eq('…')`. */
const comparesColumn = /^\.(?:eq|ne|isin)$/

/** `password.equals("…")`: what is compared with a value may well have it. */
const comparedName = (text: string, start: number, end: number): number =>
  end - (compares.exec(text.slice(start, end))?.[0].length ?? 0)

/**
 * Names that do not stand right before the sign: `token: string = "…"`, where the type is between, and
 * `key="Password" value="…"`, where the name is a value itself.
 */
function givenElsewhere(scan: Scan, start: number, end: number, at: number): number {
  const { text } = scan
  if (codeAt(at) === 0x3d) {
    let before = start
    // `&str`, `*string`.
    if (codeAt(before - 1) === 0x26 || codeAt(before - 1) === 0x2a) before--
    while (before > start - 3 && codeAt(before - 1) === 0x20) before--
    if (codeAt(before - 1) === 0x3a) {
      const nameStop = nameEnd(before - 1)
      const nameFrom = tellingName(nameStop)
      return nameFrom >= 0 && nameFrom < nameStop ? giveTo(scan, nameFrom, nameStop, at) : 0
    }
  }
  if (codeAt(at) === 0x3e)
    return codeAt(start - 1) === 0x3c && (end - start === 6 || end - start === 5) ? ofProperty(scan, start, at) : 0
  if (end - start === 3 && text.startsWith('kty', start)) return findJsonKey(scan, at)
  if (end - start === 7 && codeAt(at) === 0x3d && text.startsWith('default', start)) return ofVariable(scan, start, at)
  if (end - start === 4 && isBehindValue(start) && text.startsWith('name', start)) return valueBefore(scan, start, at)
  if (end - start !== 5 || (codeAt(start) | 32) !== 0x76 || !valueName.test(text.slice(start, end))) return 0
  return giveNamed(scan, keyBefore.exec(text.slice(Math.max(0, start - 110), start)), at)
}

/** `"…" name`, `"…", "name`. */
const isBehindValue = (start: number): boolean =>
  isQuote(codeAt(start - 2)) || codeAt(start - 2) === 0x2c || codeAt(start - 3) === 0x2c

const valueName = /^value$/i
const keyBefore =
  /["']([\w.-]{2,64})["']\s{0,3}:\s{0,3}\{\s{0,20}["']?$|(?:name|key|id|type|field|property|variable)["']?\s{0,3}[:=]\s{0,3}["']([\w .:-]{2,64})["']\s{0,20},?\s{0,20}(?:["']?\w{2,20}["']?\s{0,3}:\s{0,3}["']?[\w .-]{0,30}["']?\s{0,3},\s{0,20})?["']?$|<\s?([\w.:-]{2,64})\s{1,4}$|(?:name|key): {1,3}([\w.-]{2,64}) {0,3}\r?\n[ \t]{0,40}$/i

const propertyBefore =
  /<key>([\w .-]{2,64})<\/key>\s{0,40}<$|name="([\w.-]{2,64})"(?: [\w:]{1,20}="[^"<>]{0,30}"){0,2}\s?>\s{0,20}<$/i
const variableBefore =
  /variable "([\w-]{2,64})" \{[^{}]{0,160}$|\(\s{0,20}["']([\w.-]{2,64})["'],\s{0,20}(?:\w{1,12}=[\w.]{1,20},\s{0,20})?$/

/** `<key>Password</key><string>…</string>`, `<property name="password"><value>…</value>`. */
const ofProperty = (scan: Scan, start: number, at: number): number =>
  giveNamed(scan, propertyBefore.exec(scan.text.slice(Math.max(0, start - 120), start)), at)

/** `variable "db_password" { default = "…" }`, `config("DB_PASSWORD", default="…")`. */
const ofVariable = (scan: Scan, start: number, at: number): number =>
  giveNamed(scan, variableBefore.exec(scan.text.slice(Math.max(0, start - 240), start)), at)

function giveNamed(scan: Scan, named: RegExpExecArray | null, at: number): number {
  const name = named?.slice(1).find(Boolean) ?? ''
  const meaning = name ? meaningOf(name) : null
  if (!meaning) return 0
  const number = meaning.kind === 'personal' ? aNumber.exec(scan.text.slice(at, at + 32)) : null
  if (!number) return giveValue(scan, name, meaning, at)
  const end = at + number[0].length
  return report(scan, name, meaning, quotedValue(end - (number[1] ?? '').length, end))
}

/** What the name of a field is given to need not be in quotes where it is a number. */
const aNumber = /^[:=]\s{0,3}(\d{3,20})(?=\s{0,20}[,}])/

const nameBehind = /^[:=]\s{0,3}["']([\w .:-]{2,64})["']/
const valueInFront = /value["']?\s{0,3}[:=]\s{0,3}(["'])([^"'\n]{3,120})\1(?:\s{1,4}|\s{0,2},\s{0,20}["']?)$/i

/** `value="…" name="Password"`: the value stands before the name. Called at the sign behind `name`. */
function valueBefore(scan: Scan, start: number, at: number): number {
  const { text } = scan
  const name = nameBehind.exec(text.slice(at, at + 72))?.[1] ?? ''
  const meaning = name ? meaningOf(name) : null
  const given = meaning ? valueInFront.exec(text.slice(Math.max(0, start - 140), start))?.[2] : undefined
  if (!meaning || given === undefined) return 0
  const from = text.lastIndexOf(given, start)
  return report(scan, name, meaning, quotedValue(from, from + given.length))
}

const attribute = /\s(?:name|key|id)\s{0,3}=\s{0,3}["'][\w .:-]{2,64}["']\s?$/i

/** Called at `>` behind a quote: `<entry key="Password">…</entry>`. */
export function findElement(scan: Scan, at: number): number {
  const end = nameEnd(at)
  const start = tellingName(end)
  if (start < 0 || start === end || !isQuote(codeAt(start - 1))) return ofTag(scan, at)
  if (!attribute.test(scan.text.slice(Math.max(0, start - 16), at))) return 0
  return giveTo(scan, start, end, at)
}

/** How far before its `>` a tag may begin. */
const longestTag = 120

/** `<Pass encoding="base64">…</Pass>`: the name of the tag, before its attributes. */
function ofTag(scan: Scan, at: number): number {
  let open = at
  while (codeAt(open) !== 0x3c) if (at - --open > longestTag || open < 0) return 0
  let end = open + 1
  while (classAt(end) & word || codeAt(end) === 0x2d || codeAt(end) === 0x3a) end++
  const start = codeAt(end) === 0x20 ? tellingName(end) : -1
  // `<wsse:Password Type="…">`: the name may stand in a namespace.
  return start === open + 1 || (start > open && codeAt(start - 1) === 0x3a) ? giveTo(scan, start, end, at) : 0
}

function quotedValue(start: number, end: number): Value {
  let mask = 0
  for (let at = start; at < end; at++) mask |= classAt(at)
  return { start, end, quoted: true, mask }
}

const phrase = /[a-z]{3,8}(?: [a-z]{3,8}){11,23}(?![ \w])/iy

/** The words of a seed phrase have no quotes around them in files of settings. */
function findPhrase(scan: Scan, name: string, value: Value): Value | null {
  phrase.lastIndex = value.start
  return /mnemonic|phrase/i.test(name) && phrase.test(scan.text) ? quotedValue(value.start, phrase.lastIndex) : null
}

const fallback = /(?:\|\||\?\?|\bor|^new \w{1,20}\(|getenv\([^,\n]{1,60},) {0,2}b?\\?["'`]([^"'`\\\n]{5,128})\\?["'`]/

/** `process.env.TOKEN || "…"`, `getenv("TOKEN", "…")`: what is taken where nothing is set is a value as well. */
function findFallback(scan: Scan, value: Value): Value | null {
  const { text } = scan
  if (!isTemplate(text.slice(value.start, value.end + 1)) && !text.startsWith('new ', value.start)) return null
  const line = text.slice(value.start, value.start + 200)
  const given = fallback.exec(line)
  const stops = line.indexOf('\n')
  if (!given || (stops >= 0 && stops < given.index) || !/\d/.test(given[1] ?? '')) return null
  const start = value.start + given.index + given[0].lastIndexOf(given[1] ?? '')
  return quotedValue(start, start + (given[1] ?? '').length)
}

function giveTo(scan: Scan, start: number, end: number, at: number): number {
  const meaning = meaningAt(scan, start, end)
  return meaning ? giveValue(scan, scan.text.slice(start, end), meaning, at) : 0
}

function giveValue(scan: Scan, name: string, meaning: FieldMeaning, at: number): number {
  if (codeAt(at) === 0x28 && /credentials?$/i.test(name)) return findCredentialPair(scan, at)
  if (codeAt(at) === 0x3d && codeAt(at + 1) === 0x28 && /auth$/i.test(name)) return findCredentialPair(scan, at + 1)
  if (codeAt(at) !== 0x28 || codeAt(at + 1) === 0x5b) {
    const ends = findItems(scan, at, name, meaning, value => report(scan, name, meaning, value))
    if (ends) return ends
  }
  const given =
    codeAt(at) === 0x3e
      ? (readBraced(scan, at + 1) ?? readCharacters(scan, at + 1) ?? readValue(scan, at))
      : readValue(scan, at)
  // `sorted(rows, key=lambda row: …)`: a function is given, and no value.
  if (!given || (!given.quoted && /^lambda[ :]/.test(scan.text.slice(given.start, given.start + 7)))) return 0
  const value = meaning.kind !== 'personal' && codeAt(at) === 0x3e ? inElement(scan.text, given) : given
  if (meaning.kind === 'password') {
    // `["pass", "print"]`: words in a list are no passwords.
    if (
      codeAt(at) === 0x2c &&
      !/[\d!@#$%^&*~+?]/.test(scan.text.slice(value.start, value.end)) &&
      !setsValue.test(scan.text.slice(Math.max(0, at - name.length - 24), at - name.length - 1))
    )
      return 0
    if (value.quoted && isForm(scan.text, value)) return 0
  }
  // `"key", "8f3a…": …`: what has a colon behind it is a name itself.
  if (
    (codeAt(at) === 0x2c || /[\r\n]/.test(scan.text.slice(at, value.start))) &&
    value.quoted &&
    codeAt(value.end + 1) === 0x3a
  )
    return 0
  const other =
    value.quoted || meaning.kind === 'personal' ? null : (findPhrase(scan, name, value) ?? findFallback(scan, value))
  const ends = report(scan, name, meaning, other ?? value)
  if (!ends && !value.quoted) scan.run.reject(value.end)
  return ends
}

/** `define("PASSWORD", "…")`, `getenv("PASSWORD", "…")`: no list, but a name and what it gets. */
const setsValue = /(?:define|getenv|environ\.get|setProperty|getProperty|getOrDefault)\(\s?["']$/

/** `<password>sesame</password>`: between tags a word stands as surely as between quotes. */
const inElement = (text: string, value: Value): Value =>
  /^\s{0,8}<\//.test(text.slice(value.end, value.end + 10)) ? { ...value, quoted: true } : value

const braced = /\{(?:[\w.-]{1,40} ){0,3}([\w.+/=-]{16,400}) ?\}</y

/** Build servers and package managers write what they have encrypted in braces: `<password>{AQAAABAAA…}</password>`. */
function readBraced(scan: Scan, start: number): Value | null {
  if (codeAt(start) !== 0x7b) return null
  braced.lastIndex = start
  const given = braced.exec(scan.text)?.[1]
  if (given === undefined) return null
  const from = scan.text.lastIndexOf(given, braced.lastIndex)
  return quotedValue(from, from + given.length)
}

const characters = /<!\[CDATA\[([^\]\n]{3,400})\]\]>/y

/** `<password><![CDATA[…]]></password>`. */
function readCharacters(scan: Scan, start: number): Value | null {
  if (codeAt(start) !== 0x3c) return null
  characters.lastIndex = start
  const given = characters.exec(scan.text)?.[1]
  return given === undefined ? null : quotedValue(start + 9, start + 9 + given.length)
}

/** `"prefix_{}".format(…)`, `"%s" % …`, `f"prefix_{name}"`: a text that something is put into. */
const isForm = (text: string, value: Value): boolean =>
  /^.(?:\.format\(| % )/.test(text.slice(value.end, value.end + 10)) ||
  (/[fF$]["']$/.test(text.slice(value.start - 2, value.start)) && /\{[\w.]+\}/.test(text.slice(value.start, value.end)))

/** Called at `,` between words without spaces: a line of a table such as `apiToken,8f3a…,`. */
export function findListed(scan: Scan, at: number): void {
  const { text } = scan
  const start = tellingName(at)
  if (start < 0 || start === at) return
  const meaning = meaningAt(scan, start, at)
  if (!meaning || (meaning.kind !== 'secret' && meaning.kind !== 'password')) return
  const value = readValue(scan, at)
  if (!value || value.quoted || value.end - value.start < 16) return
  const follows = codeAt(value.end)
  if (follows !== 0x2c && follows !== 0x0a && follows !== 0x0d && follows !== 0) return
  if (isRandom(text.slice(value.start, value.end), value, true)) report(scan, text.slice(start, at), meaning, value)
}

const schemes =
  /^(?:Bearer|Basic|(?:Api-)?Token|Api-?[Kk]ey|Digest|GenieKey|Bot|SSWS|Splunk|OAuth|JWT|Key|AWS|NTLM|Negotiate|Kerberos|bearer|basic|token|key|apikey)(?: +|$)/

/** The cheap look for what follows. */
const aUser = /us(?:er|r)|uid|login/i
const userBefore =
  /(?:^|[^A-Za-z])(?:user(?:[ _]?(?:id|name))?|uid|usr|login)["']?[ \t]{0,4}(?:=>|:=|[:=])[ \t]{0,4}["']?[\w.@^+\\-]{2,60}(?![\w.@^+\\-])[^=]{0,100}$/i

/** A name of something else that holds the password, as in `connect(user=DB_USER, password=DB_PASS)`. */
const otherName =
  /^[A-Z][A-Z0-9_]*$|^\W|^(?:hashed|hash|encrypted|encoded|digest|plain|plaintext|raw|salted|new|old|current|input|result|string|str|text|data)(?:_|$)|(?:[Pp]ass|[Pp]assw(?:or)?d|[Pp]wd|[Pp]w|[Ss]ecret|[Tt]oken|[Kk]ey|[Vv]alue)$/

/**
 * Whether a user is given just before, or it stands in a file of settings (`APP_PASSWORD=…`) or behind an option
 * (`--password=…`): whatever is then given to `password` is one, be it a word of a language. Without quotes it must stand
 * alone in its line or in a list with semicolons; with commas it would be code.
 */
function isWithUser(text: string, name: string, value: Value): boolean {
  const plain = text.slice(value.start, value.end)
  const inList = !value.quoted && text[value.start - 1] === '=' && inListEnd.test(text.slice(value.end, value.end + 24))
  const before = text.slice(Math.max(0, value.start - 200), value.start)
  const named = before.slice(0, Math.max(0, before.lastIndexOf(name)))
  const withUser = aUser.test(named) && userBefore.test(named)
  if (withUser && (inList || value.quoted) ? isNothing.test(plain) : commonWords.test(plain)) return false
  if (value.quoted) return withUser && !/^(?:password|passwd|pwd|pass)$/i.test(plain)
  if (inList && withUser) return true
  if (/[?&]$/.test(named) && /^[\w.~%+-]{5,}$/.test(plain)) return true
  if (/^--?\w/.test(name) && isOption.test(text.slice(value.start - 1, value.end))) return true
  if (isAlone(text, name, value)) return !otherName.test(plain)
  if (before.endsWith(`${name}=`)) {
    if (setsVariable.test(named)) return !otherName.test(plain)
    if (/^[A-Z][A-Z_]{4,}$/.test(name) && forCommand.test(text.slice(value.end, value.end + 34)))
      return !otherName.test(plain)
  }
  if (otherName.test(plain) || !endsLine.test(text.slice(value.end, value.end + 8))) return false
  if (/^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/.test(name)) {
    if (before.endsWith(`${name}=`)) return true
    // What begins with a capital is a type.
    if (before.endsWith(`${name}: `) && /^[a-z]\w{5,}$/.test(plain)) return !standsInCode(text, value.start, value.end)
  }
  return withUser
    ? !standsInCode(text, value.start, value.end)
    : plain.length > 5 && /^\w+$/.test(plain) && standsInSettings(text, value.start, value.end)
}

/** `PGPASSWORD=… psql`: a variable for one command. */
const forCommand = /^ [a-z][\w./-]{1,30}(?:[ \r\n]|$)/

/** `docker run -e DB_PASSWORD=…`, `helm --set db.password=…`. */
const setsVariable = /(?:^|\s)(?:ARG|ENV|-e|--env|--set|--set-string|--build-arg|--from-literal=) ?["']?$/

/** Behind a value in a list: a semicolon, a quote, the end, or the next name (`user=ali password=sesame sslmode=require`). */
const inListEnd = /^[;"']|^$|^ [a-z_]{2,20}=/

/** `password=Sesame`, and nothing else: no program is that short. */
const isAlone = (text: string, name: string, value: Value): boolean =>
  text.length < 100 &&
  value.end - value.start > 7 &&
  (text[value.start - 1] === '=' || (text[value.start - 1] === ':' && name.length > 5)) &&
  /^\W?$/.test(text.slice(0, text.indexOf(name))) &&
  /^[\s}]*$/.test(text.slice(value.end))

const isNothing = /^(?:null|none|nil|true|false|string|undefined|\W)/i
/** Right behind the sign or a space, and no address. */
const isOption = /^[= ][^\s:$<>{}()[\]]{6,}$/

const endsLine = /^[ \t]*(?:[\r\n"'#]|$)/

export function report(scan: Scan, name: string, meaning: FieldMeaning, given: Value): number {
  const { text } = scan
  const value = withoutScheme(text, given)
  const { start, end } = value
  const rule = ruleFor(name, meaning, text.slice(start, end), value, {
    isWithUser: () => isWithUser(text, name, value),
    isAlone: () => isAlone(text, name, value),
    isLine: () => text.startsWith(': ', start - 2) && endsLine.test(text.slice(end, end + 8)),
  })
  const detector = rule ? scan.compiled.finders[rule] : undefined
  if (!detector) return 0
  const type = rule === 'field' ? meaning.type : detector.type
  scan.found.push({ start, end, type, rule: detector.rule, score: detector.score })
  scan.assignedTo = end
  return end
}

/** A scheme before the credential is not part of it: `Bearer …`, `Basic …`. */
function withoutScheme(text: string, value: Value): Value {
  const scheme = schemes.exec(text.slice(value.start, value.end))
  if (!scheme) return value
  let start = value.start + scheme[0].length
  while (codeAt(start) === 0x20) start++
  let end = value.quoted ? value.end : start
  if (!value.quoted) {
    while (end < text.length && end - start < longestValue && codeAt(end) > 0x20 && !isQuote(codeAt(end))) end++
  }
  let mask = 0
  for (let at = start; at < end; at++) mask |= classAt(at)
  return { start, end, quoted: value.quoted, mask }
}
