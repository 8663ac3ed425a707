import { origin, type Value } from '../model.ts'
import { isSecretName, placeOf } from '../paths.ts'
import {
  boolean,
  from,
  join,
  list,
  map,
  nothing,
  number,
  startOf,
  tainted,
  text,
  textOf,
  thing,
  unknown,
} from '../values.ts'
import { format, joinPaths } from './arithmetic.ts'
import { decoded, decoders } from './decode.ts'
import type { Fold, Library } from './library.ts'
import { elementOf, scalar } from './objects.ts'
import { pythonOrigins } from './python-origins.ts'

const decode =
  (decoder: (content: string) => string | null): Fold =>
  ({ args }) =>
    decoded(args[0], decoder)

const path: Fold = ({ args }) =>
  args.length === 0 ? text('.') : joinPaths(args.filter(part => part.kind !== 'nothing'))
const first: Fold = ({ args }) => args[0] ?? null
const itself: Fold = ({ receiver }) => receiver
const home: Fold = () => text('~')

/** What is in an environment variable: the home folder is known, a variable with a telling name is a secret. */
const variable: Fold = ({ args }) => {
  const name = textOf(args[0])
  if (name === 'HOME' || name === 'USERPROFILE') return text('~', origin.environment)
  return from(origin.environment | (name !== null && isSecretName(name) ? origin.secret : 0))
}

const opened: Fold = ({ args, named, receiver }) => {
  const file = args[0] ?? named.get('file') ?? receiver ?? undefined
  return fileHandle(file)
}

/** A handle carries what its file holds. */
function fileHandle(file: Value | undefined): Value {
  const place = placeOf(startOf(file))
  return thing(
    'open()',
    origin.file | (place === 'secret' ? origin.secret : 0) | ((file?.origins ?? 0) & origin.request),
  )
}

const imported: Fold = ({ args, imported: note }) => {
  const module = textOf(args[0])
  return module === null ? thing('?module', args[0]?.origins ?? 0) : note(module)
}

const mapped: Fold = ({ args, apply }) => {
  const [fn, over] = args
  if (fn === undefined || over?.kind !== 'list' || over.open || over.items.length > 2_000) return null
  return list(over.items.map(item => apply(fn, [item])))
}

/** `functools.reduce(getattr, ['path', 'join'], os)`: walked when every step is known. */
const reduced: Fold = ({ args, apply }) => {
  const [fn, over, start] = args
  if (fn === undefined || over?.kind !== 'list' || over.open || over.items.length > 50) return null
  const items = start === undefined ? over.items : [start, ...over.items]
  const [begin, ...rest] = items
  return begin === undefined ? null : rest.reduce((value, item) => apply(fn, [value, item]), begin)
}

/** One of several functions: which one is called does not matter, since each may be. */
const chosen: Fold = ({ args }) => {
  const [over] = args
  return over?.kind === 'list' && over.items.length > 0 && over.items.every(isCallable) ? elementOf(over) : null
}
const isCallable = (value: Value): boolean => value.kind === 'thing' || value.kind === 'own'

/** `eval('os')` is the module: a text that is only a name is worth what the name is worth. */
const named: Fold = ({ args, member }) => {
  const written = textOf(args[0])?.trim()
  if (written === undefined || !/^[A-Za-z_]\w*(\.\w+)*$/.test(written)) return null
  return written.split('.').reduce(member, thing('builtins') as Value)
}

/** `pkgutil.resolve_name('os:system')`. */
const resolved: Fold = ({ args, member, imported: note }) => {
  const [module, ...rest] = textOf(args[0])?.split(/[.:]/) ?? []
  return module === undefined ? null : rest.reduce(member, note(module))
}

/** `vars(os).get('system')`, `sys.modules.get('os')`: what is in a module by its name. */
const inModule: Fold = ({ args, receiver, member }) => {
  const name = textOf(args.at(-1))
  return name !== null && receiver?.kind === 'thing' && powerful.test(receiver.name) ? member(receiver, name) : null
}
const powerful = /^(os|sys|sys\.modules|subprocess|shutil|builtins|socket|importlib|ctypes|pty)$/

const fromMap: Fold = ({ receiver, args }) =>
  receiver?.kind === 'map' && textOf(args[0]) !== null
    ? (receiver.entries.get(textOf(args[0]) ?? '') ?? args[1] ?? null)
    : null

