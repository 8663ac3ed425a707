import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { onTestFinished } from 'vitest'
import type { Command, Io } from '../command.ts'

/** A folder for one test. */
export function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'countersign-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

type Input = string | Uint8Array | Readable

/** What a command is given, with what it wrote, piece by piece. */
export function ioFor(input: Input = '', cwd = folder()) {
  const out: Buffer[] = []
  const err: string[] = []
  const collect = (take: (chunk: Buffer) => void) =>
    new Writable({
      write(chunk, _encoding, done) {
        take(chunk)
        done()
      },
    })
  const io: Io = {
    stdin: input instanceof Readable ? input : Readable.from([Buffer.from(input as string)]),
    stdout: collect(chunk => out.push(chunk)),
    stderr: collect(chunk => err.push(String(chunk))),
    env: { COUNTERSIGN_HOME: cwd },
    cwd,
    signal: new AbortController().signal,
  }
  return { io, out, err }
}

export async function call(
  command: Command,
  values: Record<string, string | boolean | string[]>,
  positionals: string[],
  input: Input = '',
  cwd = folder(),
) {
  const { io, out, err } = ioFor(input, cwd)
  const code = await command.run({ values, positionals }, io)
  const bytes = Buffer.concat(out)
  return { code, out: bytes.toString(), bytes, err: err.join(''), cwd }
}
