import { dirname } from 'node:path'
import { onTestFinished } from 'vitest'
import { ManualClock } from '../clock.testing.ts'
import { RunId, TenantId, UserId } from '../contract/ids.ts'
import { uuidV7 } from '../ids.ts'
import { fileKeyStore } from '../keystore.ts'
import { openStorage } from '../storage/storage.ts'
import { temporaryFolder } from '../storage/testing.ts'
import type { TextsOfAnalysis } from './analysis-texts.ts'
import { type Audit, type AuditEvent, createAudit } from './audit.ts'

export const tenant = TenantId.parse('01900000-0000-7000-8000-000000000001')
export const ana = UserId.parse('01900000-0000-7000-8000-00000000000a')
export const bea = UserId.parse('01900000-0000-7000-8000-00000000000b')

/** A record in a folder of its own, gone when the test is. */
export async function temporaryAudit(
  clock = new ManualClock(),
  file = `${temporaryFolder()}/countersign.db`,
  textsOf: TextsOfAnalysis = async () => null,
) {
  const storage = await openStorage({ file, clock })
  const folder = dirname(file)
  const ids = uuidV7(clock)
  const keys = fileKeyStore(`${folder}/keys`)
  const audit = await createAudit({ storage, keys, clock, ids, folder, tenant, textsOf })
  let open = true
  const close = async () => {
    if (!open) return
    open = false
    await audit.close()
    await storage.close()
  }
  onTestFinished(close)
  return { audit, storage, clock, ids, keys, folder, file, close }
}

export const renamed = (title: string, actor = ana): AuditEvent => ({
  action: 'conversation.renamed',
  tenant,
  actor,
  details: { title },
})

export const finished = (run: string, details: Record<string, string | boolean | number>): AuditEvent => ({
  action: 'run.finished',
  tenant,
  actor: ana,
  run: RunId.parse(run),
  details,
})

export async function writeMany(audit: Audit, count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, (_, at) => audit.record(renamed(`title ${at}`))))
}
