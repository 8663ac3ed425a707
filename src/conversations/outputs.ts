import type { Selectable } from 'kysely'
import { OutputId, type OutputView } from '../contract/conversations.ts'
import type { ConversationId } from '../contract/ids.ts'
import { type Output, Output as OutputSchema } from '../contract/run.ts'
import type { Ids } from '../ids.ts'
import { listOf } from '../storage/lists.ts'
import { addToIndex } from '../storage/search.ts'
import type { Transaction } from '../storage/storage.ts'
import type { OutputsTable } from '../storage/tables/conversations.ts'
import type { Db } from './view.ts'

/** An output larger than this is fetched when somebody looks at it, so that one picture does not hold up a whole path. */
export const inlineBytes = 64 * 1024
const previewChars = 2000
const searchableChars = 50_000

export interface KeptOutput {
  readonly output: Output
  /** What a notebook carried beyond what we know, as JSON. */
  readonly extra: string | null
}

/** Writes outputs as a set that any number of paths can show. */
export async function keepOutputs(
  transaction: Transaction,
  ids: Ids,
  conversation: ConversationId,
  set: string,
  outputs: readonly KeptOutput[],
): Promise<void> {
  for (const [place, { output, extra }] of outputs.entries()) {
    const body = JSON.stringify(output)
    const bytes = Buffer.byteLength(body)
    const summary = JSON.stringify(summaryOf(output, bytes > inlineBytes))
    const { n } = await transaction
      .insertInto('outputs')
      .values({
        id: ids.make(OutputId),
        conversation,
        set_id: set,
        place,
        type: output.type,
        bytes,
        summary,
        extra,
        body,
      })
      .returning('n')
      .executeTakeFirstOrThrow()
    const searchable = textOf(output).slice(0, searchableChars)
    if (searchable) await addToIndex(transaction, 'output_search', n, searchable)
  }
}

type Head = Pick<Selectable<OutputsTable>, 'n' | 'id' | 'set_id' | 'type' | 'bytes' | 'summary'>

/** What can be said of the outputs of some sets without reading their bodies. */
export async function readHeads(db: Db, sets: readonly string[]): Promise<Map<string, Head[]>> {
  const heads = new Map<string, Head[]>()
  const rows = await db
    .selectFrom('outputs')
    .select(['n', 'id', 'set_id', 'type', 'bytes', 'summary'])
    .where('set_id', 'in', listOf(sets))
    .orderBy('set_id')
    .orderBy('place')
    .execute()
  for (const row of rows) {
    const list = heads.get(row.set_id)
    if (list) list.push(row)
    else heads.set(row.set_id, [row])
  }
  return heads
}

export async function readBodies(db: Db, heads: readonly Head[]): Promise<Map<number, string>> {
  const wanted = listOf(heads.map(head => head.n))
  const rows = await db.selectFrom('outputs').select(['n', 'body']).where('n', 'in', wanted).execute()
  return new Map(rows.map(row => [row.n, row.body]))
}

export function viewOutput(head: Head, body: string | undefined): OutputView {
  if (body !== undefined) return { whole: true, id: head.id, output: JSON.parse(body) as Output }
  const { mimeTypes, preview } = JSON.parse(head.summary) as ReturnType<typeof summaryOf>
  return { whole: false, id: head.id, type: head.type, mimeTypes, bytes: head.bytes, preview }
}

/** The outputs of a set with all they hold, for exports and comparisons. */
export async function readSet(db: Db, set: string): Promise<KeptOutput[]> {
  const rows = await db
    .selectFrom('outputs')
    .select(['body', 'extra'])
    .where('set_id', '=', set)
    .orderBy('place')
    .execute()
  return rows.map(row => ({ output: OutputSchema.parse(JSON.parse(row.body)), extra: row.extra }))
}

function summaryOf(output: Output, large: boolean): { mimeTypes: string[]; preview: string } {
  const mimeTypes = output.type === 'display' || output.type === 'result' ? Object.keys(output.data) : []
  return { mimeTypes, preview: large ? textOf(output).slice(0, previewChars) : '' }
}

/** What a person could read and search in an output; pictures have nothing of the kind. */
export function textOf(output: Output): string {
  switch (output.type) {
    case 'stream':
    case 'notice':
      return output.text
    case 'error':
      return `${output.error.name}: ${output.error.message}`
    case 'display':
    case 'result': {
      const plain = output.data['text/plain'] ?? output.data['text/markdown']
      if (typeof plain === 'string') return plain
      const json = output.data['application/json']
      return json === undefined ? '' : JSON.stringify(json)
    }
  }
}
