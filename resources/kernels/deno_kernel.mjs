// The JavaScript and TypeScript kernel. Runs in Deno with no permission but the working folder and, inside the jail, its empty network.
// Cells are evaluated by V8's own REPL mode: `let` may be declared again, `await` stands at the top level, and the
// value of the last expression comes back. Questions are asked of the inspector, which runs no getter.

import { Session } from 'node:inspector'

// Other modules of Node are loaded when a cell first needs them: together they take longer to start than all the rest.
const controlDescriptor = 250
const textLimit = 100_000
const inspector = new Session()
inspector.connect()
Deno.permissions.revokeSync({ name: 'sys' }) // the inspector was all it was needed for

const { inspect, stdout, stderr } = Deno
const encoder = new TextEncoder()
const decoder = new TextDecoder()
const post = (method, params) =>
  new Promise((resolve, reject) =>
    inspector.post(method, params, (error, found) => (error ? reject(error) : resolve(found))),
  )

// -- the channel -------------------------------------------------------------------------------------------------

const channel = Deno.args.length > 0 ? await connected(Deno.args[0]) : await inherited()
let pending = 0

/** Calls its supervisor, which listens for this one call. */
async function connected(path) {
  const connection = await Deno.connect({ transport: 'unix', path })
  return {
    async send(bytes) {
      for (let at = 0; at < bytes.length; ) at += await connection.write(bytes.subarray(at))
    },
    async listen(receive) {
      const bytes = new Uint8Array(1 << 16)
      for (let count = 0; count !== null; count = await connection.read(bytes)) receive(bytes.subarray(0, count))
    },
  }
}

/** Without a jail it has no right to any file, a socket's neither, and gets a descriptor that only Node can read. */
async function inherited() {
  const { Socket } = await import('node:net')
  const socket = new Socket({ fd: controlDescriptor })
  return {
    send: bytes => new Promise(resolve => socket.write(bytes, resolve)),
    listen: receive =>
      new Promise((resolve, reject) => {
        socket.on('data', receive)
        socket.on('close', resolve)
        socket.on('error', reject)
        socket.resume()
      }),
  }
}

let last = Promise.resolve()

/** Several frames in one write: each write wakes the supervisor once. */
function send(...headers) {
  sendFrames(headers.map(header => [encoder.encode(JSON.stringify(header)), nothing]))
}
const nothing = new Uint8Array(0)

function sendFrames(parts) {
  const frames = new Uint8Array(parts.reduce((length, [body, rest]) => length + 8 + body.length + rest.length, 0))
  const view = new DataView(frames.buffer)
  let at = 0
  for (const [body, rest] of parts) {
    view.setUint32(at, body.length, true)
    view.setUint32(at + 4, rest.length, true)
    frames.set(body, at + 8)
    frames.set(rest, at + 8 + body.length)
    at += 8 + body.length + rest.length
  }
  last = pending++ === 0 ? channel.send(frames) : last.then(() => channel.send(frames))
  last.then(written, () => exit(0))
}
const written = () => {
  pending--
}

/** Pieces are joined once their frame is whole: joining at each would take time that grows with the square. */
let pieces = []
let held = 0
let needed = 8
function receive(bytes) {
  pieces.push(bytes.slice())
  held += bytes.length
  if (held < needed) return
  let whole = pieces.length === 1 ? pieces[0] : joined()
  needed = 8
  while (whole.length >= 8) {
    const view = new DataView(whole.buffer, whole.byteOffset)
    const headerEnd = 8 + view.getUint32(0, true)
    const end = headerEnd + view.getUint32(4, true)
    if (whole.length < end) {
      needed = end
      break
    }
    const header = JSON.parse(decoder.decode(whole.subarray(8, headerEnd)))
    const payload = decoder.decode(whole.subarray(headerEnd, end))
    whole = whole.subarray(end)
    handle(header, payload)
  }
  pieces = whole.length > 0 ? [whole] : []
  held = whole.length
}

