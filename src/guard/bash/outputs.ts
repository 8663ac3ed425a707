import { origin, type Value } from '../model.ts'
import { placeOf } from '../paths.ts'
import { decoded, decoders } from '../reading/decode.ts'
import { fresh, from, fromSketch, join, spaced, startOf, tainted, text, textOf, unknown, wholeOf } from '../values.ts'
import { has, readOptions } from './options.ts'

/** What commands print, as far as it can be known before they run: this is how text is assembled out of sight. */

type Printed = (args: readonly Value[], input: Value | undefined) => Value

/** The value of `$(name args…)` or of what goes down a pipe; unknown with its origins when it cannot be told. */
export function outputOf(name: string, args: readonly Value[], input: Value | undefined): Value {
  const known = printed.get(name)
  if (known !== undefined) return known(args, input)
  return input === undefined ? unknown : from(input.origins)
}

/** What is read from a file: not known, but known to be secret when the place says so. */
export const contentOf = (file: Value): Value =>
  from(origin.file | file.origins | (placeOf(startOf(file)) === 'secret' ? origin.secret : 0))

const filter: Printed = (args, input) => {
  if (input !== undefined) return from(input.origins)
  let origins = 0
  for (const arg of args) if (!startOf(arg).startsWith('-')) origins |= contentOf(arg).origins
  return from(origins)
}
const always =
  (origins: number): Printed =>
  () =>
    from(origins)
const download = always(origin.download)
const system = always(origin.system)
const unreadable: Printed = (_, input) => from((input?.origins ?? 0) | origin.decoded)
const newFile = join(['/tmp/tmp.', fresh])
const firstOperand: Printed = args => readOptions(args).operands[0] ?? unknown

const decode =
  (decoder: (typeof decoders)['base64']): Printed =>
  (args, input) => {
    const options = readOptions(args, 'w')
    if (!has(options, 'd', 'D', 'decode')) return from(input?.origins ?? origin.file)
    const file = options.operands[0]
    return decoded(file !== undefined && startOf(file) !== '-' ? from(origin.file) : input, content =>
      decoder(content.trim()),
    )
  }

const table: Readonly<Record<string, Printed>> = {
  echo: args => {
    let at = 0
    let escapes = false
    for (; at < args.length && /^-[neE]+$/.test(startOf(args[at])); at++) escapes ||= startOf(args[at]).includes('e')
    const line = spaced(args.slice(at))
    const known = textOf(line)
    return escapes && known !== null ? text(decodeEscapes(known), line.origins) : line
  },
  printf: args => printf(args[0] !== undefined && startOf(args[0]) === '--' ? args.slice(1) : args),
  cat: (args, input) => {
    const files = readOptions(args).operands.filter(file => startOf(file) !== '-')
    if (files.length === 0) return input ?? from(origin.input)
    // Process substitution hands over a text that is known already.
    const [file] = files
    if (files.length === 1 && file && (file.origins & origin.download) !== 0) return file
    return from(files.reduce((origins, each) => origins | contentOf(each).origins | each.origins, 0))
  },
  base64: decode(decoders.base64),
  base32: decode(decoders.base32),
  xxd: (args, input) =>
    has(readOptions(args), 'r')
      ? decoded(input, content => decoders.hex(content.replace(/\s/g, '')))
      : filter(args, input),
  rev: (args, input) => {
    const known = textOf(input)
    return known === null || args.length > 0 ? filter(args, input) : text([...known].reverse().join(''), origin.decoded)
  },
  tr: (args, input) => translate(args, input),
  tee: (_, input) => input ?? unknown,
  openssl: unreadable,
  gunzip: unreadable,
  zcat: unreadable,
  bunzip2: unreadable,
  bzcat: unreadable,
  xzcat: unreadable,
  uudecode: unreadable,
  gpg: unreadable,
  gzip: (args, input) => (has(readOptions(args), 'd', 'decompress') ? unreadable(args, input) : filter(args, input)),
  which: args => readOptions(args).operands[0] ?? unknown,
  command: args => (/^-[vV]$/.test(startOf(args[0])) ? (args[1] ?? unknown) : unknown),
  type: args => (/^-[pP]$/.test(startOf(args[0])) ? (args[1] ?? unknown) : unknown),
  mktemp: args => {
    const options = readOptions(args, 'p tmpdir suffix')
    const template = options.operands[0]
    if (template === undefined) return newFile
    const path = has(options, 't', 'p', 'tmpdir') ? join(['/tmp/', template]) : template
    return path.kind === 'text' || path.kind === 'joined' ? filledIn(path) : path
  },
  tempfile: () => newFile,
  pwd: () => text('.'),
  tty: () => text('/dev/tty'),
  realpath: firstOperand,
  readlink: firstOperand,
  dirname: args => {
    const path = wholeOf(firstOperand(args, undefined))
    return path === null ? unknown : fromSketch(path.includes('/') ? path.replace(/\/[^/]*$/, '') || '/' : '.')
  },
  basename: args => {
    const path = wholeOf(args[0])
    if (path === null) return unknown
    const name = path.replace(/\/+$/, '').replace(/^.*\//, '')
    const suffix = textOf(args[1])
    return text(suffix !== null && name.endsWith(suffix) ? name.slice(0, -suffix.length) : name)
  },
  find: args => {
    const root = args[0]
    return root === undefined || startOf(root).startsWith('-') ? text('./*') : join([root, '/*'])
  },
  ls: args => {
    const [folder] = readOptions(args).operands
    if (folder === undefined) return text('./*')
    return startOf(folder).includes('*') ? folder : join([folder, '/*'])
  },
  curl: download,
  wget: download,
  fetch: download,
  lynx: download,
  links: download,
  w3m: download,
  nc: download,
  ncat: download,
  netcat: download,
  ssh: download,
  GET: download,
  'lwp-request': download,
  dig: download,
  host: download,
  nslookup: download,
  whoami: system,
  id: system,
  hostname: system,
  uname: system,
  ifconfig: system,
  ip: system,
  ps: system,
  pgrep: system,
  pidof: system,
  lsof: system,
  fuser: system,
  netstat: system,
  ss: system,
  w: system,
  who: system,
  last: system,
  lastlog: system,
  env: always(origin.environment | origin.secret),
  printenv: always(origin.environment),
  getent: system,
  history: always(origin.secret),
  grep: filter,
  sed: filter,
  awk: filter,
  cut: filter,
  head: filter,
  tail: filter,
  sort: filter,
  uniq: filter,
  strings: filter,
  tac: filter,
  od: filter,
  hexdump: filter,
  tar: filter,
  zip: filter,
  jq: filter,
  xargs: filter,
}
/** No command is called as something that every object has: `constructor`. */
const printed = new Map(Object.entries(table))

const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  e: '\x1b',
  f: '\f',
  v: '\v',
  '\\': '\\',
}

