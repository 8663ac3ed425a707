import { createHash } from 'node:crypto'
import { readFile, rename, stat, writeFile } from 'node:fs/promises'
import { cpus, hostname, release } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import type { Outcome } from '../../contract/problem.ts'
import { type Acceleration, accelerations } from './command.ts'
import type { LocalHost } from './host.ts'

/** What was found out by booting, and of what it was found out. */
const Finding = z.object({ of: z.string(), acceleration: z.enum(accelerations), refused: z.array(z.string()) })
export type Finding = z.infer<typeof Finding>

/** Boots with an acceleration: what it said when it did not work. */
export type Trial = (acceleration: Acceleration) => Promise<Outcome<void>>

/** Changes with QEMU, the image and the machine: what was found out of another is worth nothing. */
export async function subjectOf({ host, version }: LocalHost, digests: readonly string[]): Promise<string> {
  const program = await stat(host.program)
  const kvm = await stat('/dev/kvm').catch(() => null)
  const facts = [
    host.program,
    program.size,
    program.mtimeMs,
    version,
    digests,
    hostname(),
    release(),
    cpus()[0]?.model,
    kvm ? `${kvm.mode} ${kvm.uid} ${kvm.gid} ${process.getuid?.()}` : null,
  ]
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex')
}

/**
 * What really computes for a machine here. A device file that opens proves nothing, so each is tried by booting, once;
 * what was found is kept until something changes. Emulation is what is left, and needs no trial.
 */
export async function findAcceleration(
  file: string,
  subject: string,
  offered: readonly Acceleration[],
  trial: Trial,
): Promise<Finding> {
  const known = await remembered(file)
  if (known?.of === subject) return known
  const refused: string[] = []
  let acceleration: Acceleration = 'tcg'
  for (const each of offered) {
    if (each === 'tcg') break
    const tried = await trial(each)
    if (tried.ok) {
      acceleration = each
      break
    }
    refused.push(`${each}: ${tried.problem.message}`)
  }
  const finding: Finding = { of: subject, acceleration, refused }
  await writeFile(`${file}.new`, JSON.stringify(finding), { mode: 0o600 })
  await rename(`${file}.new`, file)
  return finding
}

async function remembered(file: string): Promise<Finding | null> {
  try {
    return Finding.safeParse(JSON.parse(await readFile(file, 'utf8'))).data ?? null
  } catch {
    return null
  }
}

export const findingFile = (machines: string): string => join(machines, 'probe.json')
