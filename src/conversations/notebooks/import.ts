import { randomUUID } from 'node:crypto'
import { writerOf } from '../../contract/caller.ts'
import type { Imported, ItemId } from '../../contract/conversations.ts'
import { CellId, type ConversationId, MessageId, PathId } from '../../contract/ids.ts'
import { type Outcome, ok } from '../../contract/problem.ts'
import type { Transaction } from '../../storage/storage.ts'
import { rising } from '../comparing.ts'
import type { Caller, Follow } from '../conversations.ts'
import type { Desk } from '../operation.ts'
import { keepOutputs } from '../outputs.ts'
import { beforeAll, type Position, positionsBetween } from '../positions.ts'
import { batches, hashOf, keepText } from '../texts.ts'
import { announceConversation, createIn, findSummary, newPath } from '../tree.ts'
import type { Line } from '../view.ts'
import { parseNotebook } from './parse.ts'
import { type Plan, type PlannedCell, type PlannedPath, planImport } from './plan.ts'

export interface NotebookFile {
  readonly name: string
  readonly bytes: Uint8Array
}

/** Opens a notebook file as a new conversation: all of it in one transaction, or nothing. */
export async function importNotebook(
  desk: Desk,
  who: Caller,
  file: NotebookFile,
  action: 'conversation.imported' | 'conversation.created',
  follow?: Follow,
): Promise<Outcome<Imported>> {
  const notebook = await parseNotebook(file.bytes)
  if (!notebook.ok) return notebook
  const plan = planImport(notebook.value, file.name, randomUUID)
  const sha256 = hashOf(file.bytes)
  const outcome = await desk.storage.write(async (db): Promise<Outcome<Imported>> => {
    const conversation = await writePlan(desk, db, who, plan)
    await follow?.(db, conversation)
    await desk.audit.append(db, {
      action,
      tenant: who.tenant,
      actor: who.user,
      conversation,
      details: { title: plan.title, sha256, bytes: file.bytes.byteLength, paths: plan.paths.length },
    })
    const summary = await findSummary(db, who, conversation)
    return summary.ok ? ok({ conversation: summary.value, notices: [...plan.notices] }) : summary
  })
  if (outcome.ok) announceConversation(desk, who, outcome.value.conversation)
  return outcome
}

/** Everything of an import is of one version: a branch at that version sees all of what its parent was given. */
const version = 1

async function writePlan(desk: Desk, db: Transaction, who: Caller, plan: Plan): Promise<ConversationId> {
  const { conversation, main } = await createIn(desk, db, who, plan.title, JSON.stringify(plan.metadata))
  const writer = new PlanWriter(desk, db, conversation, who)
  const written: Written[] = []
  for (const path of plan.paths) {
    const parent = path.parent === null ? null : (written[path.parent] ?? null)
    written.push(await writer.path(path, parent, main))
  }
  await db.updateTable('conversations').set({ version }).where('id', '=', conversation).execute()
  return conversation
}

interface Placed {
  readonly cell: PlannedCell
  readonly item: ItemId
  readonly position: Position
}
interface Written {
  readonly id: PathId
  readonly cells: readonly Placed[]
}

class PlanWriter {
  readonly #desk: Desk
  readonly #db: Transaction
  readonly #conversation: ConversationId
  readonly #by: Pick<Line, 'author' | 'assistant'>
  readonly #items = new Map<string, ItemId>()

  constructor(desk: Desk, db: Transaction, conversation: ConversationId, who: Caller) {
    const { user: author, assistant } = writerOf(who)
    this.#by = { author, assistant }
    this.#desk = desk
    this.#db = db
    this.#conversation = conversation
  }