const dictionary: Fold = ({ args, named: given }) => {
  const [over] = args
  // `dict(inspect.getmembers(os))` and `dict(vars(os))` hold what the module holds.
  if (over?.kind === 'thing' && powerful.test(over.name)) return over
  const entries = new Map(over?.kind === 'map' ? over.entries : [])
  if (over?.kind === 'list') {
    for (const pair of over.items) {
      const key = pair.kind === 'list' && pair.items[0] ? scalar(pair.items[0]) : null
      const value = pair.kind === 'list' ? pair.items[1] : undefined
      if (key !== null && value !== undefined) entries.set(key, value)
    }
  }
  for (const [name, value] of given) entries.set(name, value)
  return map(entries, true)
}

const moduleOf = (name: string): string => (name.includes('.') ? name.slice(0, name.lastIndexOf('.')) : 'builtins')

const folds = new Map<string, Fold>([
  ['os.path.join', ({ args }) => joinPaths(args)],
  ['os.path.expanduser', first],
  ['os.path.expandvars', ({ args }) => expandVariables(args[0])],
  ['os.path.abspath', first],
  ['os.path.realpath', first],
  ['os.path.normpath', first],
  ['os.path.dirname', ({ args }) => (args[0]?.kind === 'thing' ? text('.') : null)],
  ['os.fspath', first],
  ['os.fsencode', first],
  ['os.getcwd', () => text('.')],
  ['site.getsitepackages', () => list([text('/usr/lib/python3/site-packages')])],
  ['site.getusersitepackages', () => text('~/.local/lib/python3/site-packages')],
  ['sysconfig.get_path', () => text('/usr/lib/python3/site-packages')],
  ['pathlib.Path', path],
  ['pathlib.PurePath', path],
  ['pathlib.PurePosixPath', path],
  ['pathlib.PureWindowsPath', path],
  ['pathlib.PosixPath', path],
  ['pathlib.WindowsPath', path],
  ['pathlib.Path.home', home],
  ['pathlib.Path.cwd', () => text('.')],
  ['os.getenv', variable],
  ['os.environ.get', variable],
  ['os.environ.pop', variable],
  ['open', opened],
  ['io.open', opened],
  ['codecs.open', opened],
  ['os.open', opened],
  ['str', ({ args }) => (args[0]?.kind === 'number' ? text(String(args[0].number)) : (args[0] ?? text('')))],
  ['bytes', ({ args }) => fromCodes(args[0]) ?? args[0] ?? null],
  ['bytearray', ({ args }) => fromCodes(args[0]) ?? args[0] ?? null],
  ['repr', first],
  ['format', first],
  [
    'list',
    ({ args }) =>
      args[0]?.kind === 'text' ? list([...args[0].text].map(letter => text(letter))) : (args[0] ?? list([])),
  ],
  ['tuple', first],
  ['set', first],
  ['iter', first],
  ['sorted', first],
  ['reversed', ({ args }) => reversed(args[0])],
  [
    'chr',
    ({ args }) =>
      args[0]?.kind === 'number'
        ? text(String.fromCodePoint(Math.min(Math.max(args[0].number | 0, 0), 0x10ffff)), origin.decoded)
        : from(origin.decoded | (args[0]?.origins ?? 0)),
  ],
  [
    'ord',
    ({ args }) =>
      args[0]?.kind === 'text' && args[0].text ? number(args[0].text.codePointAt(0) ?? 0, args[0].origins) : null,
  ],
  [
    'int',
    ({ args }) =>
      textOf(args[0]) !== null ? whole(textOf(args[0]) ?? '', args[1]) : args[0]?.kind === 'number' ? args[0] : null,
  ],
  ['map', mapped],
  ['dict', dictionary],
  ['collections.OrderedDict', dictionary],
  ['types.SimpleNamespace', dictionary],
  ['types.MappingProxyType', first],
  ['staticmethod', first],
  ['classmethod', first],
  ['next', chosen],
  ['max', chosen],
  ['min', chosen],
  ['random.choice', chosen],
  ['eval', named],
  ['functools.reduce', reduced],
  [
    'getattr',
    ({ args, member }) =>
      args[0] && textOf(args[1]) !== null
        ? member(args[0], textOf(args[1]) ?? '')
        : thing('?attribute', args[1]?.origins ?? 0),
  ],
  ['vars', ({ args }) => args[0] ?? thing('builtins')],
  ['globals', () => thing('builtins')],
  ['locals', () => thing('builtins')],
  ['__import__', imported],
  ['importlib.import_module', imported],
  ['importlib.__import__', imported],
  ['imp.load_module', imported],
  ['functools.partial', ({ args, apply }) => (args[0] ? apply(args[0], args.slice(1)) : null)],
  ['importlib.reload', first],
  ['importlib.util.find_spec', ({ args }) => (textOf(args[0]) === null ? null : thing(textOf(args[0]) ?? ''))],
  ['importlib.util.module_from_spec', first],
  ['importlib._bootstrap._gcd_import', imported],
  ['runpy.run_module', imported],
  ['__loader__.load_module', imported],
  ['__spec__.loader.load_module', imported],
  ['_frozen_importlib.BuiltinImporter.load_module', imported],
  ['importlib.machinery.BuiltinImporter.load_module', imported],
  ['pkgutil.resolve_name', resolved],
  ['inspect.getmembers', first],
  ['inspect.getmodule', ({ args }) => (args[0]?.kind === 'thing' ? thing(moduleOf(args[0].name)) : null)],
  ['base64.b64decode', decode(decoders.base64)],
  ['base64.standard_b64decode', decode(decoders.base64)],
  [
    'base64.urlsafe_b64decode',
    ({ args }) => decoded(args[0], content => decoders.base64(content.replace(/-/g, '+').replace(/_/g, '/'))),
  ],
  ['base64.decodebytes', decode(decoders.base64)],
  ['base64.decodestring', decode(decoders.base64)],
  ['base64.b32decode', decode(decoders.base32)],
  ['base64.b16decode', decode(decoders.hex)],
  ['base64.b85decode', decode(decoders.base85)],
  ['base64.a85decode', decode(decoders.base85)],
  ['binascii.a2b_base64', decode(decoders.base64)],
  ['binascii.unhexlify', decode(decoders.hex)],
  ['binascii.a2b_hex', decode(decoders.hex)],
  ['bytes.fromhex', decode(decoders.hex)],
  ['bytearray.fromhex', decode(decoders.hex)],
  ['zlib.decompress', decode(decoders.inflate)],
  ['gzip.decompress', decode(decoders.gunzip)],
  ['bz2.decompress', decode(() => null)],
  ['lzma.decompress', decode(() => null)],
  ['codecs.decode', ({ args }) => codec(args[0], textOf(args[1]) ?? 'utf-8')],
  ['urllib.parse.unquote', decode(decoders.percent)],
  ['compile', first],
  ['urllib.request.Request', ({ args, named }) => args[0] ?? named.get('url') ?? null],
  ['textwrap.dedent', first],
  ['sqlalchemy.text', first],
  [
    'shlex.split',
    ({ args }) =>
      textOf(args[0]) === null
        ? null
        : list((textOf(args[0]) ?? '').split(/\s+/).map(word => text(word.replace(/^(['"])(.*)\1$/, '$2')))),
  ],
  ['bool', () => unknown],
])

const methods = new Map<string, Fold>([
  ['join', joinList],
  ['format', ({ receiver, args, named }) => (receiver?.kind === 'text' ? format(receiver.text, args, named) : null)],
  [
    'decode',
    ({ receiver, args }) => (receiver?.kind === 'text' ? codec(receiver, textOf(args[0]) ?? 'utf-8') : receiver),
  ],
  ['encode', ({ receiver, args }) => (/rot|hex|base64|zlib/.test(textOf(args[0]) ?? '') ? null : receiver)],
  [
    'replace',
    ({ receiver, args }) =>
      onText(receiver, content =>
        textOf(args[0]) ? content.split(textOf(args[0]) ?? '').join(textOf(args[1]) ?? '') : content,
      ),
  ],
  ['strip', ({ receiver }) => onText(receiver, content => content.trim())],
  ['rstrip', ({ receiver }) => onText(receiver, content => content.trimEnd())],
  ['lstrip', ({ receiver }) => onText(receiver, content => content.trimStart())],
  ['lower', ({ receiver }) => onText(receiver, content => content.toLowerCase())],
  ['upper', ({ receiver }) => onText(receiver, content => content.toUpperCase())],
  [
    'swapcase',
    ({ receiver }) =>
      onText(receiver, content =>
        content.replace(/[a-z]/gi, letter => (letter < 'a' ? letter.toLowerCase() : letter.toUpperCase())),
      ),
  ],
  [
    'split',
    ({ receiver, args }) =>
      receiver?.kind === 'text'
        ? list(receiver.text.split(textOf(args[0]) ?? /\s+/).map(part => text(part, receiver.origins)))
        : null,
  ],
  ['translate', ({ receiver }) => (receiver ? from(receiver.origins | origin.decoded) : null)],
  ['expanduser', itself],
  ['resolve', itself],
  ['absolute', itself],
  ['as_posix', itself],
  ['joinpath', ({ receiver, args }) => (receiver ? joinPaths([receiver, ...args]) : null)],
  ['open', ({ receiver }) => (receiver && receiver.kind !== 'thing' ? fileHandle(receiver) : null)],
  ['read_text', ({ receiver }) => (receiver && receiver.kind !== 'thing' ? fileHandle(receiver) : null)],
  ['read_bytes', ({ receiver }) => (receiver && receiver.kind !== 'thing' ? fileHandle(receiver) : null)],
  ['__getitem__', inModule],
  ['__getattribute__', inModule],
  ['pop', inModule],
  ['get', call => inModule(call) ?? fromMap(call)],
  ['copy', ({ receiver }) => (receiver?.kind === 'list' || receiver?.kind === 'map' ? receiver : null)],
  ['fromhex', decode(decoders.hex)],
])

function joinList({ receiver, args }: Parameters<Fold>[0]): Value | null {
  const [items] = args
  if (receiver?.kind !== 'text' || items === undefined) return null
  if (items.kind === 'text') return text([...items.text].join(receiver.text), items.origins)
  if (items.kind !== 'list') return join([from(items.origins | receiver.origins)])
  const parts: (string | Value)[] = []
  items.items.forEach((item, at) => {
    if (at > 0 && receiver.text) parts.push(receiver.text)
    parts.push(item.kind === 'choice' ? from(item.origins) : item)
  })
  if (items.open) parts.push(from(items.origins))
  return join(parts)
}

function onText(value: Value | null, change: (content: string) => string): Value | null {
  if (value?.kind === 'text') return text(change(value.text), value.origins)
  return value?.kind === 'joined' ? value : null
}

function codec(value: Value | undefined, name: string): Value | null {
  if (value === undefined) return null
  if (/rot.?13/i.test(name)) return decoded(value, decoders.rot13)
  if (/hex/i.test(name)) return decoded(value, decoders.hex)
  if (/base64/i.test(name)) return decoded(value, decoders.base64)
  if (/zlib|zip/i.test(name)) return decoded(value, decoders.inflate)
  if (/unicode_escape|string_escape/i.test(name)) return tainted(value, origin.decoded)
  return value.kind === 'text' ? text(decoders.utf8(value.text) ?? value.text, value.origins) : value
}

function fromCodes(value: Value | undefined): Value | null {
  if (value?.kind !== 'list' || value.open) return null
  let result = ''
  for (const item of value.items) {
    if (item.kind !== 'number') return from(value.origins | origin.decoded)
    result += String.fromCharCode(item.number & 0xff)
  }
  return text(result, value.origins | origin.decoded)
}

function reversed(value: Value | undefined): Value | null {
  if (value?.kind === 'text') return list([...value.text].reverse().map(letter => text(letter, value.origins)))
  return value?.kind === 'list' ? list([...value.items].reverse(), value.open) : (value ?? null)
}

function whole(content: string, base: Value | undefined): Value {
  const parsed = Number.parseInt(
    content,
    base?.kind === 'number' && base.number > 1 && base.number < 37 ? base.number : 10,
  )
  return Number.isNaN(parsed) ? unknown : number(parsed)
}

function expandVariables(value: Value | undefined): Value | null {
  const content = textOf(value)
  return content === null ? (value ?? null) : text(content.replace(/\$\{?HOME\}?|%USERPROFILE%/g, '~'))
}

export const pythonLibrary: Library = {
  aliases: new Map([
    ['pd', 'pandas'],
    ['np', 'numpy'],
    ['plt', 'matplotlib.pyplot'],
    ['sns', 'seaborn'],
    ['tf', 'tensorflow'],
    ['Path', 'pathlib.Path'],
    ['b64decode', 'base64.b64decode'],
    ['check_output', 'subprocess.check_output'],
    ['Popen', 'subprocess.Popen'],
    ['sp', 'subprocess'],
  ]),
  builtins: new Set(
    'abs all any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile complex delattr dict dir divmod enumerate eval exec execfile filter float format frozenset getattr globals hasattr hash help hex id input int isinstance issubclass iter len list locals map max memoryview min next object oct open ord pow print property range raw_input repr reversed round set setattr slice sorted staticmethod str sum super tuple type unicode vars zip __import__ __file__ __name__ Exception ValueError True False None'.split(
      ' ',
    ),
  ),
  canonical: canonicalPython,
  origins: pythonOrigins,
  constants: new Map([
    ['os.environ.HOME', text('~', origin.environment)],
    ['os.environ.USERPROFILE', text('~', origin.environment)],
    ['os.sep', text('/')],
    ['os.path.sep', text('/')],
    ['os.linesep', text('\n')],
    ['os.curdir', text('.')],
    ['os.pardir', text('..')],
    ['os.devnull', text('/dev/null')],
    ['string.ascii_lowercase', text('abcdefghijklmnopqrstuvwxyz')],
    ['string.ascii_uppercase', text('ABCDEFGHIJKLMNOPQRSTUVWXYZ')],
    ['string.ascii_letters', text('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ')],
    ['string.digits', text('0123456789')],
    ['sys.executable', text('python3')],
    ['True', boolean(true)],
    ['False', boolean(false)],
    ['None', nothing],
  ]),
  parameterOrigins: name => (/^(request|req|event|environ)$/.test(name) ? origin.request : 0),
  folds,
  methods,
  cleans: new Set([
    'int',
    'float',
    'len',
    'bool',
    'hash',
    'id',
    'abs',
    'round',
    'isinstance',
    'shlex.quote',
    'pipes.quote',
    'html.escape',
    'cgi.escape',
    'markupsafe.escape',
    'flask.escape',
    'bleach.clean',
    'werkzeug.utils.secure_filename',
    'secure_filename',
    'os.path.basename',
    'os.path.exists',
    'os.path.isfile',
    'os.path.isdir',
    'uuid.UUID',
    're.match',
    're.fullmatch',
    'enumerate',
    'range',
    'zip',
    'print',
    '*.isdigit',
    '*.startswith',
    '*.endswith',
    '*.hexdigest',
    '*.index',
    '*.count',
  ]),
  slashJoins: true,
}

/** Other spellings of the same thing, so that rules need to know one. */
function canonicalPython(name: string): string {
  let known = name
  for (const [prefix, plain] of spellings) {
    if (known.startsWith(prefix)) {
      known = plain + known.slice(prefix.length)
      break
    }
  }
  // `sys.modules['os']`, `os.__dict__['system']`, `builtins.__dict__`: the way round is the same place.
  if (known.startsWith('sys.modules.')) known = known.slice(12)
  if (known.includes('.__dict__')) known = known.replace(/\.__dict__(?=\.|$)/g, '')
  if (known.includes('.__globals__.')) known = known.replace(/^.*\.__globals__\./, '')
  if (known.includes('__builtins__.')) known = known.replace(/^.*__builtins__\./, '')
  if (known.startsWith('builtins.')) known = known.slice(9)
  if (known.includes('.f_')) known = known.replace(/^.*\.f_(builtins|globals|locals)\./, '')
  if (known.includes('.__self__.')) known = known.replace(/^\w+\.__self__\./, '')
  if (known.includes('.loader.load_module()')) known = known.replace('.loader.load_module()', '')
  // Modules carry the modules that they import: `pathlib.os` is `os`.
  const carried = carriedModule.exec(known)
  if (carried !== null) known = canonicalPython(known.slice((carried[1] ?? '').length).replace(/^_/, ''))
  if (known.endsWith('.__call__')) known = known.slice(0, -9)
  return known
}

const carriedModule =
  /^((?!self\.|socket\.socket\b)[\w.]+?\.)_?(?:os|sys|subprocess|shutil|builtins|importlib|socket|posix|ctypes|pty|runpy)(?=\.|$)/

const spellings: readonly (readonly [string, string])[] = [
  ['asyncio.subprocess.', 'asyncio.'],
  ['__builtin__.', ''],
  ['__builtins__.', ''],
  ['posix.', 'os.'],
  ['nt.', 'os.'],
  ['posixpath.', 'os.path.'],
  ['ntpath.', 'os.path.'],
  ['cPickle.', 'pickle.'],
  ['_pickle.', 'pickle.'],
  ['commands.', 'subprocess.'],
  ['subprocess32.', 'subprocess.'],
  ['urllib3.request.', 'urllib3.'],
  ['six.moves.urllib.', 'urllib.'],
  ['six.moves.cPickle.', 'pickle.'],
  ['aiofiles.open', 'open'],
  ['io.open', 'open'],
  ['codecs.open', 'open'],
  ['importlib.__import__', '__import__'],
  ['multiprocessing.connection.Client', 'socket.create_connection'],
]
