import { userInfo } from 'node:os'
import { TenantId, UserId } from './contract/ids.ts'
import type { Caller } from './conversations/conversations.ts'
import type { Ids } from './ids.ts'
import type { Storage } from './storage/storage.ts'

/** The tenant and user of this machine, made on the first start and the same ever after. */
export async function localCaller(storage: Storage, ids: Ids): Promise<Caller> {
  return storage.write(async t => {
    const fact = async <T extends string>(name: string, make: () => T, parse: (text: string) => T): Promise<T> => {
      const row = await t.selectFrom('facts').select('value').where('name', '=', name).executeTakeFirst()
      if (row) return parse(row.value)
      const value = make()
      await t.insertInto('facts').values({ name, value }).execute()
      return value
    }
    return {
      tenant: await fact(
        'tenant',
        () => ids.make(TenantId),
        text => TenantId.parse(text),
      ),
      user: await fact(
        'user',
        () => ids.make(UserId),
        text => UserId.parse(text),
      ),
    }
  })
}

export function localName(): string {
  try {
    return userInfo().username
  } catch {
    // A container may run us under a user id that has no name.
    return 'analyst'
  }
}
