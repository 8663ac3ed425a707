// How the notebook feels: from Shift+Enter to output, scrolling a thousand cells, opening ten thousand messages.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { NewItem } from '../src/contract/conversations.ts'
import { openEngine } from '../src/engine/engine.ts'
import { serve, summary } from './app.ts'

const round1 = (ms: number) => Math.round(ms * 10) / 10
const home = mkdtempSync(join(tmpdir(), 'countersign-bench-'))
const engine = await openEngine({ home, env: process.env, pool: 0 })
const make = async (title: string, items: NewItem[]) => {
  const made = await engine.conversations.create(engine.caller, { title })
  if (!made.ok) throw new Error(made.problem.message)
  const path = made.value.conversation.main
  for (let at = 0; at < items.length; at += 5000) {
    const inserted = await engine.conversations.insert(engine.caller, {
      path,
      items: items.slice(at, at + 5000),
      undoable: false,
    })
    if (!inserted.ok) throw new Error(inserted.problem.message)
  }
  return path
}
process.stderr.write('making 10,000 messages and 1,000 cells\n')
await make(
  'ten thousand',
  Array.from({ length: 10_000 }, (_, n) => ({
    kind: 'message',
    author: 'analyst',
    text: `Message **${n}** about the ratio.`,
  })),
)
const cells = await make(
  'a thousand',
  Array.from({ length: 1000 }, (_, n) => ({
    kind: 'cell',
    author: 'analyst',
    language: 'python',
    text: `x_${n} = ${n}\nfor i in range(3):\n    print("cell ${n}", i)`,
  })),
)
const opened = await engine.conversations.open(engine.caller, { path: cells })
if (!opened.ok) throw new Error(opened.problem.message)
process.stderr.write('running them\n')
for (const item of opened.value.items) {
  if (item.kind !== 'cell') continue
  const started = await engine.runs.start(engine.caller, { path: cells, cell: item.id, revision: item.revision })
  if (started.ok) await started.value.rest
}
// Each run prints something else, so that the frame which shows it can be told from the one before.
const counting = 'try:\n    n += 1\nexcept NameError:\n    n = 0\nprint("here", n)'
const quick = await make('quick', [{ kind: 'cell', author: 'analyst', language: 'python', text: counting }])

const tree = [await make('five hundred', [])]
while (tree.length < 500) {
  const from = tree[Math.floor((tree.length - 1) / 3)]
  const branch = from ? await engine.conversations.branch(engine.caller, { path: from, after: null }) : null
  if (!branch?.ok) throw new Error('no branch')
  tree.push(branch.value.id)
}

process.stderr.write('the engine by itself\n')
const byItself: number[] = []
const cell = await engine.conversations.open(engine.caller, { path: quick })
for (let round = 0; round < 31; round++) {
  const item = cell.ok ? cell.value.items[0] : undefined
  if (item?.kind !== 'cell') throw new Error('the cell is not there')
  const before = performance.now()
  let first = Number.NaN
  const request = { path: quick, cell: item.id, revision: item.revision }
  const started = await engine.runs.start(engine.caller, request, {
    sink: () => {
      if (Number.isNaN(first)) first = performance.now() - before
    },
  })
  if (!started.ok) throw new Error(started.problem.message)
  await started.value.rest
  if (round > 0) byItself.push(first)
}
await engine.close()

const app = await serve(home)
const { page } = app
const open = async (title: string) => {
  await page.keyboard.press('Control+O')
  await page.getByPlaceholder('Open a conversation…').fill(title)
  await page
    .getByRole('option', { name: new RegExp(title) })
    .first()
    .click()
}

/** Frame times while a list is scrolled by so much in each frame. */
const scroll = (selector: string, step: number) =>
  page.evaluate(
    async ([selector, step]) => {
      const list = document.querySelector(selector)
      const times: number[] = []
      let last = performance.now()
      await new Promise<void>(resolve => {
        const frame = (now: number) => {
          times.push(now - last)
          last = now
          if (!list || times.length > 300) return resolve()
          list.scrollTop += step
          requestAnimationFrame(frame)
        }
        requestAnimationFrame(frame)
      })
      return times.slice(5)
    },
    [selector, step] as const,
  )
const frameSummary = (times: readonly number[]) => ({
  ...summary(times),
  frames: times.length,
  over33: times.filter(ms => ms > 34).length,
})

process.stderr.write('from Shift+Enter to output\n')
await page.getByRole('region', { name: /cell/ }).first().waitFor()
await page.locator('pre').first().click()
await page.locator('.monaco-editor[role="code"]').first().waitFor()
const shown: number[] = []
for (let round = 0; round < 31; round++) {
  // Measured in the page, by the frame in which the output stands: what a person sees, without the driver's own delay.
  const result = await page.evaluate(async marker => {
    const editor = document.querySelector<HTMLElement>('.monaco-editor textarea, .monaco-editor [role="textbox"]')
    const text = () => document.querySelector('[data-testid="outputs"]')?.textContent ?? ''
    const last = text()
    const before = performance.now()
    const seen = new Promise<number>(resolve => {
      const look = () => {
        const now = text()
        if (now !== last && now.includes('here')) resolve(performance.now() - before)
        else if (performance.now() - before > 5000) resolve(Number.NaN)
        else requestAnimationFrame(look)
      }
      look()
    })
    editor?.dispatchEvent(
      new KeyboardEvent('keydown', { key: 'Enter', ctrlKey: true, bubbles: true, cancelable: true }),
    )
    return { ms: await seen, marker }
  }, round)
  if (round > 0 && !Number.isNaN(result.ms)) shown.push(result.ms)
}
process.stderr.write('scrolling a thousand cells\n')
await open('a thousand')
await page.getByText('cell 0').first().waitFor()
const frames = await scroll('[data-testid="items"]', 120)

process.stderr.write('scrolling five hundred paths\n')
await open('five hundred')
await page.getByRole('treeitem').nth(20).waitFor()
const treeFrames = await scroll('[role="tree"]', 45)

process.stderr.write('opening ten thousand messages\n')
const opening: number[] = []
for (let round = 0; round < 5; round++) {
  await page.evaluate(() => localStorage.clear())
  await page.keyboard.press('Control+O')
  await page.getByPlaceholder('Open a conversation…').fill('ten thousand')
  const option = page.getByRole('option', { name: /ten thousand/ }).first()
  await option.waitFor()
  const ms = await option.evaluate(async element => {
    const before = performance.now()
    ;(element as HTMLElement).click()
    await new Promise<void>(resolve => {
      const look = () =>
        document.body.textContent?.includes('Message 0 about') ? resolve() : requestAnimationFrame(look)
      look()
    })
    return performance.now() - before
  })
  opening.push(ms)
  await page.reload()
  await page.getByRole('tree').waitFor()
  await open('quick')
}
await app.close()
rmSync(home, { recursive: true, force: true })

process.stdout.write(
  `${JSON.stringify({
    bench: 'ui',
    shiftEnterToOutputMs: { ...summary(shown), rounds: shown.length },
    engineToFirstOutputMs: summary(byItself),
    addedMs: { median: round1(summary(shown).median - summary(byItself).median), limit: 50 },
    scrollFrameMs: frameSummary(frames),
    treeFrameMs: frameSummary(treeFrames),
    openTenThousandMs: { ...summary(opening), limit: 500 },
  })}\n`,
)
