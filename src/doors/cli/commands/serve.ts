import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Failure } from '../../../contract/problem.ts'
import { followMcpSettings } from '../../mcp/switch.ts'
import { serveWindow } from '../../rpc/window.ts'
import { announceDoor } from '../../server/door-file.ts'
import { openBrowserDoor } from '../../server/server.ts'
import { type Command, exit, UsageError } from '../command.ts'
import { withEngine } from '../open.ts'
import { openInBrowser } from '../open-browser.ts'

const standardPort = 7117

export const command: Command = {
  help: `
Usage: countersign serve [--port N] [--open]

Listens on 127.0.0.1 only and prints a link that works once, for an hour. Press Enter for another link, or run
'countersign link' anywhere on this machine; Ctrl+C stops. A window's session ends after 8 idle hours or 7 days.

  --port N   port to listen on; 0 means any that is free (default ${standardPort}, or a free one when that is taken)
  --open     open the link in the default browser
`,
  options: { port: { type: 'string' }, open: { type: 'boolean' } },
  async run({ values }, io) {
    const given = values.port === undefined ? null : Number(values.port)
    if (given !== null && !(Number.isInteger(given) && given >= 0 && given < 65536)) {
      throw new UsageError(`--port must be a number from 0 to 65535, not '${values.port}'`)
    }
    const pageOrigin = pageServer(io.env)
    return withEngine(
      io,
      async engine => {
        const mcpDoor = followMcpSettings(engine)
        const listen = (port: number) =>
          openBrowserDoor({
            root: pageOrigin ? null : rendererFolder(),
            port,
            log: engine.log,
            ...(pageOrigin ? { origin: pageOrigin } : {}),
            serve: (channel, windows) => serveWindow(engine, channel, 'browser', { windows, mcpDoor }),
          })
        const door = await listen(given ?? standardPort).catch(error => {
          if (given === null && error instanceof Failure && error.problem.code === 'door.taken') return listen(0)
          throw error
        })
        const withdraw = announceDoor(engine.home, { port: door.port, pid: process.pid, secret: door.secret })
        const show = () => {
          const link = door.link()
          io.stdout.write(`Countersign is at ${link}\n`)
          return link
        }
        const link = show()
        if (values.open) openInBrowser(engine.home, link)
        if (io.stdin.isTTY) io.stdin.on('data', show)
        await stopped(io.signal)
        io.stdin.off('data', show).pause()
        withdraw()
        await mcpDoor.close()
        await door.close()
        return exit.success
      },
      {},
    )
  },
}

/** Another server of this machine that shows the page, as `npm run dev` has one; null outside of that. */
const pageServer = (env: NodeJS.ProcessEnv): string | null =>
  /^http:\/\/127\.0\.0\.1:\d+$/.exec(env.COUNTERSIGN_PAGE_ORIGIN ?? '')?.[0] ?? null

/** The built page, beside this file's bundle or in the checkout. */
function rendererFolder(): string {
  const here = fileURLToPath(new URL('.', import.meta.url))
  const folder = import.meta.url.endsWith('.ts') ? join(here, '../../../../out/renderer') : join(here, '../renderer')
  if (existsSync(join(folder, 'index.html'))) return folder
  throw new Failure('door.failed', 'The page has not been built.', 'Run `npm run build`, then try again.')
}

const stopped = (signal: AbortSignal) =>
  new Promise<void>(resolve => {
    // Keeps the process up: a listening socket alone would, but says less about why.
    const hold = setInterval(() => undefined, 1 << 30)
    signal.addEventListener('abort', () => {
      clearInterval(hold)
      resolve()
    })
  })
