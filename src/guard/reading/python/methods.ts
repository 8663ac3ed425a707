import { origin, type Value } from '../../model.ts'
import { from, join, list, text, textOf } from '../../values.ts'
import { format, joinPaths, onText } from '../arithmetic.ts'
import { decoders } from '../decode.ts'
import type { Fold } from '../library.ts'
import { elementOf } from '../objects.ts'
import { codec, decode } from './decoding.ts'
import { fileHandle } from './files.ts'
import { inModule } from './modules.ts'

const itself: Fold = ({ receiver }) => receiver

const fromMap: Fold = ({ receiver, args }) =>
  receiver?.kind === 'map' && textOf(args[0]) !== null
    ? (receiver.entries.get(textOf(args[0]) ?? '') ?? args[1] ?? null)
    : null

export const pythonMethods = new Map<string, Fold>([
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
  [
    'pop',
    call => inModule(call) ?? fromMap(call) ?? (call.receiver?.kind === 'list' ? elementOf(call.receiver) : null),
  ],
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
