/** Writes `resources/analyses/index.json` from the folders beside it: run it after every change of an analysis. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeIndex } from '../src/analyses/catalogue.ts'

const shipped = join(import.meta.dirname, '..', 'resources', 'analyses')
const index = await makeIndex(shipped)
if (!index.ok) {
  process.stderr.write(`${index.problem.message}\n${index.problem.hint}\n`)
  process.exit(1)
}
await writeFile(join(shipped, 'index.json'), `${JSON.stringify(index.value, null, 2)}\n`)
