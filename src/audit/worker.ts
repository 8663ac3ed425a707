import { hash } from 'node:crypto'
import { parentPort, workerData } from 'node:worker_threads'
import { openSqlite, storageFailure } from '../storage/sqlite.ts'
import type { AuditBodiesTable } from '../storage/tables/audit.ts'
import { bodyBytes } from './bodies.ts'
import type { BodiesAnswer } from './check-bodies.ts'

/** Hashes every text of the body store, in the order in which they lie on the disk. */
function checkAll(file: string): BodiesAnswer {
  const db = openSqlite(file, { readonly: true })
  const hashes: Buffer[] = []
  const changed: string[] = []
  let damage: string | null = null
  try {
    const rows = db.prepare('select hash, codec, data from audit_bodies order by rowid').iterate()
    for (const row of rows as Iterable<AuditBodiesTable>) {
      hashes.push(Buffer.from(row.hash, 'hex'))
      const bytes = bodyBytes(row)
      if (!bytes || hash('sha256', bytes) !== row.hash) changed.push(row.hash)
    }
  } catch (error) {
    if (storageFailure(error, '').problem.code !== 'storage.corrupt') throw error
    damage = error instanceof Error ? error.message : String(error)
  } finally {
    db.close()
  }
  return { hashes: new Uint8Array(Buffer.concat(hashes)), changed, damage }
}

const answer = checkAll((workerData as { file: string }).file)
parentPort?.postMessage(answer, [answer.hashes.buffer as ArrayBuffer])
