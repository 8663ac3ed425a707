import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Failure } from '../../../contract/problem.ts'
import { serveWindow } from '../../rpc/window.ts'
import { openBrowserDoor } from '../../server/server.ts'
import { type Command, exit, UsageError } from '../command.ts'
import { withEngine } from '../open.ts'

const standardPort = 7117

export const command: Command = {
  help: `
Usage: countersign serve [--port N] [--open]

Listens on 127.0.0.1 only and prints a link that works once. Press Enter for another link, Ctrl+C to stop.

  --port N   port to listen on; 0 means any that is free (default ${standardPort}, or a free one when that is taken)
  --open     open the link in the default browser
`,
  options: { port: { type: 'string' }, open: { type: 'boolean' } },
  async run({ values }, io) {
    const given = values.port === undefined ? null : Number(values.port)
    if (given !== null && !(Number.isInteger(given) && given >= 0 && given < 65536)) {
      throw new UsageError(`--port must be a number from 0 to 65535, not '${values.port}'`)
    }
    return withEngine(
      io,
      async engine => {
        const listen = (port: number) =>
          openBrowserDoor({
            root: rendererFolder(),
            port,
            log: engine.log,
            serve: channel => serveWindow(engine, channel, 'browser'),
          })
        const door = await listen(given ?? standardPort).catch(error => {
          if (given === null && error instanceof Failure && error.problem.code === 'door.taken') return listen(0)
          throw error
        })
        const show = () => {
          const link = door.link()
          io.stdout.write(`Countersign is at ${link}\n`)
          return link
        }
        const link = show()
        if (values.open) openInBrowser(link)
        if (io.stdin.isTTY) io.stdin.on('data', show)
        await stopped(io.signal)
        io.stdin.off('data', show).pause()
        await door.close()
        return exit.success
      },
      {},
    )
  },
}

/** The built page, beside this file's bundle or in the checkout. */
function rendererFolder(): string {
  const here = fileURLToPath(new URL('.', import.meta.url))
  const folder = import.meta.url.endsWith('.ts') ? join(here, '../../../../out/renderer') : join(here, '../renderer')
  if (existsSync(join(folder, 'index.html'))) return folder
  throw new Failure('door.failed', 'The page has not been built.', 'Run `npm run build`, then try again.')
}

function openInBrowser(link: string): void {
  const [program, ...args] = { darwin: ['open'], win32: ['cmd', '/c', 'start', ''] }[process.platform as string] ?? [
    'xdg-open',
  ]
  // Where there is no browser the printed link is still there.
  spawn(program as string, [...args, link], { stdio: 'ignore', detached: true })
    .on('error', () => undefined)
    .unref()
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