  async path(path: PlannedPath, parent: Written | null, main: PathId): Promise<Written> {
    const at = this.#desk.clock.now()
    const id = parent ? this.#desk.ids.make(PathId) : main
    const inherited = parent?.cells.slice(0, path.inherits) ?? []
    const placed = await this.#place(path, inherited)
    const last = inherited.at(-1)
    const positions = [...inherited, ...placed].map(each => each.position).sort()
    const row = {
      ...newPath({ id, conversation: this.#conversation, name: path.name, at }),
      parent: parent?.id ?? null,
      branch_item: last?.item ?? null,
      branch_version: parent ? version : 0,
      branch_position: last?.position ?? beforeAll,
      end_position: positions.at(-1) ?? beforeAll,
      item_count: placed.length,
      run_count: Math.max(0, ...path.cells.map(cell => cell.run?.count ?? 0)),
      state: path.archived ? ('archived' as const) : ('open' as const),
    }
    if (parent) await this.#db.insertInto('paths').values(row).execute()
    else await this.#db.updateTable('paths').set(row).where('id', '=', main).execute()
    await this.#write(id, placed, inherited, at)
    return { id, cells: placed }
  }

  /** Keeps inherited cells where they stand unless the path has them in another order; puts the others between them. */
  async #place(path: PlannedPath, inherited: readonly Placed[]): Promise<Placed[]> {
    const above = new Map(inherited.map((each, index) => [each.cell.identity, { ...each, index }]))
    const kept = rising(
      path.cells.flatMap((cell, left) => {
        const from = above.get(cell.identity)
        return from ? { left, right: from.index } : []
      }),
    )
    const placed: Placed[] = []
    let from = 0
    for (const anchor of [...kept, { left: path.cells.length, right: inherited.length }]) {
      const gap = path.cells.slice(from, anchor.left)
      const stays = inherited[anchor.right]
      const before = placed.at(-1)?.position ?? null
      const positions = positionsBetween(before, stays?.position ?? null, gap.length)
      for (const [index, cell] of gap.entries()) {
        placed.push({ cell, item: await this.#itemOf(cell), position: positions[index] ?? '' })
      }
      const cell = path.cells[anchor.left]
      if (stays && cell) placed.push({ cell, item: stays.item, position: stays.position })
      from = anchor.left + 1
    }
    return placed
  }

  async #itemOf(cell: PlannedCell): Promise<ItemId> {
    const known = this.#items.get(cell.identity)
    if (known) return known
    const id = this.#desk.ids.make(cell.kind === 'cell' ? CellId : MessageId)
    this.#items.set(cell.identity, id)
    const { kind, author } = cell
    await this.#db
      .insertInto('items')
      .values({ id, conversation: this.#conversation, kind, author, notebook: JSON.stringify(cell.notebook) })
      .execute()
    return id
  }

  async #write(path: PathId, placed: readonly Placed[], inherited: readonly Placed[], at: number): Promise<void> {
    const above = new Map(inherited.map(each => [each.item, each]))
    const lines: Line[] = []
    for (const { cell, item, position } of placed) {
      const same = above.get(item)
      above.delete(item)
      if (same && same.cell === cell && same.position === position) continue
      const text = await keepText(this.#db, this.#conversation, cell.text)
      lines.push({ path, item, version, state: 'present', position, language: cell.language, text, ...this.#by, at })
      if (same?.cell !== cell) await this.#run(path, item, cell, text, same !== undefined && same.cell.run !== null)
    }
    for (const { cell, item, position } of above.values()) {
      const text = await keepText(this.#db, this.#conversation, cell.text)
      lines.push({ path, item, version, state: 'removed', position, language: cell.language, text, ...this.#by, at })
    }
    for (const batch of batches(lines)) await this.#db.insertInto('revisions').values(batch).execute()
  }

  async #run(path: PathId, item: ItemId, cell: PlannedCell, text: number, hides: boolean): Promise<void> {
    const { run } = cell
    if (!run && !hides) return
    const set = run ? randomUUID() : null
    const kept = run?.outputs.map(({ output, extra }) => ({ output, extra: extra && JSON.stringify(extra) })) ?? []
    if (set) await keepOutputs(this.#db, this.#desk.ids, this.#conversation, set, kept)
    await this.#db
      .insertInto('executions')
      .values({
        path,
        item,
        version,
        outputs_of: set,
        run: null,
        ran_on: path,
        count: run?.count ?? null,
        finished_at: run?.finishedAt ?? null,
        duration_ms: run?.durationMs ?? null,
        success: run?.success === true ? 1 : run?.success === false ? 0 : null,
        risk: null,
        language: cell.language,
        text: run?.stale ? null : text,
      })
      .execute()
  }
}
