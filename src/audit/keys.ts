import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { canonical, fingerprint, KeyRing, keyStatement } from '../../resources/verify.mjs'
import type { TenantId, UserId } from '../contract/ids.ts'
import { Failure } from '../contract/problem.ts'
import type { KeyStore } from '../keystore.ts'
import type { Storage, Transaction } from '../storage/storage.ts'
import type { Anchor } from './anchor.ts'
import { headOf } from './append.ts'
import type { Recorder } from './audit.ts'
import type { Indexing } from './indexing.ts'
import { parseEntry } from './query.ts'

/** Signs for the record with the key that the record itself introduced last. */
export interface Signer {
  /** Hash of entry 0: it names the record. */
  readonly log: string
  /** Fingerprint. */
  readonly key: string
  readonly publicKey: string
  sign(statement: object): string
}

export interface SigningKeys {
  current(): Signer
  /** Puts a fresh key in the place of the current one, which endorses it for the last time. */
  rotate(actor: UserId | null, reason: string): Promise<Signer>
  /**
   * `replaced`: the key store knew nothing of this record, so that a new key had to be started without endorsement.
   * `missing`: it knows the record but has lost the key, so that nothing can be signed.
   */
  readonly state: 'known' | 'replaced' | 'missing'
}

export interface KeysOptions {
  readonly storage: Storage
  readonly keys: KeyStore
  readonly recorder: Recorder
  readonly indexing: Indexing
  readonly anchor: Anchor
  readonly tenant: TenantId
}

export async function openSigningKeys({
  storage,
  keys,
  recorder,
  indexing,
  anchor,
  tenant,
}: KeysOptions): Promise<SigningKeys> {
  await indexing.catchUp()
  let ring = await readKeyRing(storage.read)
  let pair = await knownPair()
  const state = pair ? 'known' : anchor.head.key !== null ? 'missing' : ring.current !== null ? 'replaced' : 'known'
  if (!pair && state !== 'missing') {
    const fresh = await freshPair(keys)
    await storage.write(async transaction => {
      // Another process may have begun the record while this one made its key; then its key is the one.
      if (state === 'known' && (await headOf(transaction)).seq >= 0) return
      const details = {
        publicKey: fresh.publicKey,
        key: fingerprint(fresh.publicKey),
        reason: state === 'replaced' ? 'lost' : 'first',
      }
      await recorder.append(transaction, { action: 'key.created', tenant, actor: null, details })
    })
    await indexing.catchUp()
    ring = await readKeyRing(storage.read)
    pair = state === 'replaced' ? fresh : await storedPair(keys, fingerprint(ring.current ?? fresh.publicKey))
  }
  if (pair) await anchor.nameKey(anchor.head.log ?? ring.log ?? '', fingerprint(pair.publicKey))
  let signer = pair && signerOf(anchor.head.log ?? '', pair)

  /**
   * The key that the key store says is the record's, whatever the database says. A successor that it endorsed, and
   * that this key store made, was introduced by a rotation that a crash cut short.
   */
  async function knownPair(): Promise<Pair | null> {
    const { key } = anchor.head
    const current = ring.current && fingerprint(ring.current)
    const isSuccessor = key === null || ring.keys.has(key)
    const successor = current && current !== key && isSuccessor ? await storedPair(keys, current) : null
    return successor ?? (key === null ? null : await storedPair(keys, key))
  }

  const current = (): Signer => {
    if (!signer) throw keyMissing
    return signer
  }

  return {
    state,
    current,
    async rotate(actor, reason) {
      const old = current()
      const next = await freshPair(keys)
      const details = {
        publicKey: next.publicKey,
        key: fingerprint(next.publicKey),
        endorsement: old.sign(keyStatement(old.log, next.publicKey)),
        endorsedBy: old.key,
        reason,
      }
      await storage.write(transaction =>
        recorder.append(transaction, { action: 'key.rotated', tenant, actor, details }),
      )
      await anchor.nameKey(old.log, fingerprint(next.publicKey))
      signer = signerOf(old.log, next)
      // A key that has been replaced must not be able to sign again.
      await keys.set(storeName(old.key), new Uint8Array())
      return signer
    },
  }
}

/** The keys that the record introduces, in its own order. */
export async function readKeyRing(db: Transaction): Promise<KeyRing> {
  const rows = await db
    .selectFrom('audit_entries')
    .innerJoin('audit_index', 'audit_index.seq', 'audit_entries.seq')
    .select(['hash', 'entry'])
    .innerJoin('audit_kinds', 'audit_kinds.kind', 'audit_index.kind')
    .where('action', 'in', ['key.created', 'key.rotated'])
    .orderBy('audit_entries.seq')
    .execute()
  const ring = new KeyRing()
  for (const { hash, entry: text } of rows) {
    const entry = parseEntry(text)
    if (entry) ring.learn(entry, hash)
  }
  return ring
}

interface Pair {
  readonly publicKey: string
  readonly privateKey: KeyObject
}

const storeName = (key: string) => `audit-${key.slice(0, 32)}`

async function freshPair(keys: KeyStore): Promise<Pair> {
  const { privateKey } = generateKeyPairSync('ed25519')
  const pair = { privateKey, publicKey: rawPublicKey(privateKey) }
  await keys.set(storeName(fingerprint(pair.publicKey)), privateKey.export({ format: 'der', type: 'pkcs8' }))
  return pair
}

async function storedPair(keys: KeyStore, key: string): Promise<Pair | null> {
  const der = await keys.get(storeName(key))
  if (!der || der.length === 0) return null
  const privateKey = createPrivateKey({ key: Buffer.from(der), format: 'der', type: 'pkcs8' })
  const publicKey = rawPublicKey(privateKey)
  return fingerprint(publicKey) === key ? { privateKey, publicKey } : null
}

/** The 32 bytes of an Ed25519 key, in base64. */
function rawPublicKey(privateKey: KeyObject): string {
  const spki = createPublicKey(privateKey).export({ format: 'der', type: 'spki' })
  return spki.subarray(-32).toString('base64')
}

function signerOf(log: string, { publicKey, privateKey }: Pair): Signer {
  return {
    log,
    key: fingerprint(publicKey),
    publicKey,
    sign: statement => sign(null, Buffer.from(canonical(statement)), privateKey).toString('base64'),
  }
}

const keyMissing = new Failure(
  'audit.damaged',
  'The key store has lost the key that signs for the audit record.',
  'Restore the keys folder from a backup. Until then nothing is signed.',
)
