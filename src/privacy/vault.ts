import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import type { ConversationId } from '../contract/ids.ts'
import { Failure } from '../contract/problem.ts'
import type { KeyStore } from '../keystore.ts'
import type { Storage, Transaction } from '../storage/storage.ts'
import { TokenBook, type TokenEntry } from './tokens/tokens.ts'

const keyName = 'privacy-vault'
/** Books of conversations that were used last stay open. */
const mostOpen = 64
/** How often tokens are given out anew when another process was quicker. */
const mostAttempts = 3

/** Keeps the tokens of conversations, sealed with a key that the database does not hold. */
export interface Vault {
  book(conversation: ConversationId): Promise<TokenBook>
  /** Resolves once every token that the book has given out is durable; before that nothing may leave. */
  keep(conversation: ConversationId, book: TokenBook): Promise<void>
  /** Lets `use` give out tokens and keeps them. When another process named a value first, it is done anew with its name. */
  withBook<T>(conversation: ConversationId, use: (book: TokenBook) => T): Promise<T>
  /** Reads what a conversation's tokens stand for, to be written for a copy of it in the copy's own transaction. */
  copying(from: ConversationId): Promise<(transaction: Transaction, to: ConversationId) => Promise<void>>
  /** Forgets a conversation's values for good: its tokens can no longer be put back. Returns how many there were. */
  forget(conversation: ConversationId): Promise<number>
}

export function createVault(storage: Storage, keys: KeyStore): Vault {
  const books = new Map<ConversationId, Promise<TokenBook>>()
  const writing = new Map<ConversationId, Promise<void>>()
  let sealing: Promise<Sealing> | null = null

  const open = (): Promise<Sealing> => {
    sealing ??= loadKey(storage, keys).then(makeSealing)
    // A key store that was locked may be open the next time.
    sealing.catch(() => {
      sealing = null
    })
    return sealing
  }

  const load = async (conversation: ConversationId): Promise<TokenBook> => {
    const { unseal } = await open()
    const rows = await storage.read
      .selectFrom('vault_tokens')
      .selectAll()
      .where('conversation', '=', conversation)
      .execute()
    return new TokenBook(rows.map(row => unseal(conversation, row)))
  }

  /** Books of which something could not be kept: their tokens may be the names of other values by now. */
  const stale = new WeakSet<TokenBook>()

  const write = async (conversation: ConversationId, book: TokenBook): Promise<void> => {
    // Without this, whoever shared the book with a write that failed would go on with tokens that nobody kept.
    if (stale.has(book))
      throw new Failure('conflict', 'The tokens were named elsewhere at the same time.', 'Try again.')
    const added = book.takeAdded()
    if (added.length === 0) return
    const { seal } = await open()
    const rows = added.map(entry => seal(conversation, entry))
    try {
      await storage.write(transaction => insert(transaction, rows))
    } catch (error) {
      // Another process may have named the same value first: what it wrote is read the next time.
      stale.add(book)
      books.delete(conversation)
      throw error
    }
  }

  const vault: Vault = {
    book(conversation) {
      const known = books.get(conversation)
      const book = known ?? load(conversation)
      books.delete(conversation)
      books.set(conversation, book)
      if (!known) book.catch(() => books.delete(conversation))
      for (const oldest of books.keys()) {
        if (books.size <= mostOpen) break
        if (!writing.has(oldest)) books.delete(oldest)
      }
      return book
    },
    keep(conversation, book) {
      // One after another: a token that someone else is writing is not durable until that write is.
      const before = writing.get(conversation) ?? Promise.resolve()
      const mine = before.catch(() => undefined).then(() => write(conversation, book))
      writing.set(conversation, mine)
      const done = () => {
        if (writing.get(conversation) === mine) writing.delete(conversation)
      }
      mine.then(done, done)
      return mine
    },
    async withBook(conversation, use) {
      for (let attempt = 1; ; attempt++) {
        const book = await vault.book(conversation)
        const made = use(book)
        try {
          await vault.keep(conversation, book)
          return made
        } catch (error) {
          if (attempt === mostAttempts) throw error
        }
      }
    },
    async copying(from) {
      const [{ seal }, book] = await Promise.all([open(), vault.book(from)])
      const entries = [...book.entries()]
      return (transaction, to) =>
        insert(
          transaction,
          entries.map(entry => seal(to, entry)),
        )
    },
    async forget(conversation) {
      books.delete(conversation)
      const { numDeletedRows } = await storage.write(transaction =>
        transaction.deleteFrom('vault_tokens').where('conversation', '=', conversation).executeTakeFirst(),
      )
      return Number(numDeletedRows)
    },
  }
  return vault
}

async function insert(transaction: Transaction, rows: readonly SealedRow[]): Promise<void> {
  for (let at = 0; at < rows.length; at += 100)
    await transaction
      .insertInto('vault_tokens')
      .values(rows.slice(at, at + 100))
      .execute()
}

interface SealedRow {
  readonly conversation: string
  readonly token: string
  readonly type: string
  readonly kind: string
  readonly nonce: Uint8Array
  readonly sealed: Uint8Array
  readonly digest: Uint8Array
}

interface Sealing {
  seal(conversation: string, entry: TokenEntry): SealedRow
  unseal(conversation: string, row: SealedRow): TokenEntry
}

async function loadKey(storage: Storage, keys: KeyStore): Promise<Uint8Array> {
  const known = await keys.get(keyName)
  if (known) return known
  const rows = await storage.read.selectFrom('vault_tokens').select('token').limit(1).execute()
  if (rows.length === 0) return keys.add(keyName, randomBytes(32))
  // Another process may have made the key, and used it, since we asked.
  const since = await keys.get(keyName)
  // A new key here would be a quiet way to lose every value that the old one sealed.
  if (!since) throw unreadable()
  return since
}

function makeSealing(key: Uint8Array): Sealing {
  const derive = (purpose: string): Buffer => Buffer.from(hkdfSync('sha256', key, new Uint8Array(), purpose, 32))
  const sealKey = derive('countersign privacy vault: seal')
  const digestKey = derive('countersign privacy vault: digest')
  // Bound to its place: a sealed value that is moved to another row does not open.
  const place = (conversation: string, entry: { token: string; type: string; kind: string }): Buffer =>
    Buffer.from(JSON.stringify([conversation, entry.token, entry.type, entry.kind]))
  return {
    seal(conversation, entry) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', sealKey, nonce)
      cipher.setAAD(place(conversation, entry))
      const body = Buffer.concat([cipher.update(entry.value, 'utf16le'), cipher.final(), cipher.getAuthTag()])
      const digest = createHmac('sha256', digestKey)
        .update(JSON.stringify([conversation, entry.kind]))
        .update(entry.value, 'utf16le')
        .digest()
      return { conversation, token: entry.token, type: entry.type, kind: entry.kind, nonce, sealed: body, digest }
    },
    unseal(conversation, row) {
      try {
        const sealed = Buffer.from(row.sealed)
        const decipher = createDecipheriv('aes-256-gcm', sealKey, row.nonce)
        decipher.setAAD(place(conversation, row))
        decipher.setAuthTag(sealed.subarray(-16))
        const value = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]).toString('utf16le')
        return { token: row.token, type: row.type, value, kind: row.kind === 'json' ? 'json' : 'text' }
      } catch (error) {
        throw unreadable(error)
      }
    },
  }
}

const unreadable = (cause?: unknown): Failure =>
  new Failure(
    'privacy.vault',
    'The values behind the tokens cannot be opened: their key is missing or they were changed.',
    'Restore the key store from a backup. Until then nothing is sent from this conversation.',
    { cause },
  )
