import { feeds, feedWords } from '../../../contract/feeds.ts'
import { PathId } from '../../../contract/ids.ts'
import { Failure } from '../../../contract/problem.ts'
import { type Command, exit, UsageError } from '../command.ts'
import { withEngine } from '../open.ts'

export const command: Command = {
  help: `
Usage: countersign feeds [list] [--json]
       countersign feeds fetch ADDRESS --path ID [--file NAME] [--json]

  list     official sources of figures: what each serves, hosts and methods, and an address to begin with
  fetch    reads an address of one of them into the files of a path. The bytes are kept by hash, address and time are on
           the record, and a replay uses what was fetched then

  --path ID    the path that gets the file
  --file NAME  what the file is called (default: the last word of the address)
  --json       one JSON document

Example: countersign feeds fetch https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml --path ID

Exit: 0 success, 1 it could not be fetched, 2 wrong use.
`,
  options: { path: { type: 'string' }, file: { type: 'string' }, json: { type: 'boolean' } },
  async run({ values, positionals }, io) {
    const [action = 'list', url, ...more] = positionals
    if (action === 'list' && url === undefined) {
      if (values.json) io.stdout.write(`${JSON.stringify(feeds)}\n`)
      else
        for (const feed of feeds)
          io.stdout.write(`${feed.name}\n  ${feed.serves}\n  ${feedWords(feed)}\n  ${feed.example}\n`)
      return exit.success
    }
    if (action !== 'fetch' || url === undefined || more.length > 0) throw new UsageError('say list, or fetch ADDRESS')
    const path = PathId.safeParse(values.path)
    if (!path.success) throw new UsageError('--path must be the id of a path')
    const file = typeof values.file === 'string' ? { file: values.file } : {}
    return withEngine(io, async engine => {
      const fetched = await engine.feeds.fetch(engine.caller, { path: path.data, url, ...file }, io.signal)
      if (!fetched.ok) throw new Failure(fetched.problem.code, fetched.problem.message, fetched.problem.hint)
      const { file: name, bytes, sha256 } = fetched.value
      io.stdout.write(
        values.json ? `${JSON.stringify(fetched.value)}\n` : `${name}  ${bytes} bytes  SHA-256 ${sha256}\n`,
      )
      return exit.success
    })
  },
}
