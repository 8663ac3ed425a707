import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { Limits, type RunOutcome } from '../contract/run.ts'
import { hostilePrograms } from './hostile.testing.ts'
import type { Sandbox } from './sandbox.ts'
import { runIn } from './testing.ts'

const mebibyte = 1024 * 1024
const small = {
  memoryBytes: 256 * mebibyte,
  diskBytes: 48 * mebibyte,
  fileBytes: 32 * mebibyte,
  processes: 32,
} as const
const secret = 'a secret of the host'

export interface Attack {
  readonly programs: number
  /** What was breached, touched or did not work afterwards; nothing where all is well. */
  readonly failures: string[]
  /** Sandboxes that did not outlive a program: its own loss, as long as the next one works. */
  readonly replaced: string[]
}

/** Runs all hostile programs, one after the other in one sandbox, with an honest run after each. */
export async function attack(open: (limits: Limits) => Promise<Sandbox>, slowness = 1): Promise<Attack> {
  const host = await baited()
  const programs = hostilePrograms(host.bait)
  const failures: string[] = []
  const replaced: string[] = []
  const limits = (timeoutMs: number) => Limits.parse({ ...small, timeoutMs: timeoutMs * slowness })
  let sandbox = await open(limits(10_000))
  try {
    for (const { name, language, code, endless } of programs) {
      const outcome = await runIn(sandbox, language, code, { limits: limits(endless ? 700 : 10_000) })
      const [breach] = /BREACH.*/.exec(outcome.stdout + outcome.stderr) ?? []
      if (breach) failures.push(`${name}: ${breach}`)
      const after = await answer(sandbox)
      if (after === null) continue
      replaced.push(`${name}: ${after}`)
      await sandbox.close('error')
      sandbox = await open(limits(10_000))
      const fresh = await answer(sandbox)
      if (fresh !== null) failures.push(`${name}: a new sandbox does not work: ${fresh}`)
    }
  } finally {
    await sandbox.close('manual')
    failures.push(...host.end())
  }
  return { programs: programs.length, failures, replaced }
}

/** Null when an honest run works, also after a restart: a program may break its own kernel. */
async function answer(sandbox: Sandbox): Promise<string | null> {
  const honest = () => runIn(sandbox, 'python', 'later = True\nimport time; time.sleep(0.02); print(6 * 7)')
  const works = ({ stdout, error }: RunOutcome) => stdout === '42\n' && error === null
  if (works(await honest())) return null
  await sandbox.restart().catch(() => undefined)
  const again = await honest()
  return works(again) ? null : `${again.error?.name} ${again.error?.message} ${again.stdout}`
}

/** A file and a listener on the host. `end` says what was touched. */
async function baited() {
  const folder = mkdtempSync(join(homedir(), '.countersign-bait-'))
  const file = join(folder, 'secret')
  writeFileSync(file, secret)
  let reached = 0
  const server = createServer(socket => {
    reached++
    socket.end(secret)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    bait: { file, secret, port },
    end(): string[] {
      server.close()
      const touched = read(file) === secret ? [] : ['a file of the host was touched']
      rmSync(folder, { recursive: true, force: true })
      return reached > 0 ? [...touched, `a listener of the host was reached ${reached} times`] : touched
    },
  }
}

function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}
