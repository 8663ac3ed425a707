import { homeFolder } from '../../../places.ts'
import { type DoorFile, openDoors } from '../../server/door-file.ts'
import { type Command, exit } from '../command.ts'

export const command: Command = {
  help: `
Usage: countersign link [--json]

Prints a new link to the application that 'countersign serve' has open on this data folder. It works once, for an hour.

  --json     print { "links": [ … ] }, one for each open door

Exit: 0 a link was printed, 4 nothing is open here.
`,
  options: { json: { type: 'boolean' } },
  async run({ values }, io) {
    const home = homeFolder(io.env)
    const asked = await Promise.all(openDoors(home).map(ask))
    const links = asked.filter(link => link !== null)
    if (values.json) io.stdout.write(`${JSON.stringify({ links })}\n`)
    else for (const link of links) io.stdout.write(`Countersign is at ${link}\n`)
    if (links.length > 0) return exit.success
    io.stderr.write(`countersign link: nothing is serving ${home}. Start one with 'countersign serve'.\n`)
    return exit.unavailable
  },
}

/** A link from an open door. What answers must answer with an address of that very door, or it is not ours. */
async function ask({ port, secret }: DoorFile): Promise<string | null> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/link`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}` },
      signal: AbortSignal.timeout(5000),
    })
    const link = answer.ok ? await answer.text() : ''
    return /^http:\/\/(127\.0\.0\.1|localhost):\d+\/#link=[\w-]{43}$/.test(link) ? link : null
  } catch {
    return null
  }
}
