import { type FieldMeaning, meaningOf } from '../../fields.ts'
import { classAt, codeAt } from '../codes.ts'
import type { Scan } from '../scan.ts'
import type { Value } from './assigned-value.ts'
import { report } from './assignment.ts'
import { isStated, keep } from './secret-after-label.ts'

/** Values behind a word that announces them: what is taken where a variable is not set, `ENV NAME value`, a secure string. */

/** `process.env.TOKEN || "…"`, `getenv("TOKEN") or "…"`, `ENV["TOKEN"] ?: "…"`, `env "TOKEN" | default "…"`. */
const otherwise =
  /\\?["']?[)\]]{0,2}\s{0,3}(?:\|\||\?\?|\?:|or|\|\s?default|\.unwrap_or\()\s{0,3}b?\\?["'`]([^"'`\\\n]{5,200})\\?["'`]/y

/** `ENV NAME value`: a line of a Dockerfile. */
const environment =
  /(?<=(?:^|\n)[ \t]{0,8}ENV )[A-Za-z_]\w{2,60} {1,3}(["']?)([^\s"'=]{5,200})\1(?=[ \t]*(?:[\r\n]|$))/y

/** Called at a word of capitals, which may be the name of a variable. */
export function findOtherwise(scan: Scan, start: number, end: number): void {
  const { text } = scan
  if (codeAt(start - 1) === 0x20 && codeAt(start - 2) === 0x56) {
    environment.lastIndex = start
    const given = environment.exec(text)?.[2]
    if (given !== undefined) give(scan, text.slice(start, end), text.lastIndexOf(given, environment.lastIndex), given)
    return
  }
  let at = end
  while (at - end < 4 && between[codeAt(at) & 127]) at++
  const sign = codeAt(at)
  if (sign !== 0x7c && sign !== 0x3f && sign !== 0x6f && sign !== 0x2e) return
  otherwise.lastIndex = end
  const given = otherwise.exec(text)?.[1]
  if (given !== undefined) give(scan, text.slice(start, end), text.lastIndexOf(given, otherwise.lastIndex), given)
}

/** `"`, `'`, `)`, `]`, `\` and the space. */
const between = new Uint8Array(128)
for (const sign of '"\')]\\ ') between[sign.charCodeAt(0)] = 1

function give(scan: Scan, name: string, start: number, plain: string): void {
  const meaning = meaningOf(name)
  if (!isSecretOrPassword(meaning)) return
  let mask = 0
  for (let at = start; at < start + plain.length; at++) mask |= classAt(at)
  report(scan, name, meaning, { start, end: start + plain.length, quoted: true, mask })
}

const isSecretOrPassword = (meaning: FieldMeaning | null): meaning is FieldMeaning =>
  meaning?.kind === 'secret' || meaning?.kind === 'password'

const secureString =
  /ConvertTo-SecureString\s{1,4}(?:-(?:AsPlainText|Force|String|Key \S{1,20})\s{1,4}){0,4}(?:(["'])([^"'\n]{4,128})\1|([^\s"'$(|;-][^\s"'|;)]{3,127}))/iy
const pipedInto = /(["'])([^"'\n]{4,128})\1\s{0,3}\|\s{0,3}$/

/** Called at `ConvertTo-`: `ConvertTo-SecureString "…" -AsPlainText`, `"…" | ConvertTo-SecureString`. */
export function findSecureString(scan: Scan, start: number): void {
  const { text } = scan
  if (!/^convertto-securestring$/i.test(text.slice(start, start + 22))) return
  const before = pipedInto.exec(text.slice(Math.max(0, start - 140), start))?.[2]
  if (before !== undefined) {
    keepText(scan, text.lastIndexOf(before, start), before)
    return
  }
  secureString.lastIndex = start
  const match = secureString.exec(text)
  const given = match?.[2] ?? match?.[3]
  if (given !== undefined) keepText(scan, text.lastIndexOf(given, secureString.lastIndex), given)
}

function keepText(scan: Scan, start: number, plain: string): void {
  const value: Value = { start, end: start + plain.length, quoted: true, mask: 0 }
  if (start >= scan.assignedTo && isStated(plain)) keep(scan, 'password', value)
}

const oldHash = /[./0-9A-Za-z]{13}(?=\r?\n|\r?$)/y

/** Called at a colon: `ali:rqXexS6ZhobKA`, alone in its line, is how the oldest of all files of passwords looks. */
export function findOldHash(scan: Scan, at: number): void {
  const behind = codeAt(at + 14)
  if (behind !== 0x0a && behind !== 0x0d && at + 14 !== scan.length) return
  oldHash.lastIndex = at + 1
  const detector = scan.compiled.finders.passwordHash
  const hash = oldHash.exec(scan.text)?.[0]
  if (!detector || !hash || !/(?:^|\n)[a-z][\w.@-]{1,31}$/i.test(scan.text.slice(Math.max(0, at - 34), at))) return
  // Words joined by capitals change from one kind to the next less often.
  const changes = hash.match(/[a-z](?=[^a-z])|[A-Z](?=[^A-Z])|\d(?=\D)/g)?.length ?? 0
  if (changes >= 7 && /\d/.test(hash) && /[a-z]/.test(hash) && /[A-Z]/.test(hash))
    scan.found.push({ start: at + 1, end: at + 14, type: detector.type, rule: detector.rule, score: detector.score })
}
