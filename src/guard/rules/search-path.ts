import type { Effect } from '../effect.ts'
import { hasFresh, startOf } from '../values.ts'

/** Where projects keep the tools that they installed for themselves. */
const ownTools = /^(\.\/)?((\.?venv|env|vendor|node_modules\/\.?)\/?(bin)?|node_modules\/\.bin)$/
const anybodys = /^\/(tmp|dev\/shm|var\/tmp)(\/|$)/
/** Places where programs are installed; a home is its owner's business. */
const usual = /^(~|\/(usr|bin|sbin|opt|snap|nix|home|Users|root|Library|Applications)(\/|$))/

/**
 * What a search path does to the names of commands: high when folders that anybody, or the script itself, can fill come
 * before those of the system; medium when such a folder comes last, or one that is no place for programs comes first.
 */
export function searchPathRisk(value: string, effects: readonly Effect[]): 'high' | 'medium' | null {
  const folders = value.split(':')
  const system = folders.findIndex(folder => /^\/(usr\/)?(local\/)?s?bin$|^\u{fffc}$/u.test(folder))
  // A script that calls a folder of its own so means no search path.
  if (folders.length < 2) return anybodys.test(value) || /^\.\/?$/.test(value) ? 'high' : null
  let worst: 'high' | 'medium' | null = null
  for (const [at, folder] of folders.entries()) {
    const first = system === -1 || at < system
    if (ownTools.test(folder) || folder.startsWith('\u{fffc}') || (folder.startsWith('/') && hasFresh(folder))) continue
    if (!folder.startsWith('/') && !folder.startsWith('~') && (folder !== '' || first))
      worst = first ? 'high' : (worst ?? 'medium')
    else if (anybodys.test(folder) || (first && isFilled(folder, effects))) worst = first ? 'high' : (worst ?? 'medium')
    else if (first && folder !== '' && !usual.test(folder)) worst ??= 'medium'
  }
  return worst
}

const isFilled = (folder: string, effects: readonly Effect[]): boolean =>
  !/^\/(usr|bin|sbin)(\/|$)/.test(folder) &&
  effects.some(({ kind, target }) => kind === 'write' && startOf(target).startsWith(`${folder.replace(/\/$/, '')}/`))
