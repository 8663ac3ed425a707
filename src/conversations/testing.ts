import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { AuditEvent } from '../audit/audit.ts'
import { ManualClock } from '../clock.testing.ts'
import type { Item, NewItem } from '../contract/conversations.ts'
import { type CellId, type PathId, RunId, TenantId, UserId } from '../contract/ids.ts'
import type { Outcome } from '../contract/problem.ts'
import type { Output, RiskLevel } from '../contract/run.ts'
import { uuidV7 } from '../ids.ts'
import { passed } from '../privacy/testing.ts'
import { temporaryFolder, temporaryStorage } from '../storage/testing.ts'
import { type Caller, createConversations } from './conversations.ts'
import type { Depends } from './stale.ts'

/** Conversations on a real database, with a record of what was put on the record. */
export async function desk(dependencies: Depends = independent) {
  const clock = new ManualClock()
  const storage = await temporaryStorage(clock)
  const ids = uuidV7(clock)
  const recorded: AuditEvent[] = []
  const ended: string[] = []
  const conversations = createConversations({
    storage,
    clock,
    ids,
    dependencies,
    templates: temporaryFolder(),
    audit: { append: async (_, event) => void recorded.push(event) },
    redact: async (_who, _conversation, texts) =>
      passed(texts.map(text => text.replaceAll('jane@example.com', '[EMAIL_1]'))),
    pathEnded: async (_who, _conversation, path, why) => void ended.push(`${path} ${why}`),
  })
  const who = caller()
  /** Runs a cell as the spine would. */
  const run = async (
    path: PathId,
    cell: CellId,
    code: string,
    outputs: Output[],
    language = 'python',
    risk: RiskLevel = 'low',
  ) => {
    const change = await storage.write(transaction =>
      conversations.recordRun(transaction, {
        run: ids.make(RunId),
        path,
        cell,
        code,
        language,
        success: true,
        risk,
        finishedAt: clock.now(),
        durationMs: 12,
        outputs,
        keptFrom: null,
      }),
    )
    if (change) conversations.announce(who.tenant, change)
  }
  const items = async (path: PathId): Promise<Item[]> => value(await conversations.open(who, { path })).items
  const texts = async (path: PathId) => (await items(path)).map(item => item.text)
  return { conversations, storage, clock, ids, dependencies, who, recorded, ended, run, items, texts }
}

/** Cells that have nothing to do with one another. */
const independent: Depends = async () => ({
  reads: [],
  writes: [],
  filesRead: [],
  filesWritten: [],
  unknown: false,
  repeatable: true,
})

export const caller = (): Caller => ({ tenant: TenantId.parse(randomUUID()), user: UserId.parse(randomUUID()) })

/** What an outcome holds; fails the test with the problem where it holds one. */
export function value<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) expect.fail(`${outcome.problem.code}: ${outcome.problem.message}`)
  return outcome.value
}

export const codeOf = (outcome: Outcome<unknown>) => (outcome.ok ? 'ok' : outcome.problem.code)
export const said = (text: string): NewItem => ({ kind: 'message', author: 'analyst', text })
export const cell = (text: string, language = 'python'): NewItem => ({
  kind: 'cell',
  author: 'analyst',
  language,
  text,
})
export const printed = (text: string): Output => ({ type: 'stream', name: 'stdout', text })
