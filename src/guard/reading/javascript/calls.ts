import { origin, type Value } from '../../model.ts'
import { placeOf } from '../../paths.ts'
import { from, join, list, map, number, startOf, text, textOf, thing, unknown } from '../../values.ts'
import { joinAddress, joinPaths } from '../arithmetic.ts'
import { decoded, decoders } from '../decode.ts'
import type { Fold } from '../library.ts'
import { type Apply, mapped } from './methods.ts'

const first: Fold = ({ args }) => args[0] ?? null
const path: Fold = ({ args }) => joinPaths(args)

/** The content of a file, marked when the file is a secret. */
const content: Fold = ({ args }) => {
  const secret = placeOf(startOf(args[0])) === 'secret' ? origin.secret : 0
  return thing('fs.readFileSync()', origin.file | secret | ((args[0]?.origins ?? 0) & origin.request))
}

const address: Fold = ({ args }) => (args[1] ? joinAddress(args[1], args[0]) : (args[0] ?? null))

const required: Fold = ({ args, imported }) => {
  const module = textOf(args[0])
  return module === null ? thing('?module', args[0]?.origins ?? 0) : imported(module)
}

const buffer: Fold = ({ args }) => {
  const [value, encoding] = args
  const name = textOf(encoding)?.toLowerCase()
  if (name === 'base64' || name === 'base64url') return decoded(value, decoders.base64)
  if (name === 'hex') return decoded(value, decoders.hex)
  return fromCodes(value) ?? value ?? null
}

/** A proxy, a copy or a child of a module does what the module does. */
const copied: Fold = ({ args }) => (args[0]?.kind === 'thing' ? args[0] : null)

const pairs: Fold = ({ args }) => {
  const [over] = args
  if (over?.kind !== 'list') return null
  const entries = new Map<string, Value>()
  for (const pair of over.items) {
    const key = pair.kind === 'list' ? textOf(pair.items[0]) : null
    const value = pair.kind === 'list' ? pair.items[1] : undefined
    if (key !== null && value !== undefined) entries.set(key, value)
  }
  return map(entries, true)
}

/** Functions of JavaScript and its libraries whose value can be told from their arguments. */
export const javaScriptCalls = new Map<string, Fold>([
  ['require', required],
  ['module.require', required],
  ['process.mainModule.require', required],
  ['module.createRequire', () => thing('require')],
  ['require.resolve', first],
  // `eval('require')` is a name and no program.
  ['eval', ({ args }) => (/^[A-Za-z_$][\w$]*$/.test(textOf(args[0]) ?? '') ? thing(textOf(args[0]) ?? '') : null)],
  ['import', required],
  ['Deno.env.get', ({ args, member }) => member(thing('process.env'), textOf(args[0]) ?? '')],
  ['path.join', path],
  ['path.resolve', path],
  ['path.normalize', first],
  ['os.homedir', () => text('~')],
  ['os.tmpdir', () => text('/tmp')],
  ['process.cwd', () => text('.')],
  ['atob', ({ args }) => decoded(args[0], decoders.base64)],
  ['unescape', ({ args }) => decoded(args[0], decoders.percent)],
  ['decodeURIComponent', ({ args }) => decoded(args[0], decoders.percent)],
  ['decodeURI', ({ args }) => decoded(args[0], decoders.percent)],
  ['Buffer.from', buffer],
  ['Buffer', buffer],
  ['Buffer.concat', ({ args }) => (args[0]?.kind === 'list' ? join(args[0].items) : null)],
  ['zlib.inflateSync', ({ args }) => decoded(args[0], decoders.inflate)],
  ['zlib.unzipSync', ({ args }) => decoded(args[0], decoders.gunzip)],
  ['zlib.gunzipSync', ({ args }) => decoded(args[0], decoders.gunzip)],
  ['zlib.brotliDecompressSync', ({ args }) => decoded(args[0], decoders.brotli)],
  ['String.fromCharCode', ({ args }) => fromCodes(list(args))],
  ['String.fromCodePoint', ({ args }) => fromCodes(list(args))],
  ['String', ({ args }) => (args[0]?.kind === 'number' ? text(String(args[0].number)) : (args[0] ?? text('')))],
  ['String.raw', first],
  ['parseInt', ({ args }) => (textOf(args[0]) === null ? null : whole(textOf(args[0]) ?? '', args[1]))],
  ['Number', ({ args }) => (args[0]?.kind === 'number' ? args[0] : null)],
  ['Array.from', ({ args, apply }) => arrayFrom(args[0], args[1], apply)],
  [
    'Object.assign',
    ({ args }) =>
      args.find(value => value.kind === 'map' && value.entries.size > 0) ??
      args.find(value => value.kind === 'thing') ??
      args.find(value => value.kind === 'map') ??
      null,
  ],
  ['Object.values', ({ args }) => (args[0]?.kind === 'map' ? list([...args[0].entries.values()], args[0].open) : null)],
  ['Object.create', copied],
  ['Object.getPrototypeOf', ({ args }) => (args[0]?.kind === 'own' ? args[0] : null)],
  ['Proxy', copied],
  ['Map', pairs],
  ['Object.fromEntries', pairs],
  ['Blob', ({ args }) => (args[0]?.kind === 'list' ? join(args[0].items) : null)],
  [
    'URL.createObjectURL',
    ({ args }) => (args[0]?.kind === 'text' ? text(`data:,${encodeURIComponent(args[0].text)}`) : null),
  ],
  ['Object.freeze', first],
  [
    'Reflect.get',
    ({ args, member }) => (args[0] && textOf(args[1]) !== null ? member(args[0], textOf(args[1]) ?? '') : null),
  ],
  [
    'Reflect.apply',
    ({ args, apply }) => (args[0] ? apply(args[0], args[2]?.kind === 'list' ? args[2].items : []) : null),
  ],
  [
    'Reflect.construct',
    ({ args, apply }) => (args[0] ? apply(args[0], args[1]?.kind === 'list' ? args[1].items : []) : null),
  ],
  ['URL', address],
  ['URL.parse', address],
  ['url.parse', first],
  ['url.resolve', ({ args }) => (args[0] ? joinAddress(args[0], args[1]) : null)],
  ['Request', ({ args }) => (args[0]?.kind === 'text' || args[0]?.kind === 'joined' ? args[0] : null)],
  ['util.promisify', first],
  ['Promise.resolve', first],
  ['fs.readFileSync', content],
  ['fs.readFile', content],
  ['fs.promises.readFile', content],
  ['fs.createReadStream', content],
  ['Deno.readTextFile', content],
  ['Deno.readTextFileSync', content],
  ['Deno.readFile', content],
  ['Bun.file', call => thing('Bun.file()', content(call)?.origins ?? 0)],
])

function arrayFrom(value: Value | undefined, fn: Value | undefined, apply: Apply): Value | null {
  const items =
    value?.kind === 'text' ? list([...value.text].map(letter => text(letter, value.origins))) : (value ?? null)
  return fn === undefined ? items : mapped(items, fn, apply)
}

function fromCodes(value: Value | undefined): Value | null {
  if (value?.kind !== 'list') return null
  let result = ''
  for (const item of value.items) {
    if (item.kind !== 'number') return from(value.origins | origin.decoded)
    result += String.fromCharCode(item.number & 0xffff)
  }
  return value.open ? from(value.origins | origin.decoded) : text(result, value.origins | origin.decoded)
}

function whole(content: string, base: Value | undefined): Value {
  const parsed = Number.parseInt(content, base?.kind === 'number' ? base.number : 10)
  return Number.isNaN(parsed) ? unknown : number(parsed)
}
