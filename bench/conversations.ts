import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../src/clock.ts'
import type { NewItem } from '../src/contract/conversations.ts'
import { type CellId, RunId, TenantId, UserId } from '../src/contract/ids.ts'
import type { Outcome } from '../src/contract/problem.ts'
import { type Caller, createConversations } from '../src/conversations/conversations.ts'
import { createGuard } from '../src/guard/guard.ts'
import { uuidV7 } from '../src/ids.ts'
import { passed } from '../src/privacy/testing.ts'
import { openStorage } from '../src/storage/storage.ts'

/** How long a person waits for the tree: opening, editing, branching, searching and importing at size. */

const folder = mkdtempSync(join(tmpdir(), 'countersign-bench-'))
const storage = await openStorage({ file: join(folder, 'bench.db'), clock: systemClock })
const ids = uuidV7(systemClock)
const guard = createGuard()
const conversations = createConversations({
  storage,
  clock: systemClock,
  ids,
  dependencies: (code, language) => guard.dependencies(code, language),
  audit: { append: async () => undefined },
  redact: async (_who, _conversation, texts) => passed(texts),
  pathEnded: () => Promise.resolve(),
  templates: join(folder, 'templates'),
})
const who: Caller = { tenant: TenantId.parse(randomUUID()), user: UserId.parse(randomUUID()) }

try {
  const figures: Record<string, { median: number; p95: number }> = {}
  const measure = async (name: string, times: number, work: (round: number) => Promise<unknown>) => {
    const taken: number[] = []
    for (let round = 0; round < times; round++) {
      const start = performance.now()
      await work(round)
      taken.push(performance.now() - start)
    }
    taken.sort((left, right) => left - right)
    const at = (share: number) => Number((taken[Math.min(times - 1, Math.floor(times * share))] ?? 0).toFixed(2))
    figures[name] = { median: at(0.5), p95: at(0.95) }
    console.error(`${name}: ${at(0.5)} ms`)
  }

  const { conversation } = value(await conversations.create(who, { title: 'Ten thousand' }))
  const main = conversation.main
  const items = value(
    await conversations.insert(who, { path: main, items: Array.from({ length: 10_000 }, (_, at) => item(at)) }),
  )
  for (const each of items.filter((_, at) => at % 10 === 1)) {
    await storage.write(transaction =>
      conversations.recordRun(transaction, {
        run: ids.make(RunId),
        path: main,
        cell: each.id as CellId,
        code: each.text,
        language: 'python',
        success: true,
        risk: 'low',
        finishedAt: systemClock.now(),
        durationMs: 3,
        keptFrom: null,
        outputs: [{ type: 'stream', name: 'stdout', text: `result of ${each.text}\n` }],
      }),
    )
  }
  const middle = items[5000]?.id
  if (!middle) throw new Error('nothing was inserted')
  const whole = async (path: typeof main) => {
    let opened = value(await conversations.open(who, { path }))
    let count = opened.items.length
    while (opened.next) {
      opened = value(await conversations.open(who, { path, cursor: opened.next }))
      count += opened.items.length
    }
    return count
  }
  await measure('open10kItemsMs', 15, () => whole(main))
  const branch = value(await conversations.branch(who, { path: main, after: items.at(-1)?.id ?? null })).id
  await measure('openInherited10kItemsMs', 15, () => whole(branch))
  await measure('editIn10kItemsMs', 50, async round => {
    const revision = value(await conversations.items(who, main, [middle]))[0]?.revision ?? 0
    value(
      await conversations.edit(who, { path: main, item: middle, text: `edit ${round}`, expectedRevision: revision }),
    )
  })
  await measure('insertInMiddleOf10kItemsMs', 30, async () =>
    value(await conversations.insert(who, { path: main, after: middle, items: [item(1)] })),
  )
  await measure('appendTo10kItemsMs', 50, async () =>
    value(await conversations.insert(who, { path: main, items: [item(1)] })),
  )
  await measure('branchIn10kItemsMs', 30, async () =>
    value(await conversations.branch(who, { path: main, after: middle })),
  )
  await measure('undoIn10kItemsMs', 20, async () => value(await conversations.undo(who, main)))
  await measure('searchRareWordMs', 30, round => conversations.search(who, { text: `needle${round}` }))
  await measure('searchCommonWordMs', 30, () => conversations.search(who, { text: 'capital' }))
  await measure('compare10kItemsMs', 5, async () =>
    value(await conversations.compare(who, { left: main, right: branch })),
  )

  const tree = value(await conversations.create(who, { title: 'Five hundred' })).conversation
  const [root] = value(await conversations.insert(who, { path: tree.main, items: [item(0)] }))
  let parent = tree.main
  for (let at = 0; at < 500; at++) {
    const made = value(await conversations.branch(who, { path: parent, after: root?.id ?? null }))
    if (at % 5 === 0) parent = made.id
  }
  await measure('tree500PathsMs', 30, async () => value(await conversations.tree(who, tree.id)))
  await measure('openAtDepth100Ms', 15, () => whole(parent))

  const picture = 'A'.repeat(1_000_000)
  const cells = Array.from({ length: 50 }, (_, at) => ({
    cell_type: 'code',
    id: `c${at}`,
    metadata: {},
    execution_count: at,
    source: `plot(${at})`,
    outputs: [{ output_type: 'display_data', data: { 'image/png': picture }, metadata: {} }],
  }))
  const bytes = new TextEncoder().encode(JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells }))
  const imported: (typeof main)[] = []
  await measure('import50MbNotebookMs', 3, async () =>
    imported.push(value(await conversations.importNotebook(who, { name: 'big.ipynb', bytes })).conversation.main),
  )
  const big = imported[0] ?? main
  await measure('open50MbNotebookMs', 10, () => whole(big))
  await measure('export50MbNotebookMs', 3, async () =>
    value(await conversations.export(who, { path: big, format: 'ipynb' })),
  )
  const ratio = (name: string, other: string) =>
    Number(((figures[name]?.median ?? 0) / (figures[other]?.median ?? 1)).toFixed(2))
  console.log(
    JSON.stringify({
      bench: 'conversations',
      ...figures,
      inheritedToOwnOpenRatio: ratio('openInherited10kItemsMs', 'open10kItemsMs'),
    }),
  )
} finally {
  await guard.close()
  await storage.close()
  rmSync(folder, { recursive: true, force: true })
}

function item(at: number): NewItem {
  const text = `Step ${at} of the capital review, with needle${at} and words enough to look like what a person writes.`
  return at % 10 === 1
    ? { kind: 'cell', author: 'analyst', language: 'python', text: `# ${text}\nrwa_${at} = ${at} * 0.35` }
    : { kind: 'message', author: at % 2 ? 'assistant' : 'analyst', text }
}

function value<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new Error(outcome.problem.message)
  return outcome.value
}
