import { type Effect, type EffectKind, type EffectOf, type EffectTable, effectAt } from '../effect.ts'
import type { Call, Import, Value } from '../model.ts'
import { placeOf } from '../paths.ts'
import { joinAddress } from '../reading/arithmetic.ts'
import { decoders } from '../reading/decode.ts'
import { codeOf, list, sketch, startOf, text, textOf, unknown } from '../values.ts'
import { scriptDatabases } from './databases.ts'
import { scriptWriters } from './javascript-writers.ts'
import {
  all,
  arg,
  does,
  effect,
  embed,
  embedCommand,
  isOpening,
  isTrue,
  moves,
  opensNamed,
  optionOf,
  table,
  worksIn,
} from './make.ts'
import { changesStore, executes, programsIn, storeMethods } from './sql.ts'

const fs = (...names: readonly string[]): string[] =>
  names.flatMap(name => [`fs.${name}`, `fs.${name}Sync`, `fs.promises.${name}`])
const deno = (...names: readonly string[]): string[] => names.flatMap(name => [`Deno.${name}`, `Deno.${name}Sync`])

/** The URL or host of a request, given as text or in an options object, against the base that a client was given. */
const address = (call: Call): Value | undefined => {
  const base = optionOf(call, 'baseURL') ?? optionOf(call, 'prefixUrl') ?? optionOf(call, 'baseUrl')
  return base === undefined ? asked(call) : joinAddress(base, asked(call))
}

const asked = (call: Call): Value | undefined => {
  for (const value of call.args) {
    if (value.kind !== 'map') continue
    const found =
      value.entries.get('url') ?? value.entries.get('hostname') ?? value.entries.get('host') ?? value.entries.get('uri')
    if (found !== undefined && sketch(call.args[0]) === null) return found
  }
  // `needle('get', url)` says first how it asks.
  const isVerb = (value: Value): boolean => /^(get|post|put|patch|delete|head)$/i.test(textOf(value) ?? '')
  return (
    call.args.find(value => sketch(value) !== null && !isVerb(value)) ??
    call.args.find(value => !isVerb(value) && value.kind !== 'map')
  )
}

const connects: EffectOf = call => {
  const options = call.args.find(value => value.kind === 'map')
  const fields = options?.kind === 'map' ? options.entries : new Map<string, Value>()
  const target = address(call)
  if (/^file:/i.test(startOf(target))) return [effect('read', call, target)]
  const given = fields.get('body') ?? fields.get('data') ?? fields.get('json')
  const payload = given ?? (/^(post|put|patch)$/i.test(textOf(fields.get('method')) ?? '') ? unknown : undefined)
  return [
    effect('connect', call, target, {
      payload: payload ?? (/\.(post|put|patch|sendBeacon|send)$/.test(call.name) ? call.args[1] : undefined),
    }),
  ]
}

const words = (call: Call): Value => {
  const [program, given] = call.args
  // `Bun.spawn(['rm', 'a'])`, `Bun.spawn({ cmd: ['rm', 'a'] })`.
  if (program?.kind === 'list') return program
  const listed = optionOf(call, 'cmd')
  if (listed?.kind === 'list') return listed
  const first = program === undefined ? [] : [program]
  return given?.kind === 'list'
    ? list([...first, ...given.items], given.open)
    : list(first, given !== undefined && given.kind !== 'map' && given.kind !== 'own')
}

const commandText = (call: Call): Value | undefined => {
  const given = call.name === 'Deno.Command' ? denoWords(call) : words(call)
  if (given.kind !== 'list' || (given.items.length < 2 && call.args[0]?.kind !== 'list')) return call.args[0]
  return given.items.every(item => item.kind === 'text') ? text(given.items.map(item => textOf(item)).join(' ')) : given
}

