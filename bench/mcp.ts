import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../src/clock.ts'
import { corpus } from '../src/mcp/search/corpus.testing.ts'
import { intents } from '../src/mcp/search/intents.testing.ts'
import { createSearch, type SearchableTool } from '../src/mcp/search/search.ts'

/**
 * How fast tools are found by intent, wall time: the first search of a new process with and without the model, then warm
 * ones, over the tools of the tests and over ten thousand; and how often a right tool is among the first five.
 */

const folder = mkdtempSync(join(tmpdir(), 'countersign-'))
const say = (text: string): void => void process.stderr.write(`${text}\n`)
const hashOf = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest('hex')
const tools: SearchableTool[] = corpus.map(tool => ({ ...tool, effect: 'reads', hash: hashOf(tool) }))
/** The same tools under other servers' names: their texts, and so their vectors, are known. */
const many = Array.from({ length: 10_000 }, (_, at): SearchableTool => {
  const { server, ...tool } = tools[at % tools.length] as SearchableTool
  const other = { ...tool, server: `${server}-${Math.floor(at / tools.length)}` }
  return { ...other, hash: hashOf(other) }
})

async function timed<T>(work: () => Promise<T>): Promise<[number, T]> {
  const begun = performance.now()
  const value = await work()
  return [performance.now() - begun, value]
}
const middle = (times: number[]): number => times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0
const round = (ms: number): number => Math.round(ms * 10) / 10

const open = () => createSearch({ folder, clock: systemClock, model: () => '' })
const [firstIntent] = intents[0] ?? ['']

const before = open()
const [vectorsMs] = await timed(async () => {
  before.prepare(tools)
  await before.idle()
})
await before.close()
say(`vectors of ${tools.length} tools: ${round(vectorsMs)} ms, once`)

const search = open()
const [coldMs] = await timed(() => search.find(firstIntent, tools, 150))
await search.idle()
const [coldModelMs] = await timed(async () => {
  const fresh = open()
  await fresh.find(firstIntent, tools, 60_000)
  await fresh.close()
})

async function warm(all: readonly SearchableTool[]): Promise<number> {
  await search.find(firstIntent, all, 60_000)
  const times: number[] = []
  for (const [intent] of intents) times.push((await timed(() => search.find(intent, all, 60_000)))[0])
  return middle(times)
}
const warmMs = await warm(tools)
const manyMs = await warm(many)

const served = new Set(tools.map(({ server }) => server))
const asked = intents.filter(([, ...right]) => right.some(name => served.has(name.split('.')[0] ?? '')))
let right = 0
for (const [intent, ...names] of asked) {
  const { found } = await search.find(intent, tools, 60_000)
  if (found.some(({ server, name }) => names.includes(`${server}.${name}`))) right += 1
}
await search.close()
rmSync(folder, { recursive: true, force: true })

process.stdout.write(
  `${JSON.stringify({
    bench: 'mcp',
    tools: tools.length,
    coldMs: round(coldMs),
    coldWithModelMs: round(coldModelMs),
    warmMs: round(warmMs),
    tenThousandMs: round(manyMs),
    topFive: Math.round((right / asked.length) * 1000) / 1000,
    intents: asked.length,
    load: round(loadavg()[0] ?? 0),
  })}\n`,
)
