import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { systemClock } from '../clock.ts'
import { TenantId } from '../contract/ids.ts'
import { uuidV7 } from '../ids.ts'
import { fileKeyStore } from '../keystore.ts'
import { openStorage } from '../storage/storage.ts'
import { createAudit } from './audit.ts'

export const writerProgram = fileURLToPath(new URL('writer.testing.ts', import.meta.url))

/** When a writer is killed: so long after it began, or when it was told that so many are durable. */
type Kill = { readonly afterMs: number } | { readonly afterEntries: number }

/** Starts a writer and kills it without warning; never when `kill` is null. */
export async function runWriter(folder: string, name: string, count: number, kill: Kill | null): Promise<void> {
  const child = spawn(process.execPath, [writerProgram, folder, name, String(count)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let complaints = ''
  child.stderr.on('data', (text: Buffer) => {
    complaints += text
  })
  const ended = new Promise<number | null>(resolve => child.on('close', code => resolve(code)))
  if (kill !== null) {
    const said = join(folder, `${name}.acknowledged`)
    const isThere = (text: string) =>
      'afterMs' in kill ? text.includes('ready') : text.split('\n').length > kill.afterEntries + 1
    while (child.exitCode === null && !(existsSync(said) && isThere(readFileSync(said, 'utf8')))) {
      await new Promise(resolve => setTimeout(resolve, 5))
    }
    if ('afterMs' in kill) await new Promise(resolve => setTimeout(resolve, kill.afterMs))
    child.kill('SIGKILL')
  }
  const code = await ended
  if (code !== null && code !== 0) throw new Error(`the writer failed: ${complaints}`)
}

/** What a writer was told is durable. The last line counts only when it is whole. */
export function acknowledgedBy(folder: string, name: string): string[] {
  const file = join(folder, `${name}.acknowledged`)
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const whole = text.slice(0, text.lastIndexOf('\n') + 1)
  return whole.split('\n').filter(line => line !== '' && line !== 'ready')
}

/** Opens the record as the application would after a crash: what does `verify` say, and which titles are missing? */
export async function survey(folder: string, expected: readonly string[]) {
  const storage = await openStorage({ file: join(folder, 'countersign.db'), clock: systemClock })
  const keys = fileKeyStore(join(folder, 'keys'))
  const tenant = TenantId.parse('01900000-0000-7000-8000-000000000001')
  const audit = await createAudit({ storage, keys, clock: systemClock, ids: uuidV7(systemClock), folder, tenant })
  const { damageAtStart } = audit
  const { ok, findings, entries } = await audit.verify()
  const rows = await storage.read.selectFrom('audit_entries').select('entry').execute()
  const present = new Set(rows.map(row => (JSON.parse(row.entry ?? '{}').details?.title as string | undefined) ?? ''))
  await audit.close()
  await storage.close()
  return {
    ok: ok && damageAtStart.length === 0,
    findings,
    entries,
    lost: expected.filter(title => !present.has(title)),
  }
}
