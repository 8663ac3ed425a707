import { readFile, rename, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { Failure } from '../../../contract/problem.ts'
import { fileKeyStore } from '../../../keystore.ts'
import { homeFolder } from '../../../places.ts'
import {
  defaultScanner,
  openMap,
  RedactionStream,
  RestoringStream,
  StreamScanner,
  sealMap,
  TokenBook,
} from '../../../privacy/privacy.ts'
import { type Arguments, type Command, exit, type Io, UsageError } from '../command.ts'
import { readText, write } from './input.ts'

export const command: Command = {
  help: `
Usage: countersign redact FILE|-                          redacted text on standard output
       countersign redact --map FILE.map FILE|-           … and keep what the tokens stand for
       countersign redact --restore --map FILE.map FILE|- put the values back

  --map FILE              where the values are kept, encrypted (AES-256-GCM)
  --passphrase-file FILE  encrypt with the first line of this file, so that another machine can open the map;
                          without it the key comes from the key store of this user
  --restore               put back instead of replacing

The text is streamed: its size does not matter. Exit: 0 done, 1 failed, 2 wrong use.
`,
  options: { map: { type: 'string' }, 'passphrase-file': { type: 'string' }, restore: { type: 'boolean' } },
  async run(args, io) {
    const wanted = parseArguments(args)
    return wanted.restore ? restore(wanted, io) : redact(wanted, io)
  },
}

interface Wanted {
  readonly file: string
  readonly map: string | null
  readonly passphraseFile: string | null
  readonly restore: boolean
}

function parseArguments({ values, positionals }: Arguments): Wanted {
  const [file = '-', ...more] = positionals
  if (more.length > 0) throw new UsageError('Give one file, or - for standard input.')
  const text = (name: string): string | null => (typeof values[name] === 'string' ? values[name] : null)
  const wanted = { file, map: text('map'), passphraseFile: text('passphrase-file'), restore: values.restore === true }
  if (wanted.restore && !wanted.map) throw new UsageError('--restore needs --map FILE.')
  if (wanted.passphraseFile && !wanted.map) throw new UsageError('--passphrase-file needs --map FILE.')
  return wanted
}

async function redact(wanted: Wanted, io: Io): Promise<number> {
  const book = new TokenBook()
  const stream = new RedactionStream(new StreamScanner(defaultScanner()), book)
  for await (const chunk of readText(wanted.file, io)) await write(io.stdout, stream.push(chunk))
  await write(io.stdout, stream.end())
  if (wanted.map) {
    const place = resolve(io.cwd, wanted.map)
    const sealed = await sealMap(book.takeAdded(), await secretOf(wanted, io))
    // Beside and then renamed: a crash must not leave half a map in the place of a whole one.
    await writeFile(`${place}.new`, sealed, { mode: 0o600 })
    await rename(`${place}.new`, place)
  }
  const total = Object.values(stream.counts).reduce((sum, count) => sum + count, 0)
  const byType = Object.entries(stream.counts).map(([type, count]) => `${count} ${type}`)
  io.stderr.write(total === 0 ? 'Nothing private was found.\n' : `${total} replaced: ${byType.join(', ')}\n`)
  return exit.success
}

async function restore(wanted: Wanted, io: Io): Promise<number> {
  const sealed = await readFile(resolve(io.cwd, wanted.map ?? '')).catch(() => {
    throw new Failure('not-found', `Cannot read the map ${wanted.map}.`, 'Give the file that --map wrote.')
  })
  const stream = new RestoringStream(new TokenBook(await openMap(sealed, await secretOf(wanted, io))))
  for await (const chunk of readText(wanted.file, io)) await write(io.stdout, stream.push(chunk))
  await write(io.stdout, stream.end())
  return exit.success
}

/** What the map is encrypted with: a passphrase, or a key of this user that is made at first use. */
async function secretOf({ passphraseFile }: Wanted, io: Io): Promise<{ passphrase: string } | { key: Uint8Array }> {
  if (passphraseFile) {
    const [passphrase = ''] = (await readFile(resolve(io.cwd, passphraseFile), 'utf8')).split(/\r?\n/)
    if (passphrase.length < 8) throw new UsageError('The passphrase needs at least 8 characters.')
    return { passphrase }
  }
  const keys = fileKeyStore(join(homeFolder(io.env), 'keys'))
  const known = await keys.get('redact-map')
  if (known) return { key: known }
  const made = crypto.getRandomValues(new Uint8Array(32))
  await keys.set('redact-map', made)
  return { key: made }
}
