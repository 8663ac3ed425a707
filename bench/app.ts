import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from '@playwright/test'

const root = join(import.meta.dirname, '..')

/** The built application, served to a headless browser. */
export interface Served {
  readonly page: Page
  /** From starting the process to the printed link. */
  readonly linkMs: number
  close(): Promise<void>
}

export async function serve(home: string): Promise<Served> {
  const started = performance.now()
  const server = spawn(process.execPath, [join(root, 'out/main/cli.js'), 'serve', '--port', '0'], {
    env: { ...process.env, COUNTERSIGN_HOME: home },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const link = await printed(server)
  const linkMs = performance.now() - started
  const browser = await launch()
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage()
  await page.goto(link, { waitUntil: 'commit' })
  return {
    page,
    linkMs,
    async close() {
      await browser.close()
      const ended = new Promise(resolve => server.once('exit', resolve))
      server.kill('SIGTERM')
      await ended
    },
  }
}

export function launch(): Promise<Browser> {
  const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync)
  if (!executablePath) throw new Error('this benchmark needs Chromium')
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
}

function printed(server: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    server.stdout?.on('data', data => {
      text += data
      const link = /http:\/\/127\.0\.0\.1:\d+\/#link=\S+/.exec(text)?.[0]
      if (link) resolve(link)
    })
    server.once('exit', code => reject(new Error(`the server ended with ${code}`)))
  })
}

export function summary(values: readonly number[]): { median: number; p95: number } {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (share: number) =>
    Number((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1))
  return { median: at(0.5), p95: at(0.95) }
}
