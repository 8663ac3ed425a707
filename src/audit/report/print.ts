import { spawn } from 'node:child_process'
import { accessSync, constants, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Failure } from '../../contract/problem.ts'

/** Turns a page into a PDF. The desktop door hands in Electron's; a terminal uses a Chromium that is installed. */
export type PrintPdf = (page: string) => Promise<Uint8Array>

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'microsoft-edge', 'chrome']
const elsewhere = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
]

/** Prints with the Chromium of this machine. `COUNTERSIGN_CHROMIUM` names one that is in no usual place. */
export function chromiumPrinter(env: NodeJS.ProcessEnv = process.env, timeoutMs = 120_000): PrintPdf {
  return async page => {
    const browser = findBrowser(env)
    if (!browser) {
      throw new Failure(
        'report.no-printer',
        'A PDF needs a Chromium or Chrome on this machine, and none was found.',
        'Install one, name it in COUNTERSIGN_CHROMIUM, export from the desktop application, or ask for --format html.',
      )
    }
    const folder = mkdtempSync(join(tmpdir(), 'countersign-print-'))
    try {
      const [source, target] = [join(folder, 'report.html'), join(folder, 'report.pdf')]
      writeFileSync(source, page, { mode: 0o600 })
      await print(browser, folder, source, target, timeoutMs)
      return readFileSync(target)
    } finally {
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
    }
  }
}

function findBrowser(env: NodeJS.ProcessEnv): string | null {
  if (env.COUNTERSIGN_CHROMIUM) return env.COUNTERSIGN_CHROMIUM
  const inPath = (env.PATH ?? '').split(delimiter).flatMap(folder => names.map(name => join(folder, name)))
  return [...inPath, ...elsewhere].find(isProgram) ?? null
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

function print(browser: string, folder: string, source: string, target: string, timeoutMs: number): Promise<void> {
  // The page forbids scripts itself; it needs no network, and there is none for it.
  const options = [
    '--headless',
    '--disable-gpu',
    '--disable-extensions',
    '--no-first-run',
    `--user-data-dir=${join(folder, 'profile')}`,
    '--host-resolver-rules=MAP * ~NOTFOUND',
    '--no-pdf-header-footer',
    '--generate-pdf-document-outline',
    `--print-to-pdf=${target}`,
    // Chromium refuses to sandbox itself as root.
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    pathToFileURL(source).href,
  ]
  return new Promise((resolve, reject) => {
    const child = spawn(browser, options, {
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
    })
    let said = ''
    child.stderr.on('data', (text: Buffer) => {
      said = (said + text).slice(-2000)
    })
    const failed = (why: string) =>
      reject(
        new Failure(
          'report.print-failed',
          `The PDF could not be printed: ${why}`,
          'Ask for --format html and print that from a browser.',
        ),
      )
    child.on('error', error => failed(error.message))
    child.on('close', (code, signal) => {
      if (code === 0 && existsSync(target)) resolve()
      else
        failed(signal ? `it took longer than ${timeoutMs / 1000} s` : said.trim().split('\n').at(-1) || `exit ${code}`)
    })
  })
}
