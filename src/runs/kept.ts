import { createHash } from 'node:crypto'
import type { Clock } from '../clock.ts'
import type { Turn } from '../contexts/contexts.ts'
import type { Manifest } from '../contract/files.ts'
import { CellId, type PathId, type RunId } from '../contract/ids.ts'
import { type Outcome, ok } from '../contract/problem.ts'
import { type Language, RunOutcome } from '../contract/run.ts'
import type { Caller, Conversations } from '../conversations/conversations.ts'
import type { PathFiles } from '../files/files.ts'
import type { Dependencies } from '../guard/guard.ts'
import type { KeyStore } from '../keystore.ts'
import { openRowSeal } from '../row-seal.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { Storage } from '../storage/storage.ts'
import type { KeptResultsTable } from '../storage/tables/kept.ts'
import type { ClearedRun } from './run.ts'

/**
 * Results that are kept, for cells of which somebody wants it. A kept result is shown in place of a run when the run
 * would read the same and leave what is there already: same code, place, environment, files and variables. Code that
 * reads the clock, draws lots without a seed or talks to anybody is always run.
 */
export interface KeptResults {
  /** Whether the results of a cell are kept from now on. */
  keep(who: Caller, path: PathId, cell: CellId, on: boolean): Promise<Outcome<void>>
  /** The cells whose results are kept. */
  cells(who: Caller): Promise<CellId[]>
  /** What to do when it is the run's turn; nothing for a run whose result is not to be kept. */
  turnOf(run: ClearedRun, anew: boolean): Promise<Pick<Turn, 'recall' | 'remember'>>
}

interface Parts {
  readonly storage: Storage
  readonly keys: KeyStore
  readonly clock: Clock
  readonly files: Pick<PathFiles, 'head'>
  readonly dependencies: (code: string, language: Language) => Promise<Dependencies>
  readonly conversations: Pick<Conversations, 'cellNow'>
}

const mostPerCell = 5
const mostBytes = 2 * 1024 * 1024

