import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { systemClock } from '../../clock.ts'
import { type Language, Limits } from '../../contract/run.ts'
import type { Sandbox } from '../sandbox.ts'
import { runIn, temporaryHome, testIds } from '../testing.ts'
import { type LocalProvider, localProvider } from './local.ts'

/** A provider under attack, and the questions that are asked after every attack. */
export class Arena {
  readonly provider: LocalProvider
  readonly home: string
  readonly #remove: () => Promise<void>

  private constructor(home: string, remove: () => Promise<void>) {
    this.home = home
    this.#remove = remove
    this.provider = localProvider({ home, clock: systemClock, ids: testIds })
  }

  static async open(): Promise<Arena> {
    const { home, remove } = await temporaryHome()
    return new Arena(home, remove)
  }

  async close(): Promise<void> {
    await this.provider.close()
    expect(await processesOf(process.pid)).toEqual([])
    expect(await readdir(join(this.home, 'sandboxes')).catch(() => [])).toEqual([])
    await this.#remove()
  }

  async sandbox(limits: Partial<Limits> = {}): Promise<Sandbox> {
    const opened = await this.provider.open({ limits: Limits.parse(limits) }, new AbortController().signal)
    if (!opened.ok) throw new Error(opened.problem.message)
    return opened.value
  }

  /**
   * After an attack: the next run works in every language, nothing but kernels runs in the sandbox, and when it is
   * closed neither a process nor a file of it is left.
   */
  async survived(sandbox: Sandbox, languages: readonly Language[] = ['python', 'bash']): Promise<void> {
    const answers: Record<Language, [string, string]> = {
      python: ['print(6 * 7)', '42\n'],
      bash: ['echo $((6 * 7))', '42\n'],
      javascript: ['console.log(6 * 7)', '42\n'],
      typescript: ['console.log(6 * 7 as number)', '42\n'],
    }
    for (const language of languages) {
      const [code, answer] = answers[language]
      const next = await runIn(sandbox, language, code)
      expect(next).toMatchObject({ success: true, stdout: answer, warnings: [] })
    }
    const { processes } = await sandbox.usage()
    expect(processes).toBeLessThanOrEqual(3)
    await sandbox.close('manual')
    expect(await this.boxes()).not.toContain(sandbox.id)
  }

  async boxes(): Promise<string[]> {
    const [application] = await readdir(join(this.home, 'sandboxes')).catch(() => [])
    return application ? readdir(join(this.home, 'sandboxes', application)) : []
  }
}

/** Every descendant of a process that is a zygote, a supervisor or a kernel. */
async function processesOf(ancestor: number): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-e', '-o', 'pid=,ppid=,args='])
  const rows = stdout
    .trim()
    .split('\n')
    .map(line => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line))
    .flatMap(match => (match ? [{ pid: Number(match[1]), parent: Number(match[2]), args: match[3] ?? '' }] : []))
  const family = new Set([ancestor])
  for (let grown = true; grown; ) {
    grown = false
    for (const { pid, parent } of rows)
      if (family.has(parent) && !family.has(pid)) {
        family.add(pid)
        grown = true
      }
  }
  return rows
    .filter(({ pid, args }) => family.has(pid) && /start\.py|deno_kernel|--noediting/.test(args))
    .map(row => row.pid)
}
