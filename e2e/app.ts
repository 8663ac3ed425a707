import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { _electron, type Browser, test as base, chromium, type ElectronApplication, type Page } from '@playwright/test'

const root = join(import.meta.dirname, '..')
export const screenshots = join(import.meta.dirname, 'screenshots')

/** The application under test, through whichever door: a page, and a way to close it and open it again. */
export interface App {
  readonly door: 'browser' | 'electron'
  readonly home: string
  page: Page
  /** The desktop's main process; null in the browser. */
  desktop: ElectronApplication | null
  /** `killed`: nothing was told that it would end, as when the power fails. `between` runs while nothing is open. */
  reopen(how?: { killed?: boolean; between?(home: string): Promise<void> }): Promise<void>
  /** A link that lets one more window in; only a browser has those. */
  link(): Promise<string>
  /** Saves a picture of the window as it is now. */
  picture(name: string): Promise<void>
  /** Presses something that saves a file, and answers where it is, under the name that it was given. */
  saved(press: () => Promise<unknown>): Promise<string>
}

interface Opened {
  page: Page
  desktop: ElectronApplication | null
  saved: App['saved']
  close(): Promise<void>
  kill(): Promise<void>
}

interface Fixtures {
  app: App
  size: { width: number; height: number }
  env: Record<string, string>
}

export const test = base.extend<Fixtures, { browserOnce: () => Promise<Browser> }>({
  // One for all scenarios, each with a profile of its own: starting a browser takes longer than many a scenario.
  browserOnce: [
    // biome-ignore lint/correctness/noEmptyPattern: the runner reads from the braces what is needed.
    async ({}, use) => {
      const opened: Promise<Browser>[] = []
      const once = (): Promise<Browser> => {
        if (!opened[0]) opened.push(openChromium())
        return opened[0] as Promise<Browser>
      }
      await use(once)
      for (const browser of opened) await (await browser).close()
    },
    { scope: 'worker' },
  ],
  size: [{ width: 1280, height: 800 }, { option: true }],
  env: [{}, { option: true }],
  app: async ({ size, env, browserOnce }, use, info) => {
    const door = info.project.name as App['door']
    const reason = door === 'electron' ? electronMissing() : chromiumMissing()
    base.skip(reason !== null, reason ?? '')
    const home = mkdtempSync(join(tmpdir(), 'countersign-e2e-'))
    mkdirSync(screenshots, { recursive: true })
    const open = async () =>
      door === 'electron' ? openElectron(home, size, env) : openBrowser(await browserOnce(), home, size, env)
    let opened = await open()
    const app: App = {
      door,
      home,
      page: opened.page,
      desktop: opened.desktop,
      async reopen({ killed = false, between } = {}) {
        await (killed ? opened.kill() : opened.close())
        await between?.(home)
        opened = await open()
        app.page = opened.page
        app.desktop = opened.desktop
      },
      async link() {
        const { stdout } = await promisify(execFile)(
          process.execPath,
          [join(root, 'out/main/cli.js'), 'link', '--json'],
          {
            env: { ...process.env, COUNTERSIGN_HOME: home },
          },
        )
        return (JSON.parse(stdout) as { links: string[] }).links[0] ?? ''
      },
      async picture(name) {
        await app.page.screenshot({ path: join(screenshots, `${name}-${door}.png`) })
      },
      saved: press => opened.saved(press),
    }
    await use(app)
    await opened.close()
    rmSync(home, { recursive: true, force: true })
  },
})

export { expect } from '@playwright/test'

const openChromium = (): Promise<Browser> =>
  chromium.launch({ executablePath: chromiumPath() ?? '', args: ['--no-sandbox', '--disable-gpu'] })

