import { randomInt } from 'node:crypto'

/**
 * Stands in a text for letters that only the run will choose, as in a name out of `mktemp` or with `$$`. It is drawn
 * anew for each process, so that no script can write it: a folder that is called `XXXX` is not taken for a new one.
 */
export const freshName = Array.from({ length: 48 }, () => (randomInt(2) === 0 ? 'X' : 'Y')).join('')

export const hasFreshName = (text: string): boolean => text.includes(freshName)

/** The text as people see it. */
export const shownFresh = (text: string): string => (hasFreshName(text) ? text.replaceAll(freshName, 'XXXXXX') : text)

const own = new RegExp(`^[^*?]*${freshName}(\\.\\w+)?(?:/(.*))?$`, 's')

/** A path of which nobody else's file can be part: from the new name on it never climbs back. */
export function isFreshPath(path: string): boolean {
  const below = own.exec(path)
  return below !== null && !/(^|\/)\.\.(\/|$)/.test(below[2] ?? '')
}