function joined() {
  const whole = new Uint8Array(held)
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

function handle(header, payload) {
  if (header.type === 'run') run(payload, header)
  else if (header.type === 'ask') answer(header, payload)
  else if (header.type === 'called') called(header, payload)
  else if (header.type === 'interrupt') interrupted?.()
}

// -- tools -------------------------------------------------------------------------------------------------------

/** A tool was not called, or did not do what it was asked for. `code` says why in a word. */
class ToolError extends Error {
  constructor(code, message, tool) {
    super(message)
    this.name = 'ToolError'
    this.code = code
    this.tool = tool
  }
}
globalThis.ToolError = ToolError

/** A result that is longer than 1 MB: a file of the working folder. */
class ToolFile {
  constructor(path, bytes) {
    this.path = path
    this.bytes = bytes
  }
  text() {
    return Deno.readTextFile(this.path)
  }
  async json() {
    return JSON.parse(await this.text())
  }
}

const maxArguments = 1 << 20
const calls = new Map()
let lastCall = 0
/** Which run the functions were made for: those of an earlier one lead nowhere. The host checks every call anyway. */
let session = 0

/** Makes `tools.server.name(…)` for the tools that this run was granted. */
function giveTools(granted) {
  session += 1
  const mine = session
  const servers = Object.create(null)
  for (const [server, names] of Object.entries(granted)) {
    const functions = Object.create(null)
    for (const name of names) {
      const tool = `${server}.${name}`
      const { [tool]: named } = { [tool]: (given = {}) => call(mine, tool, given) }
      functions[name] = Object.freeze(named)
    }
    servers[server] = frozen(functions, name => notGranted(`${server}.${name}`))
  }
  const tools = frozen(servers, server => frozen(Object.create(null), name => notGranted(`${server}.${name}`)))
  Object.defineProperty(globalThis, 'tools', { value: tools, configurable: true, enumerable: false, writable: true })
}

/** Says in words what is missing; a plain frozen object would say that undefined is not a function. */
const frozen = (names, missing) =>
  new Proxy(Object.freeze(names), {
    get: (target, name) =>
      Object.hasOwn(target, name) || typeof name === 'symbol' || name === 'then' || name === 'toJSON'
        ? target[name]
        : missing(name),
  })

function notGranted(name) {
  const text = `tools.${name} is not granted to this run. A run is given the accepted tools that its code names; see the page MCP.`
  throw new ToolError('tool.not-granted', text, name)
}

function call(mine, tool, given) {
  if (mine !== session) return Promise.reject(runOver(tool))
  let payload
  try {
    payload = encoder.encode(JSON.stringify(given) ?? 'null')
  } catch (error) {
    const text = `The arguments of tools.${tool} are no JSON: ${error?.message}`
    return Promise.reject(new ToolError('tool.arguments', text, tool))
  }
  if (payload.length > maxArguments)
    return Promise.reject(new ToolError('tool.limit', `The arguments of tools.${tool} are longer than 1 MB.`, tool))
  const k = ++lastCall
  return new Promise((resolve, reject) => {
    calls.set(k, { tool, resolve, reject })
    sendFrames([[encoder.encode(JSON.stringify({ type: 'call', k, tool })), payload]])
  })
}

function called({ k, ok, code, message, file, bytes }, payload) {
  const waiting = calls.get(k)
  if (!waiting) return
  calls.delete(k)
  if (!ok) waiting.reject(new ToolError(code, message, waiting.tool))
  else waiting.resolve(file === undefined ? JSON.parse(payload) : new ToolFile(file, bytes))
}

/** What is still under way gets no answer any more. */
function takeTools() {
  session += 1
  for (const { tool, reject } of calls.values()) reject(runOver(tool))
  calls.clear()
}

const runOver = tool =>
  new ToolError('tool.run-over', `The run of tools.${tool} was over before the tool had answered.`, tool)

// -- output ------------------------------------------------------------------------------------------------------

let lastStream = null
const nap = new Int32Array(new SharedArrayBuffer(4))

/** Straight into the pipe, so that a busy loop streams too; behind a display that is still on its way, after it. */
function write(name, text) {
  if (pending > 0 && running) {
    send({ type: 'output', output: { type: 'stream', name, text } })
    return
  }
  // The two pipes are read in no fixed order: give the reader a moment when output changes over.
  if (lastStream !== null && lastStream !== name) Atomics.wait(nap, 0, 0, 1)
  lastStream = name
  const bytes = encoder.encode(text)
  const target = name === 'stdout' ? stdout : stderr
  try {
    for (let at = 0; at < bytes.length; ) at += target.writeSync(bytes.subarray(at))
  } catch {
    // closed by the cell
  }
}

const format = things =>
  typeof things[0] === 'string' && /%[sdifjoOc%]/.test(things[0])
    ? substitute(things)
    : things.map(thing => (typeof thing === 'string' ? thing : inspect(thing, { colors: false }))).join(' ')

function substitute([pattern, ...rest]) {
  const text = pattern.replace(/%([sdifjoOc%])/g, (whole, kind) => {
    if (kind === '%') return '%'
    if (rest.length === 0) return whole
    const thing = rest.shift()
    if (kind === 'c') return ''
    if (kind === 'd' || kind === 'i') return String(Math.trunc(Number(thing)))
    if (kind === 'f') return String(Number(thing))
    return typeof thing === 'string' ? thing : inspect(thing)
  })
  return [text, ...rest.map(thing => (typeof thing === 'string' ? thing : inspect(thing)))].join(' ')
}

let indent = ''
const print =
  name =>
  (...things) =>
    write(name, `${indent}${format(things).replaceAll('\n', `\n${indent}`)}\n`)
const grouped = (...things) => {
  if (things.length) print('stdout')(...things)
  indent += '    '
}
const groupEnded = () => {
  indent = indent.slice(4)
}
Object.assign(console, {
  log: print('stdout'),
  info: print('stdout'),
  debug: print('stdout'),
  error: print('stderr'),
  warn: print('stderr'),
  dir: thing => print('stdout')(inspect(thing)),
  group: grouped,
  groupCollapsed: grouped,
  groupEnd: groupEnded,
})

const isRows = value =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every(row => row !== null && typeof row === 'object' && !Array.isArray(row))

function table(rows) {
  const shown = rows.slice(0, 1000)
  const names = [...new Set(shown.flatMap(row => Object.keys(row)))].slice(0, 200)
  const typeOf = name => {
    const sample = shown.map(row => row[name]).find(value => value !== null && value !== undefined)
    return typeof sample === 'number' ? 'number' : typeof sample === 'boolean' ? 'boolean' : 'string'
  }
  const plain = value =>
    ['number', 'string', 'boolean'].includes(typeof value) || value === null
      ? value
      : value === undefined
        ? null
        : String(value)
  return {
    schema: { fields: names.map(name => ({ name, type: typeOf(name) })) },
    data: shown.map(row => Object.fromEntries(names.map(name => [name, plain(row[name])]))),
  }
}

const symbols = {
  html: 'text/html',
  markdown: 'text/markdown',
  svg: 'image/svg+xml',
  png: 'image/png',
  json: 'application/json',
}

/** An object in as many forms as it knows: `Symbol.for('Jupyter.display')`, `_repr_*_`, rows as a table, text. */
function bundle(value) {
  const data = {}
  const metadata = {}
  const rich = value !== null && (typeof value === 'object' || typeof value === 'function')
  if (rich) {
    const whole = value[Symbol.for('Jupyter.display')] ?? value._repr_mimebundle_
    if (typeof whole === 'function') Object.assign(data, whole.call(value))
    for (const [name, mime] of Object.entries(symbols)) {
      const method = value[`_repr_${name}_`]
      if (typeof method === 'function') data[mime] = method.call(value)
    }
    if (isRows(value)) {
      data['application/vnd.dataresource+json'] = table(value)
      metadata['application/vnd.dataresource+json'] = { rows: value.length, truncated: value.length > 1000 }
    }
  }
  data['text/plain'] ??= typeof value === 'string' ? inspect(value) : inspect(value, { colors: false })
  if (data['text/plain'].length > textLimit) data['text/plain'] = `${data['text/plain'].slice(0, textLimit)}…`
  for (const [mime, form] of Object.entries(data)) if (form instanceof Uint8Array) data[mime] = form.toBase64()
  return { data, metadata }
}

/** `display(value)`, or `display(bundle, { raw: true })` for data that is already keyed by MIME type. */
// A second isolate would reserve more memory than the jail allows, and V8 then ends the whole process.
globalThis.Worker = class Worker {
  constructor() {
    throw new Error('A sandbox has no workers: run the code in the cell itself.')
  }
}

globalThis.display = (value, options = {}) => {
  const shown = options.raw ? { data: value, metadata: {} } : bundle(value)
  send({ type: 'output', output: { type: 'display', ...shown } })
}

// -- running -----------------------------------------------------------------------------------------------------

let running = false
let interrupted = null
let taken
const keep = value => {
  taken = value
}
const take = Symbol('take')
Object.defineProperty(globalThis, take, { value: keep, enumerable: false })

class Interrupted extends Error {
  name = 'Interrupted'
}

const env = {}
globalThis.addEventListener('unhandledrejection', event => {
  event.preventDefault()
  write('stderr', `Uncaught (in promise) ${inspect(event.reason)}\n`)
})
globalThis.addEventListener('error', event => {
  event.preventDefault()
  write('stderr', `Uncaught ${inspect(event.error)}\n`)
})
for (const name of ['prompt', 'confirm', 'alert'])
  globalThis[name] = () => {
    throw new Error('A cell cannot ask for input: nobody sits at its keyboard. Put the value into the code.')
  }

// Deno cannot exit from inside an evaluation: it would crash with another exit code. The evaluation ends first.
let exiting = null
const { exit } = Deno
class Exit extends Error {}
const leave = code => {
  exiting = Number(code ?? Deno.exitCode ?? 0) & 0xff
  throw new Exit('exit')
}
Object.defineProperty(Deno, 'exit', { value: leave, configurable: true })

/** Before the first cell that speaks of `process`. One that reaches it by another name ends its kernel, as it asked. */
let hasProcess = false
async function mindProcess() {
  hasProcess = true
  const { default: process } = await import('node:process')
  process.exit = leave
}

async function run(code, request) {
  running = true
  lastStream = null
  Object.defineProperty(Deno, 'args', { value: request.args, configurable: true })
  Object.assign(env, request.env)
  globalThis.env = env
  giveTools(request.tools ?? {})
  const done = { type: 'done', exitCode: 0, error: null }
  let result = null
  try {
    const stopped = new Promise((_, reject) => {
      interrupted = () => reject(new Interrupted('The run was stopped.'))
    })
    if (!hasProcess && code.includes('process')) await Promise.race([mindProcess(), stopped])
    const script = request.language === 'typescript' ? await Promise.race([withoutTypes(code), stopped]) : code
    const found = await Promise.race([evaluate(withDynamicImports(script)), stopped])
    if (exiting !== null) return void setTimeout(() => exit(exiting))
    if (found.exceptionDetails) {
      done.exitCode = 1
      done.error = explain(found.exceptionDetails)
    } else if (found.result.type !== 'undefined') {
      result = { type: 'output', output: { type: 'result', ...bundle(await takeValue(found.result)) } }
    }
  } catch (error) {
    done.exitCode = error instanceof Interrupted ? 130 : 1
    const kind = error instanceof SyntaxError || error?.code === 'ERR_INVALID_TYPESCRIPT_SYNTAX' ? 'syntax' : 'runtime'
    done.error = { kind, name: String(error?.name ?? 'Error'), message: String(error?.message ?? error), traceback: [] }
  }
  interrupted = null
  running = false
  takeTools()
  if (result) send(result, done)
  else send(done)
}

/** What only the REPL mode knows: declaring a name again, and waiting. A cell without needs half the time without it. */
const needsRepl = /\b(?:let|const|class|using|await)\b/

const evaluate = expression =>
  post(
    'Runtime.evaluate',
    needsRepl.test(expression) ? { expression, replMode: true, awaitPromise: true } : { expression },
  )

async function withoutTypes(code) {
  const { stripTypeScriptTypes } = await import('node:module')
  try {
    return stripTypeScriptTypes(code)
  } catch {
    return stripTypeScriptTypes(code, { mode: 'transform' }) // enums and namespaces leave code behind
  }
}

/** The REPL knows no static import; at the start of a line it means the same as awaiting the dynamic one. */
function withDynamicImports(code) {
  if (!/^\s*import\b/m.test(code)) return code
  return code.replace(
    /^([ \t]*)import\s+(?:([\w$]+)\s*,?\s*)?(?:\*\s*as\s+([\w$]+)|\{([^}]*)\})?\s*(?:from\s*)?(['"][^'"]+['"])[ \t]*;?/gm,
    (_, space, single, all, names, source) => {
      const parts = []
      if (single) parts.push(`default: ${single}`)
      if (names) parts.push(names.replace(/\s+as\s+/g, ': '))
      if (all) return `${space}const ${all} = await import(${source});`
      return parts.length
        ? `${space}const { ${parts.join(', ')} } = await import(${source});`
        : `${space}await import(${source});`
    },
  )
}

