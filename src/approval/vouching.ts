import { createPublicKey, verify } from 'node:crypto'
import type { TenantId, UserId } from '../contract/ids.ts'
import type { IdentityVouchesTable } from '../storage/tables/approval.ts'
import { canonicalJson } from './canonical.ts'

/** "I know this person, and this key is theirs", as its voucher signs it. */
export interface Vouch {
  readonly tenant: TenantId
  readonly identity: UserId
  /** That of the identity: a vouch for a key says nothing about another one under the same name. */
  readonly publicKey: string
  readonly voucher: UserId
  readonly vouchedAt: number
}

export const vouchText = (vouch: Vouch): string => canonicalJson({ format: 'countersign.vouch.1', ...vouch })

/** What an identity is worth where four eyes are wanted, by the key store and not by the database. */
export interface Standing {
  readonly id: UserId
  /** Its key opens only with a passphrase. */
  readonly protected: boolean
  /** Who vouched for it, each with a key that opens only with a passphrase. */
  readonly vouchers: readonly UserId[]
}

/** A key as the key store has it. */
export interface TrustedKey {
  readonly publicKey: string
  readonly protected: boolean
}

/** Of the rows that claim to be vouches for an identity, those that their vouchers really signed. */
export async function genuineVouches(
  rows: readonly IdentityVouchesTable[],
  trusted: TrustedKey | null,
  keyOf: (id: UserId) => Promise<TrustedKey | null>,
): Promise<IdentityVouchesTable[]> {
  const genuine: IdentityVouchesTable[] = []
  for (const row of rows) {
    if (row.public_key !== trusted?.publicKey || row.voucher === row.identity) continue
    const voucher = await keyOf(row.voucher)
    if (voucher?.protected && holds(row, voucher.publicKey)) genuine.push(row)
  }
  return genuine
}

function holds(row: IdentityVouchesTable, publicKey: string): boolean {
  const { tenant, identity, voucher, vouched_at: vouchedAt } = row
  const text = vouchText({ tenant, identity, publicKey: row.public_key, voucher, vouchedAt })
  try {
    const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' })
    return (
      key.asymmetricKeyType === 'ed25519' && verify(null, Buffer.from(text), key, Buffer.from(row.signature, 'base64'))
    )
  } catch {
    return false
  }
}
