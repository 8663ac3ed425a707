import { sql } from 'kysely'
import type { AuditAction } from '../../contract/audit.ts'
import type { Storage, Transaction } from '../storage.ts'
import type { AuditKindsTable } from '../tables/audit.ts'
import type { CommonFacet, Facets } from './facets.ts'

export type WantedCommon = readonly (readonly [CommonFacet, readonly string[]])[]

/** Values come from what programs and settings wrote; this many combinations is more than there can honestly be. */
export const mostKinds = 5000

/** The kinds that fit, in one small read: a filter that fits none is answered by that alone. */
export async function kindsThatFit(storage: Pick<Storage, 'read'>, wanted: WantedCommon): Promise<number[]> {
  const rows = await storage.read.selectFrom('audit_kinds').selectAll().execute()
  return rows.filter(row => wanted.every(([facet, values]) => values.includes(row[facet] ?? ''))).map(row => row.kind)
}

export const kindsOf = (storage: Pick<Storage, 'read'>, actions: readonly AuditAction[]): Promise<number[]> =>
  kindsThatFit(storage, [['action', actions]])

/** Gives each combination its number, the same ever after. */
export class Kinds {
  readonly #known = new Map<string, number>()

  async numberFor(transaction: Transaction, { action, risk, result, sandbox }: Facets): Promise<number> {
    const name = JSON.stringify([action, risk, result, sandbox])
    const known = this.#known.get(name)
    if (known !== undefined) return known
    const found = await find(transaction, { action, risk, result, sandbox })
    if (found !== null) {
      this.#known.set(name, found)
      return found
    }
    const { count } = await transaction
      .selectFrom('audit_kinds')
      .select(eb => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    // Beyond that a made-up value is left out of the index, so that nobody can make every query slow with them.
    if (Number(count) >= mostKinds) return this.numberFor(transaction, bare(action))
    const row = await transaction
      .insertInto('audit_kinds')
      .values({ action, risk, result, sandbox } as AuditKindsTable)
      .returning('kind')
      .executeTakeFirstOrThrow()
    // Remembered only when it is found again: this transaction may still be rolled back.
    return row.kind
  }
}

const bare = (action: string) => ({ action, risk: null, result: null, sandbox: null }) as Facets

async function find(transaction: Transaction, { action, risk, result, sandbox }: Omit<AuditKindsTable, 'kind'>) {
  const { rows } = await sql<{ kind: number }>`select kind from audit_kinds
    where action = ${action} and coalesce(risk, '') = ${risk ?? ''} and coalesce(result, '') = ${result ?? ''}
    and coalesce(sandbox, '') = ${sandbox ?? ''}`.execute(transaction)
  return rows[0]?.kind ?? null
}
