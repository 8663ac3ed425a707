import { randomUUID } from 'node:crypto'
import type { Audit } from '../audit/audit.ts'
import { systemClock } from '../clock.ts'
import type { Caller } from '../contract/caller.ts'
import type { PathRef } from '../contract/contexts.ts'
import { ConversationId, PathId } from '../contract/ids.ts'
import { uuidV7 } from '../ids.ts'
import type { KeyStore } from '../keystore.ts'
import { openTableSeals } from '../row-seal.ts'
import type { Storage } from '../storage/storage.ts'
import { Consents } from './consents.ts'

const ids = uuidV7(systemClock)

export const pathOf = ({ tenant }: Pick<Caller, 'tenant'>): PathRef => ({
  tenant,
  conversation: ids.make(ConversationId),
  path: ids.make(PathId),
})

/** A consent that stands, and one that was taken back. */
export async function someConsents(storage: Storage, audit: Audit, keys: KeyStore, who: Caller): Promise<void> {
  const { cloud_consents: seal } = await openTableSeals(storage, keys)
  const consents = new Consents(storage, audit, seal, systemClock, randomUUID)
  const [kept, ended] = [pathOf(who), pathOf(who)]
  await consents.give(who, kept, 'e2b.app', ended.path)
  await consents.give(who, ended, 'e2b.app')
  await consents.revoke(who, ended)
}
