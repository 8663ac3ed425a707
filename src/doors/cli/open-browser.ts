import { spawn } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * Opens a link in the user's browser by way of a file that only this user can read: arguments of a program are shown to
 * everybody on the machine, and whoever is quicker with a one-time link is let in.
 */
export function openInBrowser(home: string, link: string): void {
  const folder = join(home, 'doors')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = join(folder, 'open.html')
  rmSync(file, { force: true })
  writeFileSync(file, redirectTo(link), { mode: 0o600, flag: 'wx' })
  const [program, ...args] = { darwin: ['open'], win32: ['cmd', '/c', 'start', ''] }[process.platform as string] ?? [
    'xdg-open',
  ]
  // Where there is no browser the printed link is still there.
  spawn(program as string, [...args, pathToFileURL(file).href], { stdio: 'ignore', detached: true })
    .on('error', () => undefined)
    .unref()
}

/** A link holds nothing that means anything in HTML: digits, letters, `-`, `_` and the signs of an address. */
const redirectTo = (link: string) =>
  `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=${link}"><title>Countersign</title>\n`
