import { userInfo } from 'node:os'
import { z } from 'zod'
import { TenantId, UserId } from './contract/ids.ts'
import type { Caller } from './conversations/conversations.ts'
import type { Ids } from './ids.ts'
import type { KeyStore } from './keystore.ts'
import type { Storage } from './storage/storage.ts'

const Local = z.object({ tenant: TenantId, user: UserId })
const keyName = 'local-caller'

/**
 * The tenant and user of this machine, made on the first start and the same ever after. The key store has the last
 * word: whoever edits the database must not be able to act as somebody else.
 */
export async function localCaller(storage: Storage, keys: KeyStore, ids: Ids): Promise<Caller> {
  const kept = await keys.get(keyName)
  if (kept) return parsed(kept)
  const caller = await callerInDatabase(storage, ids)
  return parsed(await keys.add(keyName, Buffer.from(JSON.stringify(caller))))
}

/** As the database has them, for looking at a record whose keys cannot be opened. */
export async function callerInDatabase(storage: Storage, ids: Ids): Promise<Caller> {
  return storage.write(async t => {
    const fact = async (name: string, make: () => string): Promise<string> => {
      const row = await t.selectFrom('facts').select('value').where('name', '=', name).executeTakeFirst()
      if (row) return row.value
      const value = make()
      await t.insertInto('facts').values({ name, value }).execute()
      return value
    }
    const tenant = await fact('tenant', () => ids.make(TenantId))
    return Local.parse({ tenant, user: await fact('user', () => ids.make(UserId)) })
  })
}

const parsed = (bytes: Uint8Array): Caller => Local.parse(JSON.parse(Buffer.from(bytes).toString('utf8')))

export function localName(): string {
  try {
    return userInfo().username
  } catch {
    // A container may run us under a user id that has no name.
    return 'analyst'
  }
}
