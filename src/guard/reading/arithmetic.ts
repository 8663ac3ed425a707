import type { Value } from '../model.ts'
import { from, join, list, map, number, startOf, tainted, text, textOf } from '../values.ts'

/** A program may ask for `'A' * 10**9`; what does not fit is simply not known. */
export const longestText = 200_000

const isTextual = (value: Value): boolean => value.kind === 'text' || value.kind === 'joined'

export function binary(operator: string, left: Value, right: Value, slashJoins: boolean): Value {
  const origins = left.origins | right.origins
  if (left.kind === 'number' && right.kind === 'number') {
    const result = numeric(operator, left.number, right.number)
    return result === null ? from(origins) : number(result, origins)
  }
  if (operator === '+') {
    if (left.kind === 'list' && right.kind === 'list')
      return list([...left.items, ...right.items], left.open || right.open)
    if (isTextual(left) || isTextual(right))
      return lengthOf(left) + lengthOf(right) > longestText ? from(origins) : join([left, right])
    if (left.kind === 'joined' || right.kind === 'joined') return join([left, right])
    return from(origins)
  }
  // Two tables, or two sets, in one.
  if (operator === '|') {
    const tables = [left, right].flatMap(side => (side.kind === 'map' ? [side] : []))
    if (tables.length > 0) {
      const isOpen = tables.length < 2 || tables.some(table => table.open)
      return map(new Map(tables.flatMap(table => [...table.entries])), isOpen)
    }
    if (left.kind === 'list' && right.kind === 'list')
      return list([...left.items, ...right.items], left.open || right.open)
  }
  if (operator === '*') {
    const [content, times] = left.kind === 'number' ? [right, left] : [left, right]
    // One letter as often as a block is long stays one letter, whatever the length is.
    if (times.kind === 'thing' && content.kind === 'text' && /(^|\.)block_size$/.test(times.name))
      return text(content.text.repeat(16).slice(0, longestText), origins)
    if (times.kind !== 'number') return from(origins)
    if (content.kind === 'text' && content.text.length * times.number <= longestText && times.number >= 0) {
      return text(content.text.repeat(Math.floor(times.number)), origins)
    }
    return from(origins)
  }
  if (operator === '%' && isTextual(left)) return percent(left, right)
  if (operator === '/' && slashJoins && (isTextual(left) || isTextual(right))) return joinPaths([left, right])
  return from(origins)
}

function lengthOf(value: Value): number {
  return value.kind === 'text' ? value.text.length : value.kind === 'joined' ? value.parts.length * 8 : 0
}

function numeric(operator: string, left: number, right: number): number | null {
  switch (operator) {
    case '+':
      return left + right
    case '-':
      return left - right
    case '*':
      return left * right
    case '/':
      return left / right
    case '//':
      return Math.floor(left / right)
    case '%':
      return right === 0 ? null : ((left % right) + right) % right
    case '**':
      return left ** right
    case '^':
      return left ^ right
    case '&':
      return left & right
    case '|':
      return left | right
    case '<<':
      return right < 31 ? left << right : left * 2 ** right
    case '>>':
      return left >> right
    default:
      return null
  }
}

/** Python's `'… %s …' % value`. */
function percent(format: Value, value: Value): Value {
  const pattern = textOf(format)
  if (pattern === null) return join([format, value])
  const values = value.kind === 'list' ? [...value.items] : [value]
  const parts: (string | Value)[] = []
  let last = 0
  for (const found of pattern.matchAll(/%(?:\((\w+)\))?[-#0 +]*(?:\*|\d+)?(?:\.(?:\*|\d+))?[diouxXeEfFgGcrsa%]/g)) {
    parts.push(pattern.slice(last, found.index))
    last = found.index + found[0].length
    if (found[0].endsWith('%')) parts.push('%')
    else if (found[1] !== undefined)
      parts.push((value.kind === 'map' && value.entries.get(found[1])) || from(value.origins))
    else parts.push(values.shift() ?? from(value.origins))
  }
  parts.push(pattern.slice(last))
  return join(parts)
}

/** `'…{}…{name}'.format(…)`. */
export function format(pattern: string, args: readonly Value[], named: ReadonlyMap<string, Value>): Value {
  const parts: (string | Value)[] = []
  let last = 0
  let next = 0
  for (const found of pattern.matchAll(/\{\{|\}\}|\{([\w.[\]]*)(?:![rsa])?(?::[^{}]*)?\}/g)) {
    parts.push(pattern.slice(last, found.index))
    last = found.index + found[0].length
    const field = found[1]
    if (field === undefined) parts.push(found[0].charAt(0))
    else {
      const name = field.split(/[.[]/)[0] ?? ''
      const value = name === '' ? args[next++] : /^\d+$/.test(name) ? args[Number(name)] : named.get(name)
      parts.push(value === undefined || name !== field ? from(value?.origins ?? 0) : value)
    }
  }
  parts.push(pattern.slice(last))
  return join(parts)
}

/** Paths joined as the libraries do: an absolute part starts anew. */
export function joinPaths(parts: readonly Value[]): Value {
  let pieces: (string | Value)[] = []
  let origins = 0
  for (const part of parts) {
    origins |= part.origins
    const known =
      part.kind === 'text'
        ? part.text
        : part.kind === 'joined' && typeof part.parts[0] === 'string'
          ? part.parts[0]
          : ''
    if (/^(\/|~|[a-z]:[\\/])/i.test(known)) pieces = []
    else if (pieces.length > 0) pieces.push('/')
    pieces.push(part)
  }
  const joined = join(pieces)
  const whole = textOf(joined)
  return whole === null ? joined : text(whole.replace(/([^:])\/{2,}/g, '$1/'), origins)
}

/** A known text with something done to it; one that is known in part stays what it is. */
export function onText(value: Value | null, change: (content: string) => string): Value | null {
  if (value?.kind === 'text') return text(change(value.text), value.origins)
  return value?.kind === 'joined' ? value : null
}

/**
 * An address against a base, as `new URL(path, base)` and `urljoin(base, path)` put them together. What starts with
 * something unknown may be an address of its own, so that nothing is known of the host.
 */
export function joinAddress(base: Value, path: Value | undefined): Value {
  if (path === undefined) return base
  const start = startOf(path)
  const origins = base.origins | path.origins
  if (start === '' && textOf(path) !== '') return from(origins)
  if (/^[a-z][a-z0-9+.-]*:/i.test(start)) return path
  const [, scheme = '', host = '', folder = ''] =
    /^([a-z][a-z0-9+.-]*:)(\/\/[^/?#]*)([^?#]*)/i.exec(startOf(base)) ?? []
  // The start of the base is known, or nothing of the host is.
  if (host === '' || (textOf(base) === null && folder === '')) return from(origins)
  const head = start.startsWith('//')
    ? scheme
    : start.startsWith('/')
      ? scheme + host
      : scheme + host + lastFolder(folder)
  return tainted(join([text(head), path]), origins)
}
const lastFolder = (folder: string): string => folder.slice(0, folder.lastIndexOf('/') + 1) || '/'