/** Backslash escapes as `echo -e` and `printf` read them. */
export function decodeEscapes(content: string): string {
  return content.replace(
    /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|0?([0-7]{1,3})|([ntrabefv\\]))/g,
    (_, hex?: string, unicode?: string, octal?: string, letter?: string) => {
      if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16))
      if (unicode !== undefined) return String.fromCharCode(Number.parseInt(unicode, 16))
      if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8) & 0xff)
      return escapes[letter ?? ''] ?? ''
    },
  )
}

function printf([format, ...rest]: readonly Value[]): Value {
  const known = textOf(format)
  if (known === null || known.length > 4096) return format === undefined ? unknown : join([format, ...rest])
  const parts: (string | Value)[] = []
  let next = 0
  // The format is used again until all arguments are spent.
  for (let round = 0; round === 0 || (next < rest.length && round < 64); round++) {
    const before = next
    let end = 0
    for (const found of known.matchAll(/%(?:%|[-+ #0]*\d*(?:\.\d+)?([sbqdiouxXcfeg]))/g)) {
      parts.push(decodeEscapes(known.slice(end, found.index)))
      end = found.index + found[0].length
      if (found[1] === undefined) parts.push('%')
      else {
        const value = rest[next++] ?? text('')
        const content = textOf(value)
        if (found[1] === 'b' && content !== null) parts.push(decodeEscapes(content))
        else if (found[1] === 'c' && content !== null) parts.push(content.slice(0, 1))
        else if (/[oxX]/.test(found[1]) && content !== null && Number.isInteger(Number(content)))
          parts.push(Number(content).toString(found[1] === 'o' ? 8 : 16))
        else parts.push(value)
      }
    }
    parts.push(decodeEscapes(known.slice(end)))
    if (next === before) break
  }
  const line = join(parts)
  return /\\(x[0-9a-f]{2}|[0-7]{3})/i.test(known) ? { ...line, origins: line.origins | origin.decoded } : line
}

function translate(args: readonly Value[], input: Value | undefined): Value {
  const content = textOf(input)
  const options = readOptions(args)
  const [first, second] = options.operands.map(operand => textOf(operand))
  if (content === null || content.length > 65_536 || typeof first !== 'string') return from(input?.origins ?? 0)
  const origins = input?.origins ?? 0
  const set = range(decodeEscapes(first))
  if (has(options, 'd'))
    return text([...content].filter(letter => !set.includes(letter)).join(''), origins | origin.decoded)
  if (typeof second !== 'string' || has(options, 's', 'c', 'C')) return from(origins)
  const target = range(decodeEscapes(second))
  const translated = [...content]
    .map(letter => {
      const at = set.indexOf(letter)
      return at === -1 ? letter : (target[Math.min(at, target.length - 1)] ?? '')
    })
    .join('')
  return text(translated, origins | origin.decoded)
}

/** `a-z` written out, with the classes that people use. */
function range(set: string): string {
  return set
    .replace(/\[:lower:\]/g, 'a-z')
    .replace(/\[:upper:\]/g, 'A-Z')
    .replace(/\[:digit:\]/g, '0-9')
    .replace(/([\s\S])-([\s\S])/g, (whole, from: string, to: string) => {
      const start = from.charCodeAt(0)
      const length = to.charCodeAt(0) - start + 1
      return length > 0 && length <= 256 ? String.fromCharCode(...Array.from({ length }, (_, at) => start + at)) : whole
    })
}

/** The last run of `X` in a template is what `mktemp` chooses. */
function filledIn(template: Value & { readonly kind: 'text' | 'joined' }): Value {
  const parts = template.kind === 'text' ? [template.text] : template.parts
  const last = parts.findLastIndex(part => typeof part === 'string' && /X{3}/.test(part))
  const filled = parts.flatMap((part, at) => {
    const [, before, after] =
      (at === last && typeof part === 'string' && /^(.*?)X{3,}(?!.*X{3})(.*)$/s.exec(part)) || []
    return before === undefined || after === undefined ? [part] : [before, fresh, after]
  })
  return tainted(join(filled), template.origins)
}
