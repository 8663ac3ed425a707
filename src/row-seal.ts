import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { KeyStore } from './keystore.ts'

type Sealed = { readonly seal: string }

/** Seals rows with a key that the database does not hold: whoever edits one only makes it worth nothing. */
export interface RowSeal {
  /** The row with its seal, over all its other columns. */
  seal<Row extends Sealed>(row: Omit<Row, 'seal'>): Row
  holds(row: Sealed): boolean
}

export async function openRowSeal(keys: KeyStore, name: string): Promise<RowSeal> {
  const key = await keys.add(name, randomBytes(32))
  const sealOf = (row: object): string => {
    const columns = Object.entries(row).filter(([column]) => column !== 'seal')
    return createHmac('sha256', key)
      .update(JSON.stringify(columns.sort(([a], [b]) => (a < b ? -1 : 1))))
      .digest('hex')
  }
  return {
    seal: <Row extends Sealed>(row: Omit<Row, 'seal'>) => ({ ...row, seal: sealOf(row) }) as unknown as Row,
    holds(row) {
      const given = Buffer.from(row.seal)
      const right = Buffer.from(sealOf(row))
      return given.length === right.length && timingSafeEqual(given, right)
    },
  }
}
