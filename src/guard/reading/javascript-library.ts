import { origin, type Value } from '../model.ts'
import { isSecretName, placeOf } from '../paths.ts'
import { from, join, list, map, number, startOf, text, textOf, thing, unknown } from '../values.ts'
import { joinPaths } from './arithmetic.ts'
import { decoded, decoders } from './decode.ts'
import type { Fold, Library } from './library.ts'

const first: Fold = ({ args }) => args[0] ?? null
const itself: Fold = ({ receiver }) => receiver
const path: Fold = ({ args }) => joinPaths(args)

/** The content of a file, marked when the file is a secret. */
const content: Fold = ({ args }) => {
  const secret = placeOf(startOf(args[0])) === 'secret' ? origin.secret : 0
  return thing('fs.readFileSync()', origin.file | secret | ((args[0]?.origins ?? 0) & origin.request))
}

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

const applied: Fold = ({ receiver, args, apply }) => {
  if (receiver?.kind !== 'own' && receiver?.kind !== 'thing') return null
  const given = args[1]
  return apply(receiver, given?.kind === 'list' ? given.items : [])
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

const folds = new Map<string, Fold>([
  ['require', required],
  ['module.require', required],
  ['process.mainModule.require', required],
  ['module.createRequire', () => thing('require')],
  ['require.resolve', first],
  // `eval('require')` is a name and no program.
  ['eval', ({ args }) => (/^[A-Za-z_$][\w$]*$/.test(textOf(args[0]) ?? '') ? thing(textOf(args[0]) ?? '') : null)],
  ['import', required],
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
  ['URL', ({ args }) => (args[1] ? joinPaths([args[1], ...(args[0] ? [args[0]] : [])]) : (args[0] ?? null))],
  ['util.promisify', first],
  ['Promise.resolve', first],
  ['fs.readFileSync', content],
  ['fs.readFile', content],
  ['fs.promises.readFile', content],
  ['fs.createReadStream', content],
  ['Deno.readTextFile', content],
  ['Deno.readTextFileSync', content],
  ['Deno.readFile', content],
  ['Bun.file', content],
])

const methods = new Map<string, Fold>([
  ['join', joined],
  [
    'concat',
    ({ receiver, args }) =>
      receiver?.kind === 'text' || receiver?.kind === 'joined'
        ? join([receiver, ...args])
        : concatenated(receiver, args),
  ],
  ['toString', ({ receiver, args }) => asText(receiver, args[0])],
  [
    'reverse',
    ({ receiver }) => (receiver?.kind === 'list' ? list([...receiver.items].reverse(), receiver.open) : null),
  ],
  [
    'split',
    ({ receiver, args }) =>
      receiver?.kind === 'text' && args[0]?.kind === 'text'
        ? list(receiver.text.split(args[0].text).map(part => text(part, receiver.origins)))
        : null,
  ],
  ['replace', ({ receiver, args }) => replaced(receiver, args, false)],
  ['replaceAll', ({ receiver, args }) => replaced(receiver, args, true)],
  ['toLowerCase', ({ receiver }) => onText(receiver, value => value.toLowerCase())],
  ['toUpperCase', ({ receiver }) => onText(receiver, value => value.toUpperCase())],
  ['trim', ({ receiver }) => onText(receiver, value => value.trim())],
  ['slice', ({ receiver, args }) => cut(receiver, args, (value, start, end) => value.slice(start, end))],
  ['substring', ({ receiver, args }) => cut(receiver, args, (value, start, end) => value.substring(start ?? 0, end))],
  ['substr', ({ receiver, args }) => cut(receiver, args, (value, start, length) => value.substr(start ?? 0, length))],
  ['charAt', ({ receiver, args }) => cut(receiver, args, (value, at) => value.charAt(at ?? 0))],
  [
    'at',
    ({ receiver, args }) =>
      receiver?.kind === 'list' && args[0]?.kind === 'number' ? (receiver.items.at(args[0].number) ?? null) : null,
  ],
  [
    'charCodeAt',
    ({ receiver, args }) =>
      receiver?.kind === 'text'
        ? number(receiver.text.charCodeAt(args[0]?.kind === 'number' ? args[0].number : 0), receiver.origins)
        : null,
  ],
  [
    'repeat',
    ({ receiver, args }) =>
      receiver?.kind === 'text' &&
      args[0]?.kind === 'number' &&
      receiver.text.length * args[0].number < 100_000 &&
      args[0].number >= 0
        ? text(receiver.text.repeat(args[0].number))
        : null,
  ],
  ['map', ({ receiver, args, apply }) => mapped(receiver, args[0], apply)],
  ['forEach', ({ receiver, args, apply }) => mapped(receiver, args[0], apply)],
  ['flatMap', ({ receiver, args, apply }) => mapped(receiver, args[0], apply)],
  ['pop', ({ receiver }) => (receiver?.kind === 'list' ? (receiver.items.at(-1) ?? null) : null)],
  ['shift', ({ receiver }) => (receiver?.kind === 'list' ? (receiver.items[0] ?? null) : null)],
  ['apply', applied],
  [
    'call',
    ({ receiver, args, apply }) =>
      receiver?.kind === 'own' || receiver?.kind === 'thing' ? apply(receiver, args.slice(1)) : null,
  ],
  [
    'bind',
    ({ receiver, args, apply }) => {
      // What is bound to arguments is there to be called with them.
      if (receiver?.kind === 'thing' && args.length > 1) apply(receiver, args.slice(1))
      return receiver?.kind === 'own' || receiver?.kind === 'thing' ? receiver : null
    },
  ],
  [
    'get',
    ({ receiver, args }) =>
      receiver?.kind === 'map' && textOf(args[0]) !== null
        ? (receiver.entries.get(textOf(args[0]) ?? '') ?? null)
        : null,
  ],
  // What a promise brings goes by the name of the promise: `import('fs')` brings `fs`.
  [
    'then',
    ({ receiver, args, apply }) =>
      args[0] && (receiver?.kind === 'thing' || receiver?.kind === 'text') ? apply(args[0], [receiver]) : null,
  ],
  ['valueOf', itself],
  ['normalize', itself],
])

function joined({ receiver, args }: Parameters<Fold>[0]): Value | null {
  if (receiver?.kind !== 'list') return null
  const separator = args.length === 0 ? ',' : textOf(args[0])
  if (separator === null) return null
  const parts: (string | Value)[] = []
  receiver.items.forEach((item, at) => {
    if (at > 0 && separator) parts.push(separator)
    parts.push(item.kind === 'choice' ? from(item.origins) : item)
  })
  if (receiver.open) parts.push(from(receiver.origins))
  return join(parts)
}

function concatenated(receiver: Value | null, args: readonly Value[]): Value | null {
  if (receiver?.kind !== 'list') return null
  return list(
    [...receiver.items, ...args.flatMap(value => (value.kind === 'list' ? value.items : [value]))],
    receiver.open,
  )
}

function asText(receiver: Value | null, encoding: Value | undefined): Value | null {
  if (receiver?.kind === 'number') {
    const base = encoding?.kind === 'number' ? Math.min(Math.max(encoding.number, 2), 36) : 10
    return text(receiver.number.toString(base), origin.decoded)
  }
  if (receiver?.kind !== 'text') return receiver?.kind === 'joined' ? receiver : null
  const name = textOf(encoding)
  if (name === 'base64' || name === 'hex') return from(receiver.origins)
  return receiver.origins & origin.decoded
    ? text(decoders.utf8(receiver.text) ?? receiver.text, receiver.origins)
    : receiver
}

function replaced(receiver: Value | null, args: readonly Value[], all: boolean): Value | null {
  if (receiver?.kind === 'joined') return receiver
  const [what, by] = [textOf(args[0]), textOf(args[1])]
  if (receiver?.kind !== 'text') return null
  if (what === null || by === null) return from(receiver.origins)
  return text(all ? receiver.text.split(what).join(by) : receiver.text.replace(what, () => by), receiver.origins)
}

function onText(value: Value | null, change: (content: string) => string): Value | null {
  if (value?.kind === 'text') return text(change(value.text), value.origins)
  return value?.kind === 'joined' ? value : null
}

function cut(
  receiver: Value | null,
  args: readonly Value[],
  take: (value: string, from?: number, to?: number) => string,
): Value | null {
  const bounds = args.map(value => (value.kind === 'number' ? value.number : undefined))
  if (receiver?.kind === 'list') return list(receiver.items.slice(bounds[0], bounds[1]), receiver.open)
  if (receiver?.kind !== 'text') return null
  if (args.some(value => value.kind !== 'number')) return from(receiver.origins)
  return text(take(receiver.text, bounds[0], bounds[1]), receiver.origins)
}

type Apply = Parameters<Fold>[0]['apply']
function mapped(receiver: Value | null, fn: Value | undefined, apply: Apply): Value | null {
  if (receiver?.kind !== 'list' || fn === undefined || receiver.open || receiver.items.length > 2_000) return null
  return list(receiver.items.map(item => apply(fn, [item])))
}

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

const named: Readonly<Record<string, number>> = {
  'process.argv': origin.input,
  'process.stdin': origin.input,
  'prompt()': origin.input,
  'readline.createInterface()': origin.input,
  'process.env': origin.environment,
  'Deno.env': origin.environment,
  req: origin.request,
  'ctx.request': origin.request,
  'ctx.query': origin.request,
  'ctx.params': origin.request,
  location: origin.request,
  'document.location': origin.request,
  'document.URL': origin.request,
  'document.documentURI': origin.request,
  'document.referrer': origin.request,
  'document.cookie': origin.secret,
  localStorage: origin.secret,
  sessionStorage: origin.secret,
  'window.name': origin.request,
  'URLSearchParams()': origin.request,
  'fetch()': origin.download,
  'axios()': origin.download,
  'axios.get()': origin.download,
  'axios.post()': origin.download,
  'http.get()': origin.download,
  'https.get()': origin.download,
  'http.request()': origin.download,
  'https.request()': origin.download,
  'got()': origin.download,
  'request()': origin.download,
  'request.get()': origin.download,
  'node-fetch()': origin.download,
  'XMLHttpRequest()': origin.download,
  'net.connect()': origin.download,
  'net.createConnection()': origin.download,
  'net.Socket()': origin.download,
  'WebSocket()': origin.download,
  'os.hostname()': origin.system,
  'os.userInfo()': origin.system,
  'os.networkInterfaces()': origin.system,
  'Math.random()': origin.random,
  'fs.readFileSync()': origin.file,
}
const origins = new Map(Object.entries(named))

export const javaScriptLibrary: Library = {
  aliases: new Map([
    ['global', 'globalThis'],
    ['exec', 'child_process.exec'],
    ['execSync', 'child_process.execSync'],
    ['spawn', 'child_process.spawn'],
    ['spawnSync', 'child_process.spawnSync'],
    ['execFile', 'child_process.execFile'],
    ['readFileSync', 'fs.readFileSync'],
    ['writeFileSync', 'fs.writeFileSync'],
    ['unlinkSync', 'fs.unlinkSync'],
    ['rmSync', 'fs.rmSync'],
  ]),
  builtins: new Set(),
  canonical: canonicalJavaScript,
  origins: name => {
    const known = origins.get(name)
    if (known !== undefined) return known
    const variable = name.startsWith('process.env.') ? name.slice(12) : null
    return variable !== null && isSecretName(variable) ? origin.secret | origin.environment : 0
  },
  constants: new Map([
    ['process.env.HOME', text('~', origin.environment)],
    ['process.env.USERPROFILE', text('~', origin.environment)],
    ['__dirname', text('.')],
    ['__filename', text('./program.js')],
    ['import.meta.dirname', text('.')],
    ['path.sep', text('/')],
    ['os.EOL', text('\n')],
    ['process.execPath', text('node')],
  ]),
  parameterOrigins: name => (/^(req|request|event|ctx|evt|query|params)$/.test(name) ? origin.request : 0),
  folds,
  methods,
  cleans: new Set([
    'parseInt',
    'parseFloat',
    'Number',
    'Boolean',
    'encodeURIComponent',
    'encodeURI',
    'DOMPurify.sanitize',
    'validator.escape',
    'escape',
    'escapeHtml',
    'sanitizeHtml',
    'he.encode',
    'lodash.escape',
    '_.escape',
    'path.basename',
    'mysql.escape',
    'isNaN',
    'Math.floor',
    'Math.round',
    '*.indexOf',
    '*.includes',
    '*.startsWith',
    '*.test',
    '*.digest',
    '*.match',
  ]),
  slashJoins: false,
}

const spellings: readonly (readonly [string, string])[] = [
  ['globalThis.', ''],
  ['window.', ''],
  ['self.', ''],
  ['top.', ''],
  ['fs/promises', 'fs.promises'],
  ['fs-extra', 'fs'],
  ['graceful-fs', 'fs'],
  ['fs.default', 'fs'],
  ['child_process.default', 'child_process'],
  ['process.mainModule.constructor._load', 'require'],
  ['process.mainModule.require', 'require'],
  ['module.constructor._load', 'require'],
  ['module.require', 'require'],
  ['module._load', 'require'],
  ['module.Module._load', 'require'],
  ['module.default._load', 'require'],
  ['module.default.createRequire', 'module.createRequire'],
  ['module.Module.createRequire', 'module.createRequire'],
  ['process.getBuiltinModule', 'require'],
  ['module().require', 'require'],
  ['this.process.', 'process.'],
  ['execa.', 'execa.'],
  ['req.app.', 'app.'],
  ['request.default', 'request'],
]

function canonicalJavaScript(name: string): string {
  let known = name
  for (let again = true; again; ) {
    again = false
    for (const [prefix, plain] of spellings) {
      if (known.startsWith(prefix) && prefix !== plain && known !== 'window.name') {
        known = plain + known.slice(prefix.length)
        again = plain === ''
        break
      }
    }
  }
  // Any function's constructor makes functions from text: `(() => {}).constructor`, `[].map.constructor`.
  if (/(^|\.)constructor\.constructor$/.test(known)) return 'Function'
  if (known === 'module.constructor') return 'module'
  // Every module that was loaded can load more: `require.main.require`, `module.children[0].require`.
  if (/^(module|require)\.[\w.[\]]+\.require$/.test(known)) return 'require'
  if (known.endsWith('.constructor') && !/^(Object|Array|String|~)/.test(known)) return 'Function'
  if (/^(Object|Array|String)\.constructor$/.test(known)) return 'Function'
  return known.replace(/\.prototype\.(call|apply|bind)$/, '.$1')
}