async function takeValue(remote) {
  if (!remote.objectId) {
    if (remote.unserializableValue?.endsWith('n')) return BigInt(remote.unserializableValue.slice(0, -1))
    return remote.unserializableValue !== undefined ? Number(remote.unserializableValue) : remote.value
  }
  taken = undefined
  await post('Runtime.callFunctionOn', {
    objectId: remote.objectId,
    functionDeclaration: `function () { globalThis[Object.getOwnPropertySymbols(globalThis).find(s => s.description === 'take')](this) }`,
  })
  await post('Runtime.releaseObject', { objectId: remote.objectId })
  return taken
}

function explain(details) {
  const thrown = details.exception ?? {}
  const text = String(thrown.description ?? details.text)
  const lines = text.split('\n')
  const foreign = lines.findIndex(line => /^\s+at .*(ext:|deno_kernel\.mjs)/.test(line))
  const traceback = (foreign === -1 ? lines : lines.slice(0, foreign)).slice(0, 60)
  const name = thrown.className ?? (thrown.subtype === 'error' ? 'Error' : 'Thrown')
  const first = traceback[0] ?? ''
  const isSyntax = name === 'SyntaxError' && traceback.length === 1
  const message =
    thrown.description === undefined && thrown.value !== undefined
      ? String(thrown.value)
      : first.replace(/^(Uncaught )?\w*Error: /, '')
  const place = text.match(/<anonymous>:(\d+):\d+/)
  const line = place ? Number(place[1]) : isSyntax ? details.lineNumber + 1 : undefined
  return { kind: isSyntax ? 'syntax' : 'runtime', name, message, traceback, ...(line > 0 ? { line } : {}) }
}

