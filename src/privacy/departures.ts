import type { Clock } from '../clock.ts'
import { type ConversationId, EntryId } from '../contract/ids.ts'
import { CountsByType, Departure, type Destination } from '../contract/privacy.ts'
import type { Ids } from '../ids.ts'
import { insertRow } from '../storage/prepared.ts'
import type { Storage, Transaction } from '../storage/storage.ts'

export interface DeparturesQuery {
  readonly conversation?: ConversationId
  readonly destination?: Destination
  /** Only those before this one, for the next page. */
  readonly before?: string
  readonly limit?: number
}

/** What left the machine: to whom, when, with how much found in it. Newest first. */
export interface Departures {
  /** Returns its id. With `begun`, the id of one that is there, how it ended is filled in. */
  record(transaction: Transaction, departure: Omit<Departure, 'id' | 'at'>, begun?: string): Promise<string>
  list(query?: DeparturesQuery): Promise<Departure[]>
  /** What was found on the way out, by type. */
  counts(conversation?: ConversationId): Promise<CountsByType>
}

export function createDepartures(storage: Storage, clock: Clock, ids: Ids): Departures {
  return {
    async record(transaction, departure, begun) {
      const { to, found, ...rest } = departure
      if (begun !== undefined) {
        const ended = { result: rest.result, characters: rest.characters, found: JSON.stringify(found) }
        await transaction.updateTable('departures').set(ended).where('id', '=', begun).execute()
        return begun
      }
      const row = { ...rest, id: ids.make(EntryId), at: clock.now(), recipient: to, found: JSON.stringify(found) }
      await insertRow(transaction, 'departures', row)
      return row.id
    },
    async list({ conversation, destination, before, limit = 100 } = {}) {
      let query = storage.read.selectFrom('departures').selectAll().orderBy('id', 'desc').limit(Math.min(limit, 1000))
      if (conversation) query = query.where('conversation', '=', conversation)
      if (destination) query = query.where('destination', '=', destination)
      if (before) query = query.where('id', '<', before)
      const rows = await query.execute()
      return rows.map(({ recipient, ...row }) =>
        Departure.parse({ ...row, to: recipient, found: JSON.parse(row.found) }),
      )
    },
    async counts(conversation) {
      let query = storage.read.selectFrom('departures').select('found').where('found', '!=', '{}')
      if (conversation) query = query.where('conversation', '=', conversation)
      const sum: CountsByType = {}
      for (const row of await query.execute()) {
        for (const [type, count] of Object.entries(CountsByType.parse(JSON.parse(row.found))))
          sum[type] = (sum[type] ?? 0) + count
      }
      return sum
    },
  }
}
