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

/** "From now on I do not vouch for them": it names the vouch that ends. */
export interface Withdrawal extends Vouch {
  readonly withdrawnAt: number
}

export const withdrawalText = (withdrawal: Withdrawal): string =>
  canonicalJson({ format: 'countersign.vouch-withdrawal.1', ...withdrawal })

/** What an identity is worth where four eyes are wanted, by the key store and not by the database. */
export interface Standing {
  readonly id: UserId
  /** Its key opens only with a passphrase. */
  readonly protected: boolean
  /** Who vouched for it and for how long, each with a key that opens only with a passphrase. */
  readonly vouches: readonly VouchSpan[]
}

export interface VouchSpan {
  readonly by: UserId
  readonly from: number
  /** Null while it has not been withdrawn. */
  readonly until: number | null
}

/** Whether a vouch stood at a moment: what was decided before it was withdrawn stays decided. */
export const stoodAt = ({ from, until }: VouchSpan, at: number): boolean => from <= at && (until === null || at < until)

/**
 * When a vouch ended. The row says so and the record says so, and one of them is enough: a row can be set back, and
 * retention empties old entries.
 */
export function endOfVouch(row: IdentityVouchesTable, told: readonly Withdrawal[]): number | null {
  const ends = told
    .filter(
      each => each.identity === row.identity && each.voucher === row.voucher && each.withdrawnAt >= row.vouched_at,
    )
    .map(each => each.withdrawnAt)
  if (row.withdrawn_at !== null) ends.push(row.withdrawn_at)
  return ends.length === 0 ? null : Math.min(...ends)
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
