import { origin, type Value } from '../../model.ts'
import { from, join, list, map, number, text, textOf, thing, unknown } from '../../values.ts'
import { joinAddress, joinPaths } from '../arithmetic.ts'
import { decoded, decoders } from '../decode.ts'
import type { Fold } from '../library.ts'
import { elementOf, scalar } from '../objects.ts'
import { codec, decode, fromCodes } from './decoding.ts'
import { expandVariables, home, opened, path, variable } from './files.ts'
import { imported, moduleOf, named, powerful, resolved } from './modules.ts'

const first: Fold = ({ args }) => args[0] ?? null

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

/** What is prepared with arguments may be called by anybody, and is listed with them at once. */
const partial: Fold = ({ args, named, apply, prepare }) => {
  const [fn, ...first] = args
  if (fn === undefined) return null
  if (first.length > 0) apply(fn, first, named)
  return prepare((more, also) => apply(fn, [...first, ...more], new Map([...named, ...also])))
}

/** `urlunsplit((scheme, host, path, …))`. */
const address: Fold = ({ args }) => {
  const [scheme, host, path] = args[0]?.kind === 'list' ? args[0].items : []
  return scheme && host ? join([scheme, '://', host, path ?? '']) : null
}

/** Functions of Python and its libraries whose value can be told from their arguments. */
export const pythonCalls = new Map<string, Fold>([
  ['urllib.parse.urljoin', ({ args }) => (args[0] ? joinAddress(args[0], args[1]) : null)],
  ['urllib.parse.urlunsplit', address],
  ['urllib.parse.urlunparse', address],
  ['yarl.URL', first],
  ['httpx.URL', first],
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
  ['functools.partial', partial],
  ['functools.partialmethod', partial],
  [
    'operator.attrgetter',
    ({ args, member, prepare }) => {
      const path = textOf(args[0])
      return path === null ? null : prepare(([object]) => path.split('.').reduce(member, object ?? unknown))
    },
  ],
  [
    'operator.methodcaller',
    ({ args, named, member, apply, prepare }) => {
      const name = textOf(args[0])
      return name === null ? null : prepare(([object]) => apply(member(object ?? unknown, name), args.slice(1), named))
    },
  ],
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
  ['pydoc.locate', resolved],
  ['unittest.mock._importer', resolved],
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
