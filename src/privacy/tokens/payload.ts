import { Failure } from '../../contract/problem.ts'

/** What a payload may be made of, and how large it may get: what cannot be read to its end is held, never sent as `{}`. */

/** Deepest nesting; more of it would end in a full stack. */
export const deepest = 400
/** Most parts. A value that holds itself twice at each of thirty levels is small in memory and endless to a walk. */
const mostParts = 4_000_000

/** Every text in a value, keys included. Throws what `Failure` says when it cannot be read to its end. */
export function textsIn(value: unknown): string[] {
  const texts: string[] = []
  const check = partsCheck()
  const walk = (node: unknown, depth: number): void => {
    if (typeof node === 'string') {
      check.part(depth)
      texts.push(node)
      return
    }
    check.part(depth)
    if (node === null || typeof node !== 'object') return
    if (node instanceof Uint8Array) {
      texts.push(Buffer.from(node.buffer, node.byteOffset, node.byteLength).toString('latin1'))
      return
    }
    check.inside(node, () => {
      if (Array.isArray(node) || node instanceof Set) for (const item of node) walk(item, depth + 1)
      else if (node instanceof Map) {
        for (const [key, item] of node) {
          walk(key, depth + 1)
          walk(item, depth + 1)
        }
      } else {
        for (const [key, item] of Object.entries(node)) {
          texts.push(key)
          walk(item, depth + 1)
        }
      }
    })
  }
  walk(value, 0)
  return texts
}

/** Counts the parts of a walk and notices when it comes back to where it is. */
export function partsCheck() {
  let parts = 0
  const open = new Set<object>()
  return {
    part(depth: number): void {
      if (depth > deepest) throw held('The data is nested too deeply to be checked.', 'Send it as text, or flatten it.')
      if (++parts > mostParts)
        throw held('The data has too many parts to be checked.', 'Send less at once, or send it as text.')
    },
    inside<T>(node: object, use: () => T): T {
      if (open.has(node)) throw held('The data contains itself and cannot be checked.', 'Send it without the cycle.')
      open.add(node)
      const result = use()
      open.delete(node)
      return result
    },
  }
}

/** Refuses what would come out empty: its content cannot be seen, so it cannot be vouched for. */
export function refuseOpaque(node: object): void {
  const prototype: unknown = Object.getPrototypeOf(node)
  if (prototype === Object.prototype || prototype === null) return
  const isOpaque = node instanceof Error || ArrayBuffer.isView(node) || Object.keys(node).length === 0
  if (!isOpaque) return
  const kind = Object.prototype.toString.call(node).slice(8, -1)
  throw held(
    `The data holds something that cannot be checked (${kind}).`,
    'Send its text, its list of values or its fields instead.',
  )
}

export const held = (message: string, hint: string): Failure => new Failure('privacy.held', message, hint)
