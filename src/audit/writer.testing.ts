/**
 * A program that fills a record until it is killed or has written enough, and says of each entry that it is durable by
 * a line in a file: `node src/audit/writer.testing.ts FOLDER NAME COUNT`.
 */
import { mkdirSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../clock.ts'
import { TenantId } from '../contract/ids.ts'
import { uuidV7 } from '../ids.ts'
import { fileKeyStore } from '../keystore.ts'
import { openStorage } from '../storage/storage.ts'
import { createAudit } from './audit.ts'

const [folder = '', name = '', count = ''] = process.argv.slice(2)
const tenant = TenantId.parse('01900000-0000-7000-8000-000000000001')
const parallel = 8

mkdirSync(folder, { recursive: true })
const acknowledged = openSync(join(folder, `${name}.acknowledged`), 'a')
const storage = await openStorage({ file: join(folder, 'countersign.db'), clock: systemClock })
const keys = fileKeyStore(join(folder, 'keys'))
const audit = await createAudit({ storage, keys, clock: systemClock, ids: uuidV7(systemClock), folder, tenant })
writeSync(acknowledged, 'ready\n')

let next = 0
const write = async () => {
  while (next < Number(count)) {
    const title = `${name} ${next++}`
    const bodies = { code: `print("${title}")\n`.repeat(next % 40) }
    await audit.record({ action: 'conversation.renamed', tenant, actor: null, details: { title }, bodies })
    writeSync(acknowledged, `${title}\n`)
  }
}
await Promise.all(Array.from({ length: parallel }, write))
await audit.close()
await storage.close()
