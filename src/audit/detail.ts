import type { AuditDetail } from '../contract/audit.ts'
import { fail, type Outcome, ok } from '../contract/problem.ts'
import type { Storage } from '../storage/storage.ts'
import { readBody } from './bodies.ts'
import { proveEntry } from './proof.ts'
import { readItems } from './query.ts'
import { type Present, withRunStates } from './run-state.ts'

/** Everything that the page of one entry shows. */
export async function readDetail(
  storage: Pick<Storage, 'read'>,
  seq: number,
  present: Present,
): Promise<Outcome<AuditDetail>> {
  const [item] = await withRunStates(storage, await readItems(storage, [seq]), present)
  if (!item) {
    const hint = 'It was never written, or retention has removed it and left a tombstone.'
    return fail('not-found', `There is no entry ${seq} to show.`, hint)
  }
  const bodies: Record<string, string | null> = {}
  for (const [name, hash] of Object.entries(item.entry.bodies ?? {})) bodies[name] = await readBody(storage, hash)
  const personal: Record<string, string | null> = {}
  for (const [name, commitment] of Object.entries(item.entry.personal ?? {})) {
    const row = await storage.read
      .selectFrom('audit_personal')
      .select('value')
      .where('commitment', '=', commitment)
      .executeTakeFirst()
    personal[name] = row?.value ?? null
  }
  const proof = await proveEntry(storage, seq)
  return ok({ item, bodies, personal, proof: proof.ok ? proof.value : null })
}
