import { createInterface } from 'node:readline/promises'
import type { Io } from './command.ts'

/** Asks a person at a terminal. Without one only `--yes` says yes: a pipe must not answer by accident. */
export async function confirmed(io: Io, question: string, yes: boolean): Promise<boolean> {
  if (yes) return true
  if (!io.stdin.isTTY || !io.stderr.isTTY) {
    io.stderr.write('Give --yes to do it without being asked.\n')
    return false
  }
  const asking = createInterface({ input: io.stdin, output: io.stderr })
  try {
    return /^y(es)?$/i.test((await asking.question(`${question} [y/N] `, { signal: io.signal })).trim())
  } finally {
    asking.close()
  }
}
