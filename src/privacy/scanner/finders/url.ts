import { digit, letter, word } from '../classes.ts'
import { classAt, codeAt } from '../codes.ts'
import { isPlaceholder } from '../plausible.ts'
import type { Scan } from '../scan.ts'

const databases =
  /^(?:jdbc:)?(?:postgres(?:ql)?|mysql2?|mariadb|mongodb|redis|rediss|amqps?|mssql|sqlserver|oracle|cockroachdb|clickhouse|couchdb|couchbase|cassandra|neo4j|bolt|snowflake|db2|elasticsearch|memcached|nats|kafka|ldaps?|timescaledb|vertica|trino|presto|hive2?|odbc)(?:\+[a-z0-9]{1,16})?$/i
const userinfo = /:\/\/([^\s/?#"'<>@:[\]\\`|^]{0,128}):([^\s/?#"'<>`\\|^]{1,256})@[^\s/?#"'<>@`\\]{1,253}/y
const settings =
  /:\/\/[^\s"'<>`;]{1,200};(?:[^\s"'<>`;=]{1,40}=[^\s"'<>`;]{0,100};){0,6}?(?:password|pwd)=([^\s;"'<>`]{1,100})/iy
const rest = /[^\s"'<>`\\)\]}]{0,512}/y

const teamsWebhook =
  /:\/\/[\w-]{1,63}\.webhook\.office\.com\/webhookb2\/[\w@-]{20,120}\/IncomingWebhook\/[\w-]{10,80}\/[\w-]{10,80}/y

/** Whoever has the address of an incoming webhook can write there: the whole of it is a key. */
function findWebhook(scan: Scan, start: number, at: number): number {
  let dot = at + 3
  while (dot < at + 66 && classAt(dot) & word) dot++
  if (!scan.text.startsWith('.webhook.office.com/', dot)) return 0
  teamsWebhook.lastIndex = at
  const detector = scan.compiled.finders.webhook
  if (!detector || !teamsWebhook.test(scan.text)) return 0
  scan.keep(detector, start, teamsWebhook.lastIndex)
  return teamsWebhook.lastIndex
}

const sourceName = /(?:^|[^\w.-])[\w.-]{1,64}:([^\s"'`@]{3,128})$/

/** Called at `@tcp(`: `ali:…@tcp(db1:3306)/sales`, the name of a source of data in Go. */
export function findSourceName(scan: Scan, at: number): void {
  const password = sourceName.exec(scan.text.slice(Math.max(0, at - 200), at))?.[1]
  const detector = scan.compiled.finders.password
  scan.noAddressAt = at
  if (password && detector && !isTemplate(password) && !passwordWord.test(password))
    scan.keep(detector, at - password.length, at)
}

const directory = /:\/\/[^"\s]{0,100}",\s{0,20}"[^"\n]{1,60}",\s{0,20}"([^"\n$]{3,60})"/y

/** `new DirectoryEntry("LDAP://host", "user", "…")`: the third of the three. */
function findDirectoryPassword(scan: Scan, at: number): void {
  directory.lastIndex = at
  const password = directory.exec(scan.text)?.[1]
  const detector = scan.compiled.finders.password
  if (!password || !detector || isTemplate(password)) return
  const end = directory.lastIndex - 1
  scan.keep(detector, end - password.length, end)
}

/** Called at `://` with the start of the scheme: a password between the scheme and the host. */
export function findUrl(scan: Scan, scheme: number, at: number): number {
  const { text } = scan
  let start = scheme
  // `mongodb+srv`, `postgresql+psycopg2`, `jdbc:sqlserver`.
  while (at - start < 40 && isInScheme(start - 1)) start--
  while (start < scheme && !/[A-Za-z]/.test(text[start] ?? '')) start++
  const webhook = findWebhook(scan, scheme, at)
  if (webhook) return webhook
  const name = text.slice(start, at)
  const database = databases.test(name)
  if ((codeAt(start) | 32) === 0x6c) findDirectoryPassword(scan, at)
  settings.lastIndex = at
  userinfo.lastIndex = at
  const match = userinfo.exec(text) ?? (database ? settings.exec(text) : null)
  if (!match) return 0
  const password = match.at(-1) ?? ''
  const user = match.length > 2 ? (match[1] ?? '') : ''
  if (isTemplate(password) || isTemplate(user) || isExample(user, password, database, match[0])) {
    // What stands before the sign is no part of an address of mail either.
    scan.noAddressAt = at + match[0].lastIndexOf('@')
    return 0
  }
  let end = at + match[0].length
  if (database) {
    rest.lastIndex = end
    if (rest.test(text)) end = rest.lastIndex
  }
  while (end > at && /[.,;:!?]/.test(text[end - 1] ?? '')) end--
  const detector = scan.compiled.finders[database ? 'databaseUrl' : 'urlCredentials']
  if (detector) scan.keep(detector, database ? start : scheme, end)
  return end
}

const isInScheme = (at: number): boolean =>
  (classAt(at) & (letter | digit)) !== 0 || codeAt(at) === 0x2b || codeAt(at) === 0x3a

/** `node:24@sha256:8f3a…`: the version of an image, and the hash of it. */
const isImage = /@sha\d{3}:/

const named = /^(?:user|username|usr|name|login|)$/i
const passwordWord = /^(?:(?:my|your|the|some)[-_]?)?(?:password|passwd|pass|pwd|secret|token)$/i

/** `user:user@`, `user:xxxx@`, `abc:123@` and what manuals give to a page or to `example.com`; a database may have it. */
function isExample(user: string, password: string, database: boolean, rest: string): boolean {
  if (isImage.test(rest)) return true
  if (isPlaceholder(password) && /[<{*x]{2}|your|placeholder|\.\.\.|replace/i.test(password)) return true
  if (named.test(user) && /^(?:password|passwd|pass|pwd|token|port)$/i.test(password)) return true
  if (user === password && /^user(?:name)?$/i.test(user)) return true
  if (/^(?:abc|\d{1,3}|(.)\1*|\W*redacted\W*)$/i.test(password)) return true
  if (/^(?:secret|pass(?:word)?|passwd|token)$/.test(password) && /@(?:[\w-]+\.)?example\.(?:com|org|net)/.test(rest))
    return true
  return !database && passwordWord.test(password)
}

const isTemplate = (value: string): boolean => /^[A-Z]+(?:_[A-Z]+)+$|^[$%{<[(]|[}>%]$|\$\{|\{\{|%[sv(]/.test(value)