const shellNames = [
  'child_process.exec',
  'child_process.execSync',
  'shelljs.exec',
  'execa.command',
  'execa.commandSync',
  'execa.execaCommand',
  'sudo-prompt.exec',
  'Bun.$',
  'zx.$',
  'dax',
  'dax.$',
  'dax.default',
  'bun.$',
  'execa.$',
  '$',
]
const argvNames = [
  'child_process.spawn',
  'child_process.spawnSync',
  'child_process.execFile',
  'child_process.execFileSync',
  'execa',
  'execa.execa',
  'execa.sync',
  'cross-spawn',
  'cross-spawn.spawn',
  'cross-spawn.sync',
  'cross-spawn.sync',
  'Bun.spawn',
  'Bun.spawnSync',
  'process.execve',
  'node-pty.spawn',
]

/** Paths of pages look like paths of files; only these mean files. */
const fileLibraries =
  /^(fs|graceful-fs|glob|fast-glob|globby|tinyglobby|klaw|walk|readdirp|recursive-readdir|Deno|Bun)(?:\.|$)/

export const javaScriptEffects: EffectTable = {
  languages: ['javascript', 'typescript'],
  imported: loads,
  others: { about: name => fileLibraries.test(name) && isOpening(name), effects: opensNamed },
  calls: {
    ...scriptWriters,
    ...scriptDatabases,
    ...table([...fs('rename', 'move'), ...deno('rename')], moves(arg(0), arg(1))),
    ...table(['process.chdir', 'Deno.chdir'], worksIn(arg(0))),
    ...table(
      [
        ...fs('readFile', 'readdir', 'stat', 'lstat', 'access', 'readlink', 'opendir'),
        'fs.createReadStream',
        ...fs('readJson', 'readJSON', 'realpath', 'openAsBlob'),
        ...deno('readFile', 'readTextFile', 'readDir', 'stat', 'lstat', 'readLink', 'realPath'),
        'Bun.file',
        // Whoever watches a folder sees every name in it.
        ...fs('watch', 'watchFile'),
        'chokidar.watch',
        'Deno.watchFs',
        'res.sendFile',
        'res.download',
        'xlsx.readFile',
        '*.sendFile',
      ],
      does('read', arg(0)),
    ),
    ...table(
      [
        ...fs('writeFile', 'chmod', 'chown', 'utimes', 'mkdtemp'),
        ...fs('lchown', 'lchmod', 'lutimes'),
        'fs.createWriteStream',
        ...fs('outputFile', 'outputJson', 'outputJSON', 'writeJson', 'writeJSON'),
        ...deno('writeFile', 'writeTextFile', 'chmod', 'chown', 'utime', 'create'),
        'Bun.write',
      ],
      call => [effect('write', call, call.args[0], { payload: call.args[1] })],
    ),
    // Cut off at the start, a file is as good as gone.
    ...table([...fs('truncate', 'ftruncate'), ...deno('truncate')], call => [
      effect((numberOf(call.args[1]) ?? 0) === 0 ? 'delete' : 'write', call, call.args[0]),
    ]),
    ...table(['sqlite3.Database', 'better-sqlite3', 'node:sqlite.DatabaseSync', 'sqlite.DatabaseSync'], call =>
      call.args[0]?.kind === 'joined' || placeOf(textOf(call.args[0]) ?? '') === 'secret'
        ? [effect('read', call, call.args[0])]
        : [],
    ),
    ...table(['tar.c', 'tar.create', 'tar.pack'], call =>
      call.args.flatMap(value => (value.kind === 'list' ? value.items.map(item => effect('read', call, item)) : [])),
    ),
    ...table([...fs('appendFile', 'mkdir', 'mkdirp', 'mkdirs', 'ensureDir', 'ensureFile'), ...deno('mkdir')], call => [
      effect('write', call, call.args[0], { payload: call.args[1], harmless: true }),
    ]),
    ...table(
      [
        ...fs('unlink', 'rm', 'rmdir'),
        ...deno('remove'),
        'rimraf',
        'rimraf.sync',
        'rimraf.rimraf',
        ...fs('remove', 'emptyDir', 'emptydir'),
        'del',
        'del.sync',
        'del.deleteAsync',
        'del.deleteSync',
        'shelljs.rm',
        'trash',
      ],
      call => [effect('delete', call, call.args[0], { many: call.inLoop || isTrue(optionOf(call, 'recursive')) })],
    ),
    ...table(
      [...fs('copyFile', 'cp', 'link', 'symlink', 'copy'), ...deno('copyFile', 'symlink', 'link')],
      all(does('read', arg(0)), does('write', arg(1))),
    ),
    ...table(
      [
        'fetch',
        'node-fetch',
        'node-fetch.default',
        'axios',
        'axios.get',
        'axios.post',
        'axios.put',
        'axios.patch',
        'axios.delete',
        'axios.head',
        'axios.request',
        ...['axios.create', 'got.extend', 'ky.create', 'ky.extend', 'undici.Client', 'undici.Pool'],
        'http.get',
        'http.request',
        'https.get',
        'https.request',
        'got',
        'got.get',
        'got.post',
        'got.put',
        'request',
        'request.get',
        'request.post',
        'needle',
        'bent',
        'phin',
        'ky',
        'request-promise',
        'request-promise-native',
        'cross-fetch',
        'isomorphic-fetch',
        'node-libcurl.curly',
        ...[
          'needle',
          'superagent',
          'ky',
          'phin',
          'request-promise',
          'axios.create()',
          'got.extend()',
          'ky.create()',
        ].flatMap(client =>
          ['get', 'post', 'put', 'patch', 'delete', 'head', 'request'].map(verb => `${client}.${verb}`),
        ),
        'undici.fetch',
        'undici.request',
        'undici.stream',
        'navigator.sendBeacon',
        'WebSocket',
        'WebSocketStream',
        'EventSource',
        'ws',
        'ws.WebSocket',
        ...['lookup', 'resolve', 'resolve4', 'resolve6', 'resolveTxt', 'resolveAny'].flatMap(name => [
          `dns.${name}`,
          `dns.promises.${name}`,
          `dns.Resolver().${name}`,
        ]),
        'importScripts',
        'XMLHttpRequest().open',
        '$.get',
        '$.post',
        '$.ajax',
        'jQuery.ajax',
        'socket.io-client',
      ],
      call => (call.name === 'XMLHttpRequest().open' ? [effect('connect', call, call.args[1])] : connects(call)),
    ),
    ...table(
      [
        ...['net.connect', 'net.createConnection', 'tls.connect', 'http2.connect', '*.connect'],
        ...['Deno.connect', 'Deno.connectTls', 'Deno.startTls', 'Deno.resolveDns', 'WebTransport'],
      ],
      call => {
        const host =
          call.args.find(value => value.kind === 'text') ?? optionOf(call, 'host') ?? optionOf(call, 'hostname')
        const isSocket = /^((net|tls|http2|Deno)\.|WebTransport$)/.test(call.name)
        return isSocket || call.args[0]?.kind === 'number' ? [effect('connect', call, host)] : []
      },
    ),
    ...table(
      [
        ...shellNames,
        ...argvNames,
        'child_process.fork',
        'Deno.Command',
        'Deno.run',
        'vscode.env.openExternal',
        'electron.shell.openExternal',
      ],
      call => (call.name === '$' && call.args[0]?.kind !== 'joined' ? [] : [effect('run', call, commandText(call))]),
    ),
    ...table(
      ['*.query', '*.execute', '*.exec', '*.run', '*.raw', '*.$executeRawUnsafe', '*.$queryRawUnsafe'],
      executes,
    ),
    ...table(
      [...storeMethods.removing, ...storeMethods.changing, ...storeMethods.adding].map(method => `*.${method}`),
      call =>
        call.args[0]?.kind === 'map' ||
        /drop|flush/i.test(call.name) ||
        // `prisma.user.deleteMany()` without a condition is about all of them.
        (/\.deleteMany$/.test(call.name) && call.args.length === 0)
          ? changesStore(call)
          : [],
    ),
    ...table(['*.drop', '*.remove', '*.truncate', '*.del'], call =>
      /^(mongodb|mongoose|sequelize|knex)\b/.test(call.name) ? changesStore(call) : [],
    ),
    // A member of a powerful module that only the run decides on: it may do anything to what it is given.
    ...table(['fs[]', 'fs.promises[]'], call => [effect('write', call, call.args[0])]),
    ...table(['Deno[]', 'Bun[]'], call => [effect('run', call, undefined), effect('write', call, call.args[0])]),
    'child_process[]': call => [effect('run', call, commandText(call))],
  },
  embeds: {
    ...Object.fromEntries(
      shellNames.map(name => [name, (call: Call) => (name === '$' ? [] : embedCommand(call, call.args[0]))]),
    ),
    ...Object.fromEntries(
      argvNames.map(name => [
        name,
        (call: Call) =>
          isTrue(optionOf(call, 'shell')) && call.args[1]?.kind !== 'list'
            ? embedCommand(call, call.args[0])
            : embedCommand(call, words(call)),
      ]),
    ),
    'child_process[]': call => embedCommand(call, call.args[1]?.kind === 'list' ? words(call) : call.args[0]),
    ...Object.fromEntries(['*.query', '*.execute', '*.exec'].map(name => [name, programsIn])),
    'Deno.Command': call => embedCommand(call, denoWords(call)),
    'Deno.run': call => embedCommand(call, optionOf(call, 'cmd')),
    eval: call => embed(call, 'javascript', call.args[0]),
    Function: call => embed(call, 'javascript', functionBody(call)),
    AsyncFunction: call => embed(call, 'javascript', functionBody(call)),
    setTimeout: call => embed(call, 'javascript', call.args[0]),
    setInterval: call => embed(call, 'javascript', call.args[0]),
    'vm.runInThisContext': call => embed(call, 'javascript', call.args[0]),
    'vm.runInNewContext': call => embed(call, 'javascript', call.args[0]),
    'vm.runInContext': call => embed(call, 'javascript', call.args[0]),
    'vm.Script': call => embed(call, 'javascript', call.args[0]),
    'vm.SourceTextModule': call => embed(call, 'javascript', call.args[0]),
    'vm.compileFunction': call => embed(call, 'javascript', text(`(function(){${sketch(call.args[0]) ?? ''}\n})()`)),
    'ShadowRealm().evaluate': call => embed(call, 'javascript', call.args[0]),
    '*._compile': call => embed(call, 'javascript', call.args[0]),
    'repl.start().eval': call => embed(call, 'javascript', call.args[0]),
    'inspector.Session().post': call => embed(call, 'javascript', optionOf(call, 'expression')),
    import: embedAddress,
    importScripts: embedAddress,
    Worker: embedAddress,
    SharedWorker: embedAddress,
    'worker_threads.Worker': embedAddress,
  },
}