async function openBrowser(
  browser: Browser,
  home: string,
  size: { width: number; height: number },
  env: Record<string, string>,
): Promise<Opened> {
  const server = spawn(process.execPath, [join(root, 'out/main/cli.js'), 'serve', '--port', '0'], {
    env: { ...process.env, ...env, COUNTERSIGN_HOME: home },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const link = await printedLink(server)
  const context = await browser.newContext({
    viewport: size,
    acceptDownloads: true,
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  const page = await context.newPage()
  await page.goto(link)
  await listening(page)
  return {
    page,
    desktop: null,
    async saved(press) {
      const [download] = await Promise.all([page.waitForEvent('download'), press()])
      const file = join(home, download.suggestedFilename())
      await download.saveAs(file)
      return file
    },
    async close() {
      await context.close()
      await ended(server, () => server.kill('SIGTERM'))
    },
    async kill() {
      await ended(server, () => server.kill('SIGKILL'))
      await context.close()
    },
  }
}

async function openElectron(
  home: string,
  size: { width: number; height: number },
  env: Record<string, string>,
): Promise<Opened> {
  const display = await openDisplay(size)
  // Not by `executablePath`: only a program that it finds by itself is held before its first window until somebody listens. One
  // that opens its window in between is waited for in vain.
  process.env.ELECTRON_OVERRIDE_DIST_PATH = dirname(electronPath() ?? '')
  const launch = (timeout: number) =>
    _electron.launch({
      args: ['--no-sandbox', '--disable-gpu', root],
      env: { ...(process.env as Record<string, string>), ...env, COUNTERSIGN_HOME: home, DISPLAY: display.name },
      timeout,
    })
  // Now and then one never gets as far as its debugger, whatever application it is to open; on a busy machine it is slow.
  const app = await launch(20_000).catch(() => launch(120_000))
  const page = await app.firstWindow()
  await app.evaluate(
    ({ BrowserWindow }, { width, height }) => BrowserWindow.getAllWindows()[0]?.setContentSize(width, height),
    size,
  )
  await listening(page)
  return {
    page,
    desktop: app,
    async saved(press) {
      // The system's own dialog would ask where to; nobody is there to answer it.
      const file = app.evaluate(
        ({ session }, folder) =>
          new Promise<string>((resolve, reject) =>
            session.defaultSession.once('will-download', (_event, item) => {
              item.setSavePath(`${folder}/${item.getFilename()}`)
              item.once('done', (_done, state) =>
                state === 'completed' ? resolve(item.getSavePath()) : reject(new Error(state)),
              )
            }),
          ),
        home,
      )
      await press()
      return file
    },
    async close() {
      await app.close()
      display.close()
    },
    async kill() {
      await ended(app.process(), () => app.process().kill('SIGKILL'))
      display.close()
    },
  }
}

/** An X server of our own, so that the tests show nothing on a screen that somebody works at. */
async function openDisplay(size: { width: number; height: number }): Promise<{ name: string; close(): void }> {
  const server = spawn(
    'Xvfb',
    ['-displayfd', '1', '-screen', '0', `${size.width + 40}x${size.height + 80}x24`, '-nolisten', 'tcp'],
    {
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  )
  const name = await new Promise<string>((resolve, reject) => {
    server.stdout.once('data', data => resolve(`:${String(data).trim()}`))
    server.once('exit', () => reject(new Error('Xvfb did not start')))
  })
  return { name, close: () => server.kill() }
}

/** A key that is pressed before the application listens is lost. */
export const listening = (page: Page) => page.getByRole('main').first().waitFor()

function printedLink(server: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    server.stdout?.on('data', data => {
      text += data
      const link = /http:\/\/127\.0\.0\.1:\d+\/#link=\S+/.exec(text)?.[0]
      if (link) resolve(link)
    })
    server.once('exit', code => reject(new Error(`the server ended with ${code}: ${text}`)))
  })
}

function ended(child: ChildProcess, end: () => void): Promise<void> {
  return new Promise(resolve => {
    child.once('exit', () => resolve())
    end()
  })
}

/** The same browser without the program around its pages costs a quarter less on each. */
const chromiumPath = (): string | null =>
  ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']
    .map(name => join('/usr/bin', name))
    .find(existsSync) ?? null
const chromiumMissing = () => (chromiumPath() ? null : 'no Chromium here; Debian: apt-get install chromium')

function electronPath(): string | null {
  const folders = [process.env.ELECTRON_OVERRIDE_DIST_PATH, join(root, 'node_modules/electron/dist')]
  return folders.flatMap(folder => (folder ? [join(folder, 'electron')] : [])).find(existsSync) ?? null
}

function electronMissing(): string | null {
  if (!electronPath()) return 'no Electron binary here; set ELECTRON_OVERRIDE_DIST_PATH to a folder with one'
  return existsSync('/usr/bin/Xvfb') ? null : 'no Xvfb here; Debian: apt-get install xvfb'
}