// -- questions ---------------------------------------------------------------------------------------------------

const builtIn = new Set([...Object.getOwnPropertyNames(globalThis), 'env', 'tools'])

async function answer(request, code) {
  let value = null
  try {
    if (request.what === 'variables') value = await variables()
    if (request.what === 'complete') value = await completions(code.slice(0, request.offset))
    if (request.what === 'hover') value = await hover(code, request.offset)
  } catch {
    // no answer is an answer
  }
  send({ type: 'answer', n: request.n, value }, { type: 'asked', n: request.n })
}

/** Evaluates only what has no side effect, and not for long. */
const peek = expression =>
  post('Runtime.evaluate', { expression, throwOnSideEffect: true, timeout: 300, generatePreview: true, silent: true })

async function names() {
  const lexical = (await post('Runtime.globalLexicalScopeNames', {})).names
  const added = Object.getOwnPropertyNames(globalThis).filter(name => !builtIn.has(name))
  return [...new Set([...lexical, ...added])]
}

async function variables() {
  const found = []
  for (const name of (await names()).slice(0, 500)) {
    const { result, exceptionDetails } = await peek(name)
    if (exceptionDetails || result.type === 'undefined') continue
    const size = /\((\d+)\)$/.exec(result.description ?? '')?.[1]
    const members = result.preview?.properties?.map(property =>
      result.subtype === 'array' ? property.value : `${property.name}: ${property.value ?? property.type}`,
    )
    const preview = members ? members.join(', ') : String(result.value ?? result.description ?? '')
    found.push({
      name,
      type: result.className ?? result.subtype ?? result.type,
      shape: size ? Number(size).toLocaleString('en') : null,
      bytes: null,
      preview: preview.slice(0, 120),
    })
  }
  return found
}

