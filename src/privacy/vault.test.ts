import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ManualClock } from '../clock.testing.ts'
import { ConversationId } from '../contract/ids.ts'
import { uuidV7 } from '../ids.ts'
import { fileKeyStore, type KeyStore } from '../keystore.ts'
import { temporaryFolder, temporaryStorage } from '../storage/testing.ts'
import { createVault } from './vault.ts'

const ids = uuidV7(new ManualClock())

describe('the key of the vault', () => {
  it('is the same for two that open a new vault at once', async () => {
    const storage = await temporaryStorage()
    const keys = () => fileKeyStore(join(folder, 'keys'))
    const folder = temporaryFolder()
    const conversations = [ids.make(ConversationId), ids.make(ConversationId)] as const
    await Promise.all(
      conversations.map(conversation =>
        createVault(storage, keys()).withBook(conversation, book => book.tokenFor('EMAIL', 'jane@bank.ie')),
      ),
    )
    const later = createVault(storage, keys())
    for (const conversation of conversations)
      expect((await later.book(conversation)).entryOf('[EMAIL_1]')?.value).toBe('jane@bank.ie')
  })

  it('is asked for again when another process made and used it in between', async () => {
    const storage = await temporaryStorage()
    const keys = fileKeyStore(join(temporaryFolder(), 'keys'))
    const conversation = ids.make(ConversationId)
    let asked = 0
    const slow: KeyStore = {
      ...keys,
      async get(name) {
        const known = await keys.get(name)
        if (asked++ === 0)
          await createVault(storage, keys).withBook(conversation, book => book.tokenFor('EMAIL', 'jane@bank.ie'))
        return known
      },
    }
    expect((await createVault(storage, slow).book(conversation)).entryOf('[EMAIL_1]')?.value).toBe('jane@bank.ie')
  })
})