export async function createKeptResults(parts: Parts): Promise<KeptResults> {
  const { storage, clock, files, dependencies, conversations } = parts
  const seal = await openRowSeal(parts.keys, 'kept-results')

  async function find(run: ClearedRun, inputs: string, state: string) {
    const row = await storage.read
      .selectFrom('kept_results')
      .selectAll()
      .where('tenant', '=', run.tenant)
      .where('path', '=', run.path)
      .where('cell', '=', run.cell ?? '')
      .where('inputs', '=', inputs)
      .where('state', '=', state)
      .orderBy('at', 'desc')
      .executeTakeFirst()
    // An edited row would become the outcome of a run of today, on the record and signed for.
    const outcome = row && seal.holds(row) ? parsed(row.outcome) : null
    return row && outcome ? { outcome, from: { run: row.run as RunId, at: row.at } } : null
  }

  async function write(run: ClearedRun, inputs: string, state: string, outcome: RunOutcome): Promise<void> {
    const text = JSON.stringify(outcome)
    if (text.length > mostBytes) return
    const { tenant, conversation, path, cell } = run
    if (cell === null) return
    const row = { tenant, conversation, path, cell, run: run.id, inputs, state, outcome: text, at: clock.now() }
    const sealed = seal.seal<KeptResultsTable>(row)
    await storage.write(async t => {
      await t.insertInto('kept_results').values(sealed).execute()
      const old = await t
        .selectFrom('kept_results')
        .select('run')
        .where('tenant', '=', tenant)
        .where('path', '=', path)
        .where('cell', '=', cell)
        .orderBy('at', 'desc')
        .offset(mostPerCell)
        .limit(100)
        .execute()
      for (const each of old) await t.deleteFrom('kept_results').where('run', '=', each.run).execute()
    })
  }

  async function isKept({ tenant, cell }: ClearedRun): Promise<boolean> {
    if (cell === null) return false
    const row = await storage.read
      .selectFrom('kept_cells')
      .select('cell')
      .where('tenant', '=', tenant)
      .where('cell', '=', cell)
      .executeTakeFirst()
    return row !== undefined
  }

  return {
    async keep(who, path, cell, on) {
      const now = await conversations.cellNow(who, path, cell)
      if (now.kind !== 'cell') return gone
      await storage.write(async t => {
        if (on) {
          await t
            .insertInto('kept_cells')
            .values({ tenant: who.tenant, cell })
            .onConflict(held => held.doNothing())
            .execute()
          return
        }
        await t.deleteFrom('kept_cells').where('tenant', '=', who.tenant).where('cell', '=', cell).execute()
        await t.deleteFrom('kept_results').where('tenant', '=', who.tenant).where('cell', '=', cell).execute()
      })
      return ok(undefined)
    },

    async cells(who) {
      const rows = await storage.read.selectFrom('kept_cells').select('cell').where('tenant', '=', who.tenant).execute()
      return rows.flatMap(row => CellId.safeParse(row.cell).data ?? [])
    },

    async turnOf(run, anew) {
      const { network, aside, tools = [] } = run.placement
      if (aside || network.length > 0 || tools.length > 0 || !(await isKept(run))) return {}
      const needs = await dependencies(run.code, run.language)
      if (needs.unknown || !needs.repeatable) return {}
      const read = inFolder(needs.filesRead)
      const written = inFolder(needs.filesWritten)
      if (!read || !written) return {}
      const look = async (sandbox: Sandbox) => {
        const values = await valuesOf(sandbox, run.language, [...needs.reads, ...needs.writes])
        if (!values) return null
        const head = await files.head(run)
        const { kind, isolation, image, environment } = sandbox.describe()
        return {
          inputs: hashOf([
            [run.language, run.code, kind, isolation, image, environment, run.args, run.env],
            needs.reads.map(name => [name, values[name]]),
            hashesOf(head, read),
          ]),
          state: hashOf([Object.entries(values).sort(), hashesOf(head, [...read, ...written])]),
        }
      }
      let inputs: string | null = null
      return {
        async recall(sandbox) {
          const now = await look(sandbox)
          inputs = now?.inputs ?? null
          const found = now && !anew ? await find(run, now.inputs, now.state) : null
          if (!found) return null
          const { id: sandboxId } = sandbox
          const nothing = { created: [], modified: [], deleted: [] }
          return { ...found.outcome, sandboxId, files: nothing, warnings: [], executionTimeMs: 0, kept: found.from }
        },
        async remember(sandbox, outcome) {
          const changed = [...outcome.files.created, ...outcome.files.modified, ...outcome.files.deleted]
          const isExpected = changed.every(file => written.includes(file)) && outcome.network.length === 0
          if (inputs === null || !outcome.success || outcome.truncated || !isExpected) return
          const { manifests: _, stateChanges: __, ...rest } = outcome
          const now = await look(sandbox)
          if (now) await write(run, inputs, now.state, rest)
        },
      }
    },
  }
}

/** Hashes of what variables hold; null where one of them cannot be told. */
async function valuesOf(
  sandbox: Sandbox,
  language: Language,
  names: readonly string[],
): Promise<Record<string, string> | null> {
  const wanted = [...new Set(names)].sort()
  if (wanted.length === 0) return {}
  const told = await sandbox.fingerprints?.(language, wanted)
  if (!told?.ok) return null
  const entries = wanted.map(name => [name, told.value[name] ?? null] as const)
  return entries.every((entry): entry is [string, string] => entry[1] !== null) ? Object.fromEntries(entries) : null
}

/** The names of files as the path knows them; null where one lies elsewhere or is a pattern. */
function inFolder(targets: readonly string[]): string[] | null {
  const names = targets.map(target => target.replace(/^\/work\//, '').replace(/^(\.\/)+/, ''))
  return names.some(name => /^[/~]|[*?[\]{}$]|(^|\/)\.\.(\/|$)/.test(name)) ? null : names
}

const hashesOf = (manifest: Manifest, names: readonly string[]) =>
  [...new Set(names)].sort().map(name => [name, manifest.find(file => file.path === name)?.sha256 ?? 'absent'])

const hashOf = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex')

function parsed(text: string): RunOutcome | null {
  try {
    return RunOutcome.safeParse(JSON.parse(text)).data ?? null
  } catch {
    return null
  }
}

const gone: Outcome<never> = {
  ok: false,
  problem: { code: 'not-found', message: 'This cell is no longer on the path.', hint: 'Nothing was changed.' },
}