async function completions(before) {
  const [, path = '', start = ''] = /((?:[\w$]+\.)*)([\w$]*)$/.exec(before) ?? []
  const kindOf = type => (type === 'function' ? 'function' : path ? 'property' : 'variable')
  if (!path) {
    const all = [...(await names()), ...builtIn].filter(name => name.startsWith(start) && /^[\w$]+$/.test(name))
    return all.slice(0, 300).map(label => ({ label, kind: 'variable' }))
  }
  const { result, exceptionDetails } = await peek(path.slice(0, -1))
  if (exceptionDetails || !result.objectId) return []
  const found = new Map()
  let objectId = result.objectId
  for (let depth = 0; objectId && depth < 6; depth++) {
    const { result: properties, internalProperties } = await post('Runtime.getProperties', {
      objectId,
      ownProperties: true,
    })
    for (const property of properties)
      if (/^[\w$]+$/.test(property.name) && !/^\d/.test(property.name) && property.name.startsWith(start))
        if (!found.has(property.name))
          found.set(property.name, { label: property.name, kind: kindOf(property.value?.type) })
    objectId = internalProperties?.find(property => property.name === '[[Prototype]]')?.value?.objectId
  }
  return [...found.values()].sort((a, b) => a.label.localeCompare(b.label)).slice(0, 300)
}

async function hover(code, offset) {
  const before = /[\w$.]*$/.exec(code.slice(0, offset))?.[0] ?? ''
  const after = /^[\w$]*/.exec(code.slice(offset))?.[0] ?? ''
  const name = before + after
  if (!/^[A-Za-z_$][\w$]*(\.[\w$]+)*$/.test(name)) return null
  const { result, exceptionDetails } = await peek(name)
  if (exceptionDetails || result.type === 'undefined') return null
  const description = String(result.description ?? result.value ?? '')
  const signature = result.type === 'function' ? description.split('{')[0].trim().slice(0, 500) : null
  return {
    signature,
    documentation: signature ? '' : description.slice(0, 4000),
    type: result.className ?? result.type,
  }
}

channel.listen(receive).finally(() => exit(0))
