// Cold start of the built application to an interactive notebook, and the size of the renderer's first load.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { openEngine } from '../src/engine/engine.ts'
import { serve, summary } from './app.ts'

const rounds = Number(process.argv[2] ?? 5)
const home = mkdtempSync(join(tmpdir(), 'countersign-bench-'))
const engine = await openEngine({ home, env: process.env, pool: 0 })
await engine.conversations.openSample(engine.caller)
await engine.close()

const link: number[] = []
const interactive: number[] = []
for (let round = 0; round < rounds; round++) {
  process.stderr.write(`startup ${round + 1} of ${rounds}\n`)
  const started = performance.now()
  const app = await serve(home)
  await app.page.getByRole('region', { name: /cell/ }).first().waitFor()
  interactive.push(performance.now() - started)
  link.push(app.linkMs)
  await app.close()
}
rmSync(home, { recursive: true, force: true })

const renderer = join(import.meta.dirname, '../out/renderer')
const assets = join(renderer, 'assets')
// What the page itself names; Monaco and charts come later, when something needs them.
const files = [
  ...readFileSync(join(renderer, 'index.html'), 'utf8').matchAll(/(?:src|href)="\.(\/assets\/[^"]+)"/g),
].map(match => match[1] ?? '')
const fonts = ['ibm-plex-sans-latin-wght', 'ibm-plex-mono-latin-400', 'ibm-plex-mono-latin-600']
const fontFiles = readdirSync(assets).filter(
  name => name.endsWith('.woff2') && fonts.some(font => name.startsWith(font)),
)
const compressed = (file: string) => gzipSync(readFileSync(join(assets, basename(file)))).length
const code = [...new Set(files)]
  .filter(file => file.startsWith('/assets/'))
  .reduce((sum, file) => sum + compressed(file), 0)
const font = fontFiles.reduce((sum, file) => sum + readFileSync(join(assets, file)).length, 0)
process.stdout.write(
  `${JSON.stringify({
    bench: 'startup',
    rounds,
    linkMs: summary(link),
    interactiveMs: summary(interactive),
    firstLoad: {
      codeBytes: code,
      fontBytes: font,
      totalBytes: code + font,
      limitBytes: 400 * 1024,
      share: Number(((code + font) / 409_600).toFixed(2)),
    },
  })}\n`,
)
