import {
  type AskNames,
  type Decided,
  DigestBook,
  defaultScanner,
  NamesStream,
  ReplacingStream,
  RestoringStream,
  StreamScanner,
  TokenBook,
} from '../../../privacy/privacy.ts'
import { type Arguments, type Command, exit, type Io, UsageError } from '../command.ts'
import { TextCodec } from './encoding.ts'
import { readText, write } from './input.ts'
import { namesHelp, namesOptions, openNames } from './names.ts'
import { type GrowingMap, openGrowingMap, readWholeMap } from './redact-map.ts'

export const command: Command = {
  help: `
Usage: countersign redact FILE|-                          redacted text on standard output
       countersign redact --map FILE.map FILE|-           … and keep what the tokens stand for
       countersign redact --restore --map FILE.map FILE|- put the values back

  --map FILE              where the values are kept, encrypted (AES-256-GCM). A map that is there already goes on: the
                          same value has the same token in all texts that were redacted with it
  --passphrase-file FILE  encrypt with the first line of this file, so that another machine can open the map;
                          without it the key comes from the key store of this user
  --restore               put back instead of replacing
${namesHelp(26)}

UTF-8, and UTF-16 with a mark at its start; what comes out is encoded likewise, and bytes that are neither stay as they
are. The text is streamed: its size does not matter. Each different value takes some forty bytes of memory; putting back
needs the whole map in memory.
Exit: 0 nothing was found, or all was put back; 1 something was found and replaced; 2 wrong use or failed.
`,
  failed: exit.usage,
  options: {
    map: { type: 'string' },
    'passphrase-file': { type: 'string' },
    restore: { type: 'boolean' },
    ...namesOptions,
  },
  async run(args, io) {
    const wanted = parseArguments(args)
    if (wanted.restore) return restore(wanted, io)
    const model = await openNames(args, io)
    try {
      return await redact(wanted, io, model?.ask ?? null)
    } finally {
      await model?.close()
    }
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

async function redact(wanted: Wanted, io: Io, ask: AskNames | null): Promise<number> {
  const { map: name, passphraseFile } = wanted
  const book = new DigestBook(name !== null)
  const learn = book.know.bind(book)
  const map = name === null ? null : await openGrowingMap({ map: name, passphraseFile }, io, learn)
  const counts = await redactWith(map, book, wanted, io, ask).catch(async error => {
    await map?.abandon()
    throw error
  })
  await map?.finish()
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
  const byType = Object.entries(counts).map(([type, count]) => `${count} ${type}`)
  io.stderr.write(total === 0 ? 'Nothing private was found.\n' : `${total} replaced: ${byType.join(', ')}\n`)
  return total === 0 ? exit.success : exit.failed
}

async function redactWith(
  map: GrowingMap | null,
  book: DigestBook,
  wanted: Wanted,
  io: Io,
  ask: AskNames | null,
): Promise<Record<string, number>> {
  const scanner = new StreamScanner(defaultScanner())
  const names = ask && new NamesStream(ask)
  const replacing = new ReplacingStream(book)
  const codec = new TextCodec(true)
  const hand = async (decided: Decided, last: boolean): Promise<void> => {
    const text = replacing.replace(decided, last)
    // In the map before it is out: a token that nobody can put back must not be read by anyone.
    await map?.add(book.takeAdded())
    await write(io.stdout, codec.encode(text))
  }
  for await (const chunk of readText(wanted.file, io, codec)) {
    const decided = scanner.push(chunk)
    await hand(names ? await names.push(decided) : decided, false)
  }
  const last = scanner.end()
  await hand(names ? await names.end(last) : last, true)
  return replacing.counts
}

async function restore({ file, map, passphraseFile }: Wanted, io: Io): Promise<number> {
  const stream = new RestoringStream(new TokenBook(await readWholeMap({ map: map ?? '', passphraseFile }, io)))
  const codec = new TextCodec(true)
  for await (const chunk of readText(file, io, codec)) await write(io.stdout, codec.encode(stream.push(chunk)))
  await write(io.stdout, codec.encode(stream.end()))
  return exit.success
}
