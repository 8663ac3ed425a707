import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fromSource } from '../../places.ts'

/** The program that a client starts: the one of this checkout, or `countersign` where it was installed. */
export function commandOf(): { command: string; args: string[] } {
  const here = fileURLToPath(new URL('.', import.meta.url))
  const own = join(here, fromSource ? '../../../bin/countersign' : '../../bin/countersign')
  return { command: own.includes('app.asar') || !existsSync(own) ? 'countersign' : own, args: ['mcp'] }
}
