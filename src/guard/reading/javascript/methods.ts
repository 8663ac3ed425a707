import { origin, type Value } from '../../model.ts'
import { from, join, list, number, text, textOf } from '../../values.ts'
import { onText } from '../arithmetic.ts'
import { decoders } from '../decode.ts'
import type { Fold } from '../library.ts'

const itself: Fold = ({ receiver }) => receiver

const applied: Fold = ({ receiver, args, apply }) => {
  if (receiver?.kind !== 'own' && receiver?.kind !== 'thing') return null
  const given = args[1]
  return apply(receiver, given?.kind === 'list' ? given.items : [])
}

export const javaScriptMethods = new Map<string, Fold>([
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

export type Apply = Parameters<Fold>[0]['apply']
export function mapped(receiver: Value | null, fn: Value | undefined, apply: Apply): Value | null {
  if (receiver?.kind !== 'list' || fn === undefined || receiver.open || receiver.items.length > 2_000) return null
  return list(receiver.items.map(item => apply(fn, [item])))
}
