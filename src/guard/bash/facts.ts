import { isFreshPath } from '../fresh.ts'
import type { Call, Value } from '../model.ts'
import { normalise, placeOf } from '../paths.ts'
import { fromSketch, join, startOf, text, wholeOf } from '../values.ts'

/**
 * What the reader notes of a shell command besides its words. It stands in `Call.named`, which shell commands have no
 * other use for: `path` (how the command was reached when not through the search path), `input` (what it is fed),
 * `folder` (where it runs, when not in the workspace) and `made` (arguments that name files of the script's own).
 */
export const inputOf = (call: Call): Value | undefined => call.named.get('input')
export const pathOf = (call: Call): string | null => {
  const path = call.named.get('path')
  return path === undefined ? null : wholeOf(path)
}

export function isOwn(call: Call, target: Value): boolean {
  const made = call.named.get('made')
  return isTemporary(target) || (made?.kind === 'list' && made.items.includes(target))
}

/** Out of `mktemp`: nobody else's file can have this name. */
export const isTemporary = isFreshPath

/** A path seen from the workspace: after `cd /etc` a plain `passwd` is `/etc/passwd`. */
export function located(call: Call | null, target: Value): Value {
  // Whatever folder it is: a file such as `.ssh/id_rsa` in it belongs to somebody's home.
  if (target.kind === 'joined' && target.parts.length === 2) {
    const [folder, tail] = target.parts
    if (typeof folder !== 'string' && typeof tail === 'string' && /^\/\.(?!env|\.?\/|git)/.test(tail)) {
      const home = `~${tail}`
      if (/^(secret|startup)$/.test(placeOf(home))) return text(home, target.origins)
    }
  }
  const folder = call?.named.get('folder')
  const start = startOf(target)
  if (folder === undefined || start === '' || /^([/~]|[a-z]+:)/i.test(start)) return target
  const path = wholeOf(target)
  return path === null
    ? join([folder, '/', target])
    : fromSketch(normalise(`${wholeOf(folder) ?? '.'}/${path}`), target.origins)
}
