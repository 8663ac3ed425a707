import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../src/clock.ts'
import { intents } from '../src/mcp/search/intents.testing.ts'
import { createSearch, type Search, type SearchableTool } from '../src/mcp/search/search.ts'
import { middle, round, searchedTools, timed, withHash } from './mcp-tools.ts'

/**
 * How fast tools are found by intent, wall time, over invented tools and those of three servers from npm, and over ten
 * thousand; and how often a right tool is among the first five. Three times the first search of a process that has just
 * started: `cold`, with nothing loaded, waiting for the model; `hurried`, the same, when words decide after 150 ms of
 * patience; `prepared`, after the warm-up of an application that was opened. The vectors of the tools are on disk in all
 * three: they are made when a tool is accepted. What an assistant waits for is in `mcp-client.ts`.
 */
const ways = ['cold', 'hurried', 'prepared'] as const
type Way = (typeof ways)[number]
const patience = 150
const rounds = 7
const [firstIntent] = intents[0] ?? ['']

if (process.send) {
  const [, , way, folder = ''] = process.argv
  const [tools] = (await once(process, 'message')) as [SearchableTool[]]
  const search = open(folder)
  if (way === 'prepared') {
    search.prepare(tools)
    await search.idle()
  }
  const [ms, { model }] = await timed(() => search.find(firstIntent, tools, way === 'hurried' ? patience : 60_000))
  process.send({ ms, hasVectors: model !== null })
  await search.close()
  process.disconnect()
} else {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-'))
  try {
    console.log(JSON.stringify(await measured(folder)))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measured(folder: string) {
  const tools = await searchedTools(folder)
  /** The same tools under other servers' names: their texts, and so their vectors, are known. */
  const many = Array.from({ length: 10_000 }, (_, at): SearchableTool => {
    const { server, ...tool } = tools[at % tools.length] as SearchableTool
    return withHash({ ...tool, server: `${server}-${Math.floor(at / tools.length)}` })
  })
  const search = open(folder)
  const [vectorsMs] = await timed(async () => {
    search.prepare(tools)
    await search.idle()
  })
  const firsts = await firstSearches(folder, tools)

  const warm = async (all: readonly SearchableTool[]): Promise<number> => {
    await search.find(firstIntent, all, 60_000)
    const times: number[] = []
    for (const [intent] of intents) times.push((await timed(() => search.find(intent, all, 60_000)))[0])
    return middle(times)
  }
  const warmMs = await warm(tools)
  const tenThousandMs = await warm(many)
  const topFive = await shareOfTopFive(search, tools)
  await search.close()
  const byWords = open(folder, join(folder, 'no model'))
  const topFiveByWords = await shareOfTopFive(byWords, tools)
  await byWords.close()
  return {
    bench: 'mcp',
    tools: tools.length,
    vectorsOnceMs: round(vectorsMs),
    ...firsts,
    warmMs: round(warmMs),
    tenThousandMs: round(tenThousandMs),
    topFive,
    topFiveByWords,
    intents: intents.length,
    load: round(loadavg()[0] ?? 0),
  }
}

/** For how many of the intents the right tool is among the five that are found. */
async function shareOfTopFive(search: Search, tools: readonly SearchableTool[]): Promise<number> {
  let right = 0
  for (const [intent, ...names] of intents) {
    const { found } = await search.find(intent, tools, 60_000)
    if (found.some(({ server, name }) => names.includes(`${server}.${name}`))) right += 1
  }
  return Math.round((right / intents.length) * 1000) / 1000
}

/** In turns, each in a process of its own: the median, and how many of them had the vectors. */
async function firstSearches(folder: string, tools: readonly SearchableTool[]) {
  const told: Record<Way, { ms: number; hasVectors: boolean }[]> = { cold: [], hurried: [], prepared: [] }
  for (let n = 0; n < rounds; n++) {
    for (const way of ways) {
      const child = fork(import.meta.filename, [way, folder], { serialization: 'advanced' })
      child.send([...tools])
      const [answer] = await once(child, 'message')
      told[way].push(answer)
      await once(child, 'exit')
    }
  }
  return Object.fromEntries(
    ways.map(way => {
      const ms = round(middle(told[way].map(each => each.ms)))
      return [way, { ms, withVectors: told[way].filter(each => each.hasVectors).length, of: rounds }]
    }),
  )
}

function open(folder: string, model = ''): Search {
  return createSearch({ folder, clock: systemClock, model: () => model })
}
