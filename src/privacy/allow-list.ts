import type { Clock } from '../clock.ts'
import { EntryId } from '../contract/ids.ts'
import { Allowed, type NewAllowed } from '../contract/privacy.ts'
import type { Ids } from '../ids.ts'
import type { RowSeal } from '../row-seal.ts'
import type { Storage, Transaction } from '../storage/storage.ts'
import type { AllowedTable } from '../storage/tables/privacy.ts'

/** False positives that a person has allowed, each sealed. Read once and kept, since every scan asks. */
export interface AllowList {
  readonly current: readonly Allowed[]
  add(transaction: Transaction, entry: NewAllowed): Promise<Allowed>
  remove(transaction: Transaction, id: string): Promise<boolean>
  /** Takes up what a finished transaction has changed. */
  reload(): Promise<void>
}

export async function createAllowList(storage: Storage, clock: Clock, ids: Ids, seal: RowSeal): Promise<AllowList> {
  const load = async (): Promise<Allowed[]> => {
    const rows = await storage.read.selectFrom('allowed').selectAll().orderBy('id').execute()
    // One that was written into the database would let a private value leave.
    const ours = rows.filter(row => seal.holds(row))
    return ours.map(({ created_at, seal: _, ...row }) => Allowed.parse({ ...row, createdAt: created_at }))
  }
  let current = await load()
  return {
    get current() {
      return current
    },
    async add(transaction, entry) {
      const { createdAt, ...row } = Allowed.parse({ ...entry, id: ids.make(EntryId), createdAt: clock.now() })
      await transaction
        .insertInto('allowed')
        .values(seal.seal<AllowedTable>({ ...row, created_at: createdAt }))
        .execute()
      return { ...row, createdAt }
    },
    async remove(transaction, id) {
      const { numDeletedRows } = await transaction.deleteFrom('allowed').where('id', '=', id).executeTakeFirst()
      return numDeletedRows > 0n
    },
    async reload() {
      current = await load()
    },
  }
}
