// Kills the application at random moments while workflows run, and starts it again, until all are over. Then: every
// workflow completed, no task done twice by the record or by the files, and the chain whole. Prints one line of JSON.
//   node scripts/soak-workflow.mjs [kills=200] [workflows=20]
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { numbersOf } from './numbers.mjs'

const [kills, workflows] = numbersOf(
  'node scripts/soak-workflow.mjs [KILLS] [WORKFLOWS]   how many of each (200, 20)\n',
  200,
  20,
)
const program = join(import.meta.dirname, '../src/workflow/soak.testing.ts')
const home = mkdtempSync(join(tmpdir(), 'countersign-soak-'))
const say = text => process.stderr.write(`${text}\n`)

/** One life of the application. With `after`, it is killed that many milliseconds after it has begun to work. */
function live(what, after) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, what, home, String(workflows)], {
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    })
    let said = ''
    let killed = false
    child.stdout.on('data', data => {
      said += data
      if (after !== undefined && !killed && said.includes('working')) {
        killed = true
        setTimeout(() => {
          try {
            process.kill(-child.pid, 'SIGKILL')
          } catch {
            // It had come to its end.
          }
        }, after)
      }
    })
    child.on('error', reject)
    child.on('close', (code, signal) => resolve({ code, signal, said }))
  })
}

const begun = Date.now()
await live('begin')
let done = 0
let struck = 0
// A kill when all is over already proves nothing, and does not count.
while (struck < kills) {
  const { signal, said } = await live('work', Math.floor(Math.random() ** 2 * 4000))
  done += 1
  if (signal === 'SIGKILL' && !said.includes('all over')) struck += 1
  if (said.includes('all over')) await live('more')
  if (done % 20 === 0) say(`${done} kills, ${struck} of them in the middle of work`)
}
const last = await live('finish')
const line = last.said.split('\n').find(each => each.startsWith('{'))
if (!line) throw new Error(`the check said nothing (${last.code}): ${last.said.slice(-500)}`)
const found = JSON.parse(line)
console.log(
  JSON.stringify({ soak: 'workflow', kills: done, struck, seconds: Math.round((Date.now() - begun) / 1000), ...found }),
)
rmSync(home, { recursive: true, force: true })
const isGood =
  found.completed === found.workflows && found.twice === 0 && found.wrongFiles === 0 && found.chain === 'whole'
process.exit(isGood ? 0 : 1)
