import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newSecret } from '../server/access.ts'

/** The token of this installation, made once: clients keep it in their configuration. */
export function mcpToken(home: string): string {
  const file = join(home, 'mcp-token')
  const known = read(file)
  if (known) return known
  const own = `${file}.${process.pid}`
  writeFileSync(own, `${newSecret()}\n`, { mode: 0o600 })
  try {
    // Fails where another process was first: its token is the one.
    linkSync(own, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(own, { force: true })
  }
  const made = read(file)
  if (!made) throw new Error(`${file} holds no token`)
  return made
}

function read(file: string): string | null {
  try {
    return /^[\w-]{43}$/.exec(readFileSync(file, 'utf8').trim())?.[0] ?? null
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
