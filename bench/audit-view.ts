/**
 * The record's screen with a million entries: opening it, scrolling, filtering, searching, opening an entry, in a real
 * browser against the built application. `node bench/audit-view.ts [ENTRIES] [HOME]`; a home that has entries already
 * is used as it is and kept. One JSON line on standard output.
 */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serve, summary } from './app.ts'
import { fill, openRecord } from './audit-work.ts'

const entries = Number(process.argv[2] ?? 1_000_000)
const given = process.argv[3]
const home = given ?? mkdtempSync(join(tmpdir(), 'countersign-bench-'))
// Retention would begin to empty the older ones a minute after the start.
writeFileSync(join(home, 'settings.json'), JSON.stringify({ audit: { retentionDays: 36_500 } }))
if (!existsSync(join(home, 'countersign.db'))) {
  const record = await openRecord(home)
  await fill(record, entries)
  await record.audit.query({})
  await record.close()
}

const { page, linkMs, close } = await serve(home)
const list = page.getByRole('list', { name: 'Entries, newest first' })
const found = page.getByRole('search', { name: 'Filter the record' }).getByRole('status')
const timed = async (work: () => Promise<unknown>) => {
  const before = performance.now()
  await work()
  return Math.round(performance.now() - before)
}
/** Until the list shows only what was asked for. */
const narrowed = (count: RegExp) => found.filter({ hasText: count }).waitFor()

try {
  await page.getByRole('button', { name: 'Audit', exact: true }).waitFor()
  const openMs = await timed(async () => {
    await page.getByRole('button', { name: 'Audit', exact: true }).click()
    await list.getByRole('button').first().waitFor()
  })
  await narrowed(/More than 10,000/)

  // A page down in each frame, for as long as it takes to come five thousand entries down.
  const scroll = await page.evaluate(async () => {
    const scroller = document.querySelector('ol[aria-label="Entries, newest first"]')?.parentElement
    if (!scroller) throw new Error('there is no list')
    const frames: number[] = []
    const started = performance.now()
    while (scroller.scrollTop < 5000 * 38 && performance.now() - started < 60_000) {
      const before = performance.now()
      scroller.scrollTop += scroller.clientHeight
      await new Promise(resolve => requestAnimationFrame(resolve))
      frames.push(performance.now() - before)
    }
    return { frames, ms: performance.now() - started, rows: Math.round(scroller.scrollTop / 38) }
  })

  const filterMs = await timed(async () => {
    await page.getByRole('button', { name: 'Risk' }).click()
    await page.getByRole('menuitemcheckbox', { name: 'critical' }).click()
    await page.waitForFunction(() => {
      const rows = [...document.querySelectorAll('ol[aria-label="Entries, newest first"] button')]
      return rows.length > 0 && rows.every(row => /critical/i.test(row.textContent ?? ''))
    })
  })
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Clear filters' }).click()
  const search = page.getByRole('searchbox', { name: 'Search the record' })
  const searches: Record<string, number> = {}
  for (const [text, count] of [
    ['liability_499', /^[\d,]+ entries$/],
    ['case 4711', /^[1-9]\d* entr/],
    ['"buffer weight"', /^0 entries$/],
  ] as const) {
    searches[text] = await timed(async () => {
      await search.fill(text)
      await narrowed(count)
    })
    await search.fill('')
    await narrowed(/More than 10,000/)
  }
  await search.fill('case 4711')
  await narrowed(/^[1-9]\d* entr/)
  const entryMs = await timed(async () => {
    await list.getByRole('button').first().click()
    await page.getByRole('article').getByText('it is on the record, unchanged').waitFor()
  })
  console.log(
    JSON.stringify({
      bench: 'audit-view',
      linkMs: Math.round(linkMs),
      openMs,
      scroll: { frameMs: summary(scroll.frames), rowsPerSecond: Math.round(scroll.rows / (scroll.ms / 1000)) },
      filterMs,
      // With the quarter of a second that the field waits for more letters.
      searchMs: searches,
      entryMs,
    }),
  )
} finally {
  await close()
  if (!given) rmSync(home, { recursive: true, force: true })
}
