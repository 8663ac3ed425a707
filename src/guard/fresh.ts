import type { Value } from './model.ts'
import { sketch } from './values.ts'

/**
 * A path of which nobody else's file can be part: one of its names is chosen by the run (`mktemp`, `$$`), and from there
 * on it never climbs back. That is a fact of the value: a folder that is called `XXXX` is not taken for a new one.
 */
export function isFreshPath(path: Value): boolean {
  const parts = path.kind === 'joined' ? path.parts : [path]
  const at = parts.findLastIndex(part => typeof part !== 'string' && part.kind === 'fresh')
  if (at === -1) return false
  const before = parts.slice(0, at).some(part => typeof part === 'string' && /[*?]/.test(part))
  const after = parts.slice(at + 1).map(part => (typeof part === 'string' ? part : (sketch(part) ?? ' ')))
  const [, below] = /^(?:\.\w+)?(?:\/(.*))?$/s.exec(after.join('')) ?? [undefined, '..']
  return !before && !/(^|\/)\.\.(\/|$)/.test(below ?? '')
}
