import { createHash } from 'node:crypto'
import { createReadStream, type Stats } from 'node:fs'
import { lstat, readlink, realpath } from 'node:fs/promises'
import { dirname, isAbsolute, join, parse, relative, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fail, type Outcome, ok } from './contract/problem.ts'
import type { ProgramFacts } from './contract/settings.ts'

/** Who asks, so that tests can be somebody else. */
export interface Asker {
  readonly uid: number
  readonly gid: number
}

/**
 * Whether a program that a setting names may be started outside the jail. Code in a jail can write only below the data
 * folder, and other users only where they have the right to: a program is trusted when neither could have written it,
 * replaced it, or turned a link or a folder on the way to it. Every link is followed by hand and each step is checked.
 */
export async function checkProgram(
  file: string,
  dataFolder: string,
  asker: Asker = { uid: process.getuid?.() ?? -1, gid: process.getgid?.() ?? -1 },
): Promise<Outcome<ProgramFacts>> {
  if (!isAbsolute(file))
    return refuse(`${file} is not a whole path`, 'Write it from the root, such as /usr/bin/python3.')
  const data = await realpath(dataFolder).catch(() => resolve(dataFolder))
  let at = resolve(file)
  for (let links = 0; links <= 40; links++) {
    const step = await firstUntrusted(at, data, asker)
    if (step.kind === 'refused') return refuse(step.why, 'Choose a program that only you or root can change.')
    if (step.kind === 'link') {
      at = step.to
      continue
    }
    if (!step.stats.isFile()) return refuse(`${file} is no file`, 'Name the interpreter itself, not its folder.')
    if ((step.stats.mode & 0o111) === 0)
      return refuse(`${file} cannot be started`, 'Make it executable, or choose another.')
    return ok({
      path: resolve(file),
      real: at,
      owner: step.stats.uid === 0 ? 'root' : 'you',
      bytes: step.stats.size,
      modifiedAt: Math.round(step.stats.mtimeMs),
      sha256: await hashOf(at),
    })
  }
  return refuse(`${file} leads through too many links`, 'Name the program itself.')
}

type Step =
  | { kind: 'refused'; why: string }
  /** A link on the way: where the whole path leads when it is followed. */
  | { kind: 'link'; to: string }
  | { kind: 'end'; stats: Stats }

/** Walks from the root to a path, and stops at the first part that is not trusted or is a link. */
async function firstUntrusted(path: string, data: string, asker: Asker): Promise<Step> {
  const { root } = parse(path)
  const parts = path.slice(root.length).split('/').filter(Boolean)
  let at = root
  let stats = await lstat(root)
  for (const [index, part] of parts.entries()) {
    at = join(at, part)
    if (isWithin(at, data))
      return { kind: 'refused', why: `${at} is in the data folder, where code in a sandbox may write` }
    const found = await lstat(at).catch(() => null)
    if (!found) return { kind: 'refused', why: `there is no ${at}` }
    stats = found
    if (stats.isSymbolicLink()) {
      // A link itself has no rights; whoever may write its folder, which was checked, may turn it.
      const owner = wrongOwner(at, stats, asker)
      if (owner) return { kind: 'refused', why: owner }
      const to = resolve(dirname(at), await readlink(at))
      return { kind: 'link', to: join(to, ...parts.slice(index + 1)) }
    }
    const why = wrongOwner(at, stats, asker) ?? writableByOthers(at, stats, asker)
    if (why) return { kind: 'refused', why }
  }
  return { kind: 'end', stats }
}

const isWithin = (path: string, folder: string): boolean => {
  const way = relative(folder, path)
  return way === '' || (!way.startsWith('..') && !isAbsolute(way))
}

const wrongOwner = (at: string, { uid }: Stats, asker: Asker): string | null =>
  uid === 0 || uid === asker.uid ? null : `${at} belongs to another user`

function writableByOthers(at: string, stats: Stats, asker: Asker): string | null {
  // In a folder with the sticky bit, such as /tmp, nobody can replace what belongs to somebody else.
  const isSticky = stats.isDirectory() && (stats.mode & 0o1000) !== 0
  if (isSticky) return null
  if (stats.mode & 0o002) return `everybody on this machine may write ${at}`
  // Many systems give each user a group of their own, with the same number; root's group is root's.
  const isOwnGroup = stats.gid === 0 || (stats.gid === asker.gid && asker.gid === asker.uid)
  return stats.mode & 0o020 && !isOwnGroup ? `other members of its group may write ${at}` : null
}

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}

const refuse = (why: string, hint: string) => fail('settings.untrusted', `This interpreter is not used: ${why}.`, hint)
