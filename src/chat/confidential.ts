import type { Recorder } from '../audit/audit.ts'
import { Facts } from '../contract/facts.ts'
import type { ConversationId } from '../contract/ids.ts'
import type { Caller } from '../conversations/conversations.ts'
import { prepared } from '../storage/prepared.ts'
import type { Storage, Transaction } from '../storage/storage.ts'
import { type Entries, EntryReader } from './entries.ts'

const rowOf = prepared((db, conversation: ConversationId) =>
  db.selectFrom('chat_conversations').select('confidential').where('conversation', '=', conversation),
)

interface Said {
  readonly entries: EntryReader
  /** The newest entry about it, and what that says. */
  seq: number
  confidential: boolean
}

const mostKnown = 200

/** Which conversations are marked as confidential. */
export class Confidential {
  readonly #storage: Pick<Storage, 'read'>
  readonly #audit: Entries
  readonly #known = new Map<ConversationId, Said>()

  constructor(storage: Pick<Storage, 'read'>, audit: Entries) {
    this.#storage = storage
    this.#audit = audit
  }

  /** The table says so or the record does: a row can be set back, and retention empties old entries. */
  async is(conversation: ConversationId): Promise<boolean> {
    const [row] = await rowOf(this.#storage.read, conversation)
    if (row?.confidential === 1) return true
    const said = this.#known.get(conversation) ?? {
      entries: new EntryReader(this.#audit, { conversation, actions: ['settings.changed'] }),
      seq: -1,
      confidential: false,
    }
    await said.entries.read(({ seq, details }) => {
      if (seq <= said.seq) return
      said.seq = seq
      said.confidential = new Facts(details).is('confidential')
    })
    if (this.#known.size >= mostKnown) this.#known.clear()
    this.#known.set(conversation, said)
    return said.confidential
  }
}

/** Marks a conversation, or takes the mark away: in the table and on the record. */
export async function markConfidential(
  t: Transaction,
  audit: Recorder,
  who: Caller,
  { conversation, confidential }: { readonly conversation: ConversationId; readonly confidential: boolean },
): Promise<void> {
  const flag = confidential ? 1 : 0
  await t
    .insertInto('chat_conversations')
    .values({ conversation, tenant: who.tenant, confidential: flag })
    .onConflict(conflict => conflict.column('conversation').doUpdateSet({ confidential: flag }))
    .execute()
  await audit.append(t, {
    action: 'settings.changed',
    tenant: who.tenant,
    actor: who.user,
    conversation,
    details: { confidential },
  })
}