/** A module of a file is read, one from elsewhere is fetched. */
function loads(imported: Import): Effect[] {
  const { module } = imported
  const at = (kind: EffectKind, target: string): Effect => effectAt(kind, text(target), null, imported, false)
  if (/^https?:/i.test(module)) return [at('connect', module)]
  if (module.startsWith('npm:')) return [at('connect', 'registry.npmjs.org')]
  if (module.startsWith('jsr:')) return [at('connect', 'jsr.io')]
  if (!/^(file:|\.{0,2}\/)/i.test(module)) return []
  return [at('read', module)]
}

/** `data:text/javascript,…` is the code itself; a worker may be given code for an address. */
function embedAddress(call: Call): ReturnType<typeof embed> {
  const [address] = call.args
  if (isTrue(optionOf(call, 'eval'))) return embed(call, 'javascript', address)
  const [, form = '', content] = /^data:([^,]*),(.*)$/s.exec(textOf(address) ?? '') ?? []
  if (content === undefined) return []
  const decode = form.endsWith(';base64') ? decoders.base64 : decoders.percent
  return embed(call, 'javascript', text(decode(content) ?? content))
}

/** The body is the last argument; wrapped, because a body may `return`. */
function functionBody(call: Call): Value | undefined {
  const body = call.args.at(-1)
  const code = codeOf(body, 'javascript')
  return code === null ? body : text(`(function(){${code}\n})()`)
}

const numberOf = (value: Value | undefined): number | null => (value?.kind === 'number' ? value.number : null)

function denoWords(call: Call): Value {
  const given = optionOf(call, 'args')
  const first = call.args[0] === undefined ? [] : [call.args[0]]
  return given?.kind === 'list' ? list([...first, ...given.items]) : list(first)
}
