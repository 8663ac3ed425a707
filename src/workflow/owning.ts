import type { WorkflowId } from '../contract/ids.ts'
import type { Storage, Transaction } from '../storage/storage.ts'

/** Tells processes that share a database apart. */
export interface Owner {
  readonly name: string
  /** Whether the process of that name still runs, as far as can be told. */
  isAlive(name: string): boolean
}

/** Said to a process whose workflow another carries out. */
export class Superseded extends Error {}

/**
 * Which process carries a workflow out. Each that takes it on raises its epoch: one that was thought dead and comes back
 * has an older epoch, with which nothing is written. A database that several machines share would stand behind the same
 * interface, with a lock of its own in the place of `Owner`.
 */
export interface Ownership {
  /** Null while another process that still runs has it. */
  take(id: WorkflowId): Promise<Hold | null>
  /** Whether another process that still runs carries it out. */
  isElsewhere(row: { readonly owner: string | null }): Promise<boolean>
  /** Takes it from whoever has it, without taking it on. */
  revoke(t: Transaction, id: WorkflowId): Promise<void>
}

/** A workflow that this process carries out, as long as nobody else takes it on. */
export interface Hold {
  isHeld(): Promise<boolean>
  /** One transaction, which is made only while it is held. */
  change<T>(work: (t: Transaction) => Promise<T>): Promise<T>
  /** Leaves it to whoever wants it. */
  letGo(): Promise<void>
}

export function createOwnership(storage: Storage, owner: Owner): Ownership {
  const isElsewhere = (row: { readonly owner: string | null }) =>
    row.owner !== null && row.owner !== owner.name && owner.isAlive(row.owner)

  const raise = (t: Transaction, id: WorkflowId, by: string | null) =>
    t
      .updateTable('workflows')
      .set(eb => ({ epoch: eb('epoch', '+', 1), owner: by }))
      .where('id', '=', id)
      .returning('epoch')
      .executeTakeFirstOrThrow()

  const holdAt = (id: WorkflowId, epoch: number): Hold => {
    const isHeldIn = async (db: Pick<Transaction, 'selectFrom'>) =>
      (await db.selectFrom('workflows').select('epoch').where('id', '=', id).executeTakeFirst())?.epoch === epoch
    return {
      isHeld: () => isHeldIn(storage.read),
      change: work =>
        storage.write(async t => {
          if (!(await isHeldIn(t))) throw new Superseded(`workflow ${id} was taken on by another process`)
          return work(t)
        }),
      async letGo() {
        const update = (t: Transaction) => t.updateTable('workflows').set({ owner: null })
        await storage.write(t => update(t).where('id', '=', id).where('epoch', '=', epoch).execute())
      },
    }
  }

  return {
    isElsewhere: async row => isElsewhere(row),
    take: id =>
      storage.write(async t => {
        const row = await t.selectFrom('workflows').select('owner').where('id', '=', id).executeTakeFirstOrThrow()
        return isElsewhere(row) ? null : holdAt(id, (await raise(t, id, owner.name)).epoch)
      }),
    async revoke(t, id) {
      await raise(t, id, null)
    },
  }
}
