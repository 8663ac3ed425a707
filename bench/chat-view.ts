/**
 * A conversation of 10,000 messages in a browser: how long it takes to open, and how the frames come while an answer
 * streams into it. `node bench/chat-view.ts`, after a build. Prints one JSON line; times in milliseconds.
 */

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pacedProvider } from '../src/chat/paced-provider.testing.ts'
import { systemClock } from '../src/clock.ts'
import { TurnId } from '../src/contract/chat.ts'
import type { MessageId } from '../src/contract/ids.ts'
import { openEngine } from '../src/engine/engine.ts'
import { uuidV7 } from '../src/ids.ts'
import { openStorage } from '../src/storage/storage.ts'
import { serve, summary } from './app.ts'

const messages = 10_000
const words = 900
/** Words a second: faster than most models write, and than anybody reads. */
const pace = 100
const sentence = 'The **ratio** stands at 11.84 %, see `capital.csv`.\n\n- own funds\n- exposure\n\n'

/** The provider has a process of its own, so that it keeps its pace. */
if (process.send) {
  const provider = await pacedProvider(sentence.repeat(100).split(' ').slice(0, words).join(' '), pace)
  process.send(provider.baseUrl)
  await once(process, 'disconnect')
  process.exit()
}

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
const made = await engine.conversations.create(who, { title: 'ten thousand' })
if (!provider.ok || !made.ok) throw new Error('the conversation could not be made')
const { main: path, id: conversation } = made.value.conversation
await engine.conversations.create(who, { title: 'another' })
const questions: MessageId[] = []
const answers: MessageId[] = []
for (let at = 0; at < messages; at += 5000) {
  const inserted = await engine.conversations.insert(who, {
    path,
    items: Array.from({ length: 5000 }, (_, n) => ({
      kind: 'message' as const,
      author: n % 2 === 0 ? ('analyst' as const) : ('assistant' as const),
      text: n % 2 === 0 ? `Question ${at + n} about the ratio?` : `${sentence}Answer ${at + n}.`,
    })),
    undoable: false,
  })
  if (!inserted.ok) throw new Error(inserted.problem.message)
  for (const item of inserted.value)
    if (item.kind === 'message') (item.author === 'analyst' ? questions : answers).push(item.id)
}
await engine.close()

// The answers as the chat would have kept them: asking a model five thousand times would take an hour.
const ids = uuidV7(systemClock)
const storage = await openStorage({ file: join(home, 'countersign.db'), clock: systemClock })
await storage.write(async t => {
  for (const [at, question] of questions.entries()) {
    const id = ids.make(TurnId)
    const place = { tenant: who.tenant, conversation }
    const row = { question, asked_by: who.user, owner: 'bench/0', provider: provider.value.id, provider_name: 'Fake' }
    const spent = { left_out: 0, input_tokens: 100, output_tokens: 20, cost: null, started_at: at, ended_at: at + 1 }
    await t
      .insertInto('chat_turns')
      .values({
        ...{ id, ...place, path, ...row, ...spent, model: 'fake-1', model_version: 'fake-1', state: 'done', step: 1 },
        ...{ problem: null, notices: '[]', waiting: null, partial: null },
      })
      .execute()
    const item = answers[at]
    const body = JSON.stringify({ kind: 'figures', length: 0, figures: [] })
    if (item)
      await t
        .insertInto('chat_parts')
        .values({ turn: id, place: 0, ...place, step: 1, item, kind: 'figures', body })
        .execute()
  }
})
await storage.close()

const app = await serve(home)
const { page } = app
/** A conversation in the list of them, to be clicked. */
const listed = async (title: string) => {
  await page.getByRole('tree').waitFor()
  await page.keyboard.press('Control+O')
  await page.getByPlaceholder('Open a conversation…').fill(title)
  const option = page.getByRole('option', { name: new RegExp(title) }).first()
  await option.waitFor()
  return option
}
const openedMs: number[] = []
for (let round = 0; round < 3; round++) {
  await (await listed('another')).click()
  await page.getByText('Nothing is written on this path yet').waitFor()
  await page.reload()
  const option = await listed('ten thousand')
  openedMs.push(
    await option.evaluate(async element => {
      const before = performance.now()
      ;(element as HTMLElement).click()
      await new Promise<void>(resolve => {
        const look = () =>
          document.body.textContent?.includes('Question 0 about') ? resolve() : requestAnimationFrame(look)
        look()
      })
      return performance.now() - before
    }),
  )
}

/** Frames of the page as it is, for comparison: what else the machine does slows both. */
const framesFor = (ms: number) =>
  page.evaluate(async long => {
    const times: number[] = []
    const from = performance.now()
    let last = from
    await new Promise<void>(resolve => {
      const frame = (now: number) => {
        times.push(now - last)
        last = now
        if (now - from > long) resolve()
        else requestAnimationFrame(frame)
      }
      requestAnimationFrame(frame)
    })
    return times.slice(2)
  }, ms)
await framesFor(1000)
const idle = await framesFor(3000)

// The newest is in sight, as for whoever asks.
await page.locator('[data-testid="items"]').evaluate(list => {
  list.scrollTop = list.scrollHeight
})
const box = page.getByLabel('Write a question or a note')
await box.fill('And now?')
await box.press('Enter')
const dialog = page.getByRole('button', { name: /^Send/ })
await page.getByTestId('live-turn').or(dialog).first().waitFor()
if (await dialog.isVisible()) await dialog.click()
await page.getByTestId('live-turn').waitFor()
const streaming = await framesFor((words / pace) * 800)
const shown = await page.getByTestId('live-turn').count()
const ending = framesFor((words / pace) * 400)
const [atTheEnd] = await Promise.all([ending, page.getByTestId('live-turn').waitFor({ state: 'detached' })])
await app.close()
peer.disconnect()
rmSync(home, { recursive: true, force: true })

const frames = (times: readonly number[]) => ({
  ...summary(times),
  longest: Math.round(Math.max(...times)),
  over17: times.filter(ms => ms > 17.7).length,
  of: times.length,
  perSecond: Math.round((1000 * times.length) / times.reduce((sum, ms) => sum + ms, 0)),
})
process.stdout.write(
  `${JSON.stringify({
    bench: 'chat-view',
    messages,
    wordsASecond: pace,
    openMs: { ...summary(openedMs), limit: 500 },
    idleFrameMs: frames(idle),
    streamingFrameMs: { ...frames(streaming), wasStreaming: shown > 0 },
    endFrameMs: frames(atTheEnd),
  })}\n`,
)
