import { join } from 'node:path'
import { createAudit } from '../audit/audit.ts'
import { systemClock } from '../clock.ts'
import { ConversationId, PathId, TenantId, UserId } from '../contract/ids.ts'
import { fail, ok } from '../contract/problem.ts'
import { createFiles } from '../files/files.ts'
import { uuidV7 } from '../ids.ts'
import { fileKeyStore } from '../keystore.ts'
import { openTableSeals } from '../row-seal.ts'
import { openStorage, type Storage } from '../storage/storage.ts'
import type { TaskRunner } from './task.ts'
import { createWorkflows } from './workflow.ts'

/**
 * One life of the application in the benchmark of workflows, with tasks that take no time but leave a result and a file.
 * `first` starts a graph and says so when half of it is done; then it is killed. `next` takes on what it left, and says
 * how long that took and how long each state took to be saved.
 */
const [, , which = '', home = '', count = ''] = process.argv
const tasks = Number(count)
const id = (end: string) => `01900000-0000-7000-8000-0000000000${end}`
const who = { tenant: TenantId.parse(id('01')), user: UserId.parse(id('0a')) }
const ids = uuidV7(systemClock)
const keys = fileKeyStore(join(home, 'keys'))
const storage = await openStorage({ file: join(home, 'bench.db'), clock: systemClock })
const audit = await createAudit({
  ...{ storage, keys, ids, clock: systemClock, folder: home, tenant: who.tenant },
  onProblem: () => undefined,
})
const files = createFiles({ storage, home, clock: systemClock, limitBytes: () => 1e9 })

const saves: number[] = []
const timed: Storage = {
  ...storage,
  async write(...work) {
    const begun = performance.now()
    const value = await storage.write(...work)
    saves.push(performance.now() - begun)
    return value
  },
}
const say = (what: object) => process.stdout.write(`${JSON.stringify(what)}\n`)

let performed = 0
let reached = (): void => undefined
const perform: TaskRunner['perform'] = async ({ name }) => {
  performed += 1
  reached()
  if (which === 'first' && performed > tasks / 2) return new Promise(() => undefined)
  const written = [await files.add(`${name}.txt`, Buffer.from(`what ${name} left`))]
  return { type: 'completed', outputs: { n: performed }, changes: { written, removed: [] } }
}
const seals = await openTableSeals(storage, keys)
const workflows = createWorkflows({
  ...{ storage: timed, audit, files, clock: systemClock, ids, seals },
  runner: { perform, recall: async () => null, resuming: (_, go) => go(), release: async () => undefined },
  wasBegun: async () => true,
  logOf: async (_who, run) => ({ run, view: null, outputs: [] }),
  obstacles: async () => [],
  answering: async () => fail('access.denied', 'Nobody answers here.', 'Ask nothing.'),
  hasEffects: async () => false,
  locate: async () => ok(ConversationId.parse(id('0c'))),
  changed: () => undefined,
  committed: async () => undefined,
  saved: () => undefined,
  // Each life finds the one before it dead.
  owner: { name: which, isAlive: () => false },
  onProblem: ({ message }) => process.stderr.write(`${message}\n`),
})

/** Layers of ten, each task behind one of the layer before it. */
const graph = `name: Bench\ntasks:\n${Array.from(
  { length: tasks },
  (_, n) =>
    `  t${n}: { type: code_execution, language: python, code: "1", outputs: { n: number }, needs: [${n < 10 ? '' : `t${n - 10}`}] }`,
).join('\n')}\n`

if (which === 'first') {
  reached = () => void (performed > tasks / 2 && say({ half: true }))
  const started = await workflows.start(who, PathId.parse(id('0d')), graph)
  if (!started.ok) throw new Error(started.problem.message)
  await workflows.rest(started.value.id)
} else {
  const goesOn = new Promise<void>(resolve => (reached = resolve))
  const begun = performance.now()
  await workflows.recover()
  await goesOn
  const resumeMs = performance.now() - begun
  const [left] = await workflows.list(who, null)
  if (left) await workflows.rest(left.id)
  const [over] = await workflows.list(who, null)
  say({ resumeMs, saves, state: over?.state })
  await workflows.close()
  await audit.close()
  await storage.close()
}
