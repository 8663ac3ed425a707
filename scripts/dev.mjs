// `npm run dev`: the application with hot reload. On a display the desktop; without one, or with --browser, the page from
// Vite with the browser door behind it.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { ensureNode24, ensurePackages, environment, root, say } from './ready.mjs'

const args = process.argv.slice(2)
ensurePackages()
await ensureNode24(process.argv[1], args)

const hasDisplay = process.platform !== 'linux' || process.env.DISPLAY || process.env.WAYLAND_DISPLAY
if (args.includes('--browser') || !hasDisplay) await serveToBrowser()
else openDesktop()

function openDesktop() {
  const flags = process.getuid?.() === 0 ? ['--noSandbox'] : []
  const child = spawn(join(root, 'node_modules/.bin/electron-vite'), ['dev', ...flags, ...args], {
    cwd: root,
    stdio: 'inherit',
    env: environment(),
  })
  child.on('exit', code => process.exit(code ?? 1))
}

/** Vite shows the page and hands the line on to the door, which starts again whenever a file of the engine changes. */
async function serveToBrowser() {
  if (!args.includes('--browser')) say('there is no display for a window here: opening the browser door.')
  const { createServer } = await import('vite')
  const { default: config } = await import('../electron.vite.config.ts')
  const doorPort = 7118
  const page = await createServer({
    ...config.renderer,
    configFile: false,
    server: {
      host: '127.0.0.1',
      port: 7119,
      proxy: {
        '/rpc': { target: `http://127.0.0.1:${doorPort}`, ws: true, changeOrigin: true, rewriteWsOrigin: true },
      },
    },
  })
  await page.listen()
  const origin = `http://127.0.0.1:${page.httpServer.address().port}`
  const entry = join(root, 'src/doors/cli/entry.ts')
  const door = spawn(
    process.execPath,
    ['--watch', '--watch-preserve-output', entry, 'serve', '--port', String(doorPort)],
    { cwd: root, stdio: 'inherit', env: { ...environment(), COUNTERSIGN_PAGE_ORIGIN: origin } },
  )
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => door.kill(signal))
  door.on('exit', async code => {
    await page.close()
    process.exit(code ?? 1)
  })
}
