import { createHash, randomBytes } from 'node:crypto'
import type { Transaction } from '../storage/storage.ts'

/**
 * A personal value stands on the record as SHA-256(0x02 ‖ salt ‖ value). Who has the salt can show which value it was;
 * once value and salt are erased nobody can, not even by trying all values, and the chain is still whole.
 */
export function commit(salt: Uint8Array, value: string): string {
  return createHash('sha256').update(Buffer.of(2)).update(salt).update(value, 'utf8').digest('hex')
}

export interface Commitments {
  readonly named: Readonly<Record<string, string>>
  readonly rows: readonly { commitment: string; salt: Buffer; value: string }[]
}

export function commitAll(personal: Readonly<Record<string, string>>): Commitments {
  const rows = Object.values(personal).map(text => {
    const salt = randomBytes(32)
    const value = text.toWellFormed()
    return { commitment: commit(salt, value), salt, value }
  })
  const names = Object.keys(personal)
  return { rows, named: Object.fromEntries(names.map((name, place) => [name, rows[place]?.commitment ?? ''])) }
}

/** Forgets values for good. Returns how many there were. */
export async function eraseValues(transaction: Transaction, commitments: readonly string[]): Promise<number> {
  let erased = 0
  for (const commitment of commitments) {
    const result = await transaction
      .deleteFrom('audit_personal')
      .where('commitment', '=', commitment)
      .executeTakeFirst()
    erased += Number(result.numDeletedRows)
  }
  return erased
}
