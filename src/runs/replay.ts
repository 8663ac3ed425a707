import type { Audit } from '../audit/audit.ts'
import type { Contexts } from '../contexts/contexts.ts'
import type { PathRef } from '../contract/contexts.ts'
import type { Cell } from '../contract/conversations.ts'
import { Facts } from '../contract/facts.ts'
import type { Manifest } from '../contract/files.ts'
import { PathId, type RunId } from '../contract/ids.ts'
import { Failure, type Outcome } from '../contract/problem.ts'
import type { ReplayProgress } from '../contract/rpc/runs.ts'
import { Language, type Output } from '../contract/run.ts'
import { type Caller, type Conversations, type Replayed, replayReport } from '../conversations/conversations.ts'
import { manifestChanges, manifestOf, type PathFiles } from '../files/files.ts'
import type { Ids } from '../ids.ts'
import type { Storage } from '../storage/storage.ts'
import type { Runs } from './runs.ts'

interface Parts {
  readonly conversations: Conversations
  readonly contexts: Contexts
  readonly runs: Runs
  readonly audit: Pick<Audit, 'record' | 'query'>
  readonly ids: Ids
  readonly files: PathFiles
  readonly storage: Pick<Storage, 'write'>
}

/** Runs a path's cells again, in order, in a fresh sandbox beside it, and compares each output with the recorded one. */
export async function* replayPath(
  parts: Parts,
  who: Caller,
  path: PathId,
  signal?: AbortSignal,
): AsyncGenerator<ReplayProgress, void> {
  const { conversations, contexts, runs, audit, ids } = parts
  const conversation = take(await conversations.locate(who, path))
  const cells = await codeCells(conversations, who, path)
  const aside = { conversation, path: ids.make(PathId) }
  const replayed: Replayed[] = []
  const inputs = new Inputs(parts, { tenant: who.tenant, ...aside })
  try {
    for (const { cell, language } of cells) {
      if (signal?.aborted) return
      yield { type: 'cell', cell: cell.id, done: replayed.length, total: cells.length }
      await inputs.before(cell.lastRun?.run ?? null)
      const request = { path, cell: null, language, code: cell.text }
      const reached = cell.lastRun ? await hostsOf(audit, cell.lastRun.run) : []
      const replayOf = cell.lastRun?.run ?? null
      const started = await runs.start(who, request, { aside, replayOf, ...(signal ? { signal } : {}) })
      const outcome = started.ok ? await started.value.rest : null
      replayed.push({
        cell: cell.id,
        recorded: cell.lastRun && (await recordedOutputs(conversations, who, cell)),
        stale: cell.lastRun?.stale ?? false,
        // What it fetched by itself was never kept, so that its failing now says nothing about what it computed then.
        replayed:
          outcome?.outcome && (reached.length === 0 || outcome.outcome.success)
            ? { outputs: outcome.outcome.outputs }
            : reached.length > 0
              ? { reason: notKept(reached) }
              : { reason: started.ok ? reasonOf(outcome?.state, outcome?.problem?.message) : started.problem.message },
      })
    }
    const report = replayReport(path, replayed)
    await audit.record({
      action: 'path.replayed',
      tenant: who.tenant,
      actor: who.user,
      conversation,
      path,
      details: { verdict: report.verdict, counts: report.counts },
    })
    yield { type: 'report', report }
  } finally {
    await contexts.end({ tenant: who.tenant, ...aside }, 'manual', who.user)
    await parts.storage.write(t => parts.files.drop(t, { tenant: who.tenant, ...aside }))
  }
}

/** Gives each cell of a replay the files that were put in before its recorded run, as they were then. */
class Inputs {
  readonly #parts: Parts
  readonly #aside: PathRef
  #left: Manifest = []

  constructor(parts: Parts, aside: PathRef) {
    this.#parts = parts
    this.#aside = aside
  }

  async before(run: RunId | null): Promise<void> {
    const { files, contexts } = this.#parts
    const recorded = run && (await files.ofRun(run))
    const found = recorded && (await files.manifest(recorded.before))
    if (!recorded || !found) return
    // What the last cell left is the replay's own to make; what came between was put in by somebody.
    const { written, removed } = manifestChanges(this.#left, found)
    const folder = contexts.files(this.#aside)
    for (const path of removed) await folder.remove(path)
    await files.restore(manifestOf(written), folder)
    this.#left = (await files.manifest(recorded.after)) ?? found
  }
}

/** The hosts that a recorded run has reached. */
async function hostsOf(audit: Pick<Audit, 'query'>, run: RunId | null): Promise<string[]> {
  if (!run) return []
  const { items } = await audit.query({ filter: { run, actions: ['run.finished'] }, limit: 1 })
  const requests = new Facts(items[0]?.entry.details).list('network').map(each => new Facts(each))
  return [...new Set(requests.filter(each => each.is('allowed')).map(each => each.text('host')))]
}

const notKept = (hosts: readonly string[]): string =>
  `It fetched from ${new Intl.ListFormat('en').format(hosts)} by itself, which is not kept, and a replay calls nobody. Data that is fetched as official data is kept by hash.`

const reasonOf = (state: string | undefined, message: string | undefined) =>
  state === 'waiting'
    ? 'It needs a reviewer’s approval, which a replay does not ask for.'
    : (message ?? 'It did not run.')

async function codeCells(conversations: Conversations, who: Caller, path: PathId) {
  const cells: { cell: Cell; language: Language }[] = []
  let opened = take(await conversations.open(who, { path }))
  for (;;) {
    for (const item of opened.items) {
      const language = item.kind === 'cell' ? Language.safeParse(item.language) : null
      if (item.kind === 'cell' && language?.success && item.text.trim() !== '')
        cells.push({ cell: item, language: language.data })
    }
    if (!opened.next) return cells
    opened = take(await conversations.open(who, { path, cursor: opened.next }))
  }
}

async function recordedOutputs(conversations: Conversations, who: Caller, cell: Cell): Promise<Output[]> {
  return Promise.all(
    (cell.lastRun?.outputs ?? []).map(async view =>
      view.whole ? view.output : take(await conversations.output(who, view.id)),
    ),
  )
}

function take<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value
  const { code, message, hint } = outcome.problem
  throw new Failure(code, message, hint)
}
