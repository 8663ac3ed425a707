import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { type Io, UsageError } from './command.ts'

/** A passphrase: the first line of a file, or typed at the terminal without being shown. */
export async function askPassphrase(io: Io, file: string | null, question: string): Promise<string> {
  if (file !== null) {
    const text = await readFile(resolve(io.cwd, file), 'utf8').catch(() => {
      throw new UsageError(`cannot read the passphrase in ${file}`)
    })
    return text.split(/\r?\n/)[0] ?? ''
  }
  if (!io.stdin.isTTY) throw new UsageError('say --passphrase-file FILE where there is no terminal to ask at')
  io.stderr.write(question)
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: io.stdin, output: nowhere, terminal: true })
  try {
    return await lines.question('', { signal: io.signal })
  } finally {
    lines.close()
    io.stderr.write('\n')
  }
}
