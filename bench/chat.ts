/**
 * What our side adds to a model's stream: the same answer of a server on loopback, read raw and through the whole chat
 * (guard, masking, step, events), in turns. `node bench/chat.ts`. Prints one JSON line; times in milliseconds, medians.
 */

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fakeProvider } from '../src/chat/fake-provider.testing.ts'
import type { ConversationId, PathId } from '../src/contract/ids.ts'
import { openEngine } from '../src/engine/engine.ts'

/** The provider has a process of its own: what it does must not count as time of ours. */
if (process.send) {
  const { baseUrl } = await fakeProvider('compatible', () => ({ text: 'word '.repeat(2000).trim(), chunk: 5 }))
  process.send(baseUrl)
  await once(process, 'disconnect')
  process.exit()
}

const rounds = Number(process.env.BENCH_TIMES ?? 25)
const warmUp = 10
const chunks = 2000
const peer = fork(import.meta.filename)
const [baseUrl] = (await once(peer, 'message')) as [string]
const home = mkdtempSync(join(tmpdir(), 'countersign-bench-'))
const engine = await openEngine({ home, env: {}, pool: 0 })
const who = engine.caller
const provider = await engine.chat.providers.save(who, {
  kind: 'compatible',
  name: 'Fake',
  baseUrl,
  models: [{ id: 'fake-1', windowTokens: 100_000, price: null }],
})
if (!provider.ok) throw new Error(provider.problem.message)
const model = { provider: provider.value.id, model: 'fake-1' }

/** The provider's own stream, read and parsed as events and nothing else. */
async function raw(): Promise<{ first: number; whole: number }> {
  const from = performance.now()
  const response = await fetch(`${baseUrl}/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ model: 'fake-1', stream: true, messages: [{ role: 'user', content: 'Go' }] }),
  })
  let first = 0
  let rest = ''
  for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    rest += piece
    const lines = rest.split('\n\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (line === 'data: [DONE]') continue
      const delta = JSON.parse(line.slice(6)).choices[0]?.delta?.content
      if (delta && first === 0) first = performance.now() - from
    }
  }
  return { first, whole: performance.now() - from }
}

async function newConversation(): Promise<{ id: ConversationId; main: PathId }> {
  const made = await engine.conversations.create(who, { title: 'Bench' })
  if (!made.ok) throw new Error(made.problem.message)
  return made.value.conversation
}

async function ours(id: ConversationId, path: PathId): Promise<{ first: number; whole: number; request: number }> {
  let first = 0
  let whole = 0
  // What a window does before anybody can send: it opens the path, shows the cost, and tells that somebody types.
  await Promise.all([engine.chat.open(who, path), engine.chat.spending(who, id), engine.chat.prepare(who, path)])
  const from = performance.now()
  const stop = engine.events.listen(event => {
    if (event.type !== 'chat') return
    if (event.event.kind === 'delta' && first === 0) first = performance.now() - from
    if (event.event.kind === 'settled') whole = performance.now() - from
  })
  const asked = await engine.chat.ask(who, { path, text: 'Go', model, seen: true })
  if (!asked.ok) throw new Error(asked.problem.message)
  await engine.chat.idle()
  stop()
  const [entry] = await engine.chat.ledger(who, { conversation: id, limit: 1 })
  return { first, whole, request: entry?.firstTokenMs ?? 0 }
}

const theirs: { first: number; whole: number }[] = []
const mine: { first: number; whole: number; request: number }[] = []
// Beforehand: what making one leaves to be done afterwards must not count as time of a question.
const conversations = await Promise.all(Array.from({ length: rounds + warmUp }, newConversation))
for (const [round, { id, main }] of conversations.entries()) {
  const [a, b] = [await raw(), await ours(id, main)]
  if (round < warmUp) continue
  theirs.push(a)
  mine.push(b)
}
const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
const of = <T>(list: T[], pick: (each: T) => number): number => median(list.map(pick))
/** Each round beside its own raw one: what else the machine does meanwhile slows both. */
const added = (pick: (each: (typeof mine)[number]) => number): number =>
  median(mine.map((each, at) => pick(each) - (theirs[at]?.first ?? 0)))
const perChunk = (of(mine, each => each.whole - each.first) - of(theirs, each => each.whole - each.first)) / chunks
console.log(
  JSON.stringify({
    bench: 'chat',
    rounds,
    chunks,
    rawFirstTokenMs: round(of(theirs, each => each.first)),
    // From the question on: question, answer and the record of the request are durable before anything is sent.
    addedToFirstTokenMs: round(added(each => each.first)),
    // From the request on: masking, the last look at the body, the protocol's library.
    ofThatInTheRequestMs: round(added(each => each.request)),
    addedPerChunkMs: round(perChunk),
  }),
)
await engine.close()
peer.disconnect()
rmSync(home, { recursive: true, force: true })

function round(value: number): number {
  return Math.round(value * 1000) / 1000
}
