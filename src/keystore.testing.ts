/**
 * A program that makes keys as fast as it can from a given time on, and says which ones it was given:
 * `node src/keystore.testing.ts FOLDER COUNT TIME`.
 */
import { randomBytes } from 'node:crypto'
import { fileKeyStore } from './keystore.ts'

const [folder = '', count = '', start = ''] = process.argv.slice(2)
const keys = fileKeyStore(folder)
while (Date.now() < Number(start));
const given: string[] = []
for (let at = 0; at < Number(count); at++)
  given.push(Buffer.from(await keys.add(`key-${at}`, randomBytes(32))).toString('hex'))
process.stdout.write(JSON.stringify(given))
