import { dirname } from 'node:path'
import { createInterface } from 'node:readline'
import { createAudit } from '../audit/audit.ts'
import { systemClock } from '../clock.ts'
import { ConversationId, PathId, TenantId, UserId } from '../contract/ids.ts'
import { fail, ok } from '../contract/problem.ts'
import { createFiles } from '../files/files.ts'
import { uuidV7 } from '../ids.ts'
import { fileKeyStore } from '../keystore.ts'
import { openTableSeals } from '../row-seal.ts'
import { openStorage } from '../storage/storage.ts'
import { createWorkflows } from './workflow.ts'

/**
 * Another process on the same database: starts a workflow, says so from within its task, and ends that task when it is
 * told to. It does not look whether it still holds the workflow: only the database can stop it. Then it says what it made.
 */
const [, , file = '', place = '', source = ''] = process.argv
const [tenant, conversation, path, user] = place.split(' ')
const who = { tenant: TenantId.parse(tenant), user: UserId.parse(user) }
const say = (word: string) => process.stdout.write(`${word}\n`)
const lines = createInterface({ input: process.stdin })
const told = new Promise<void>(resolve => lines.once('line', () => resolve()))

const clock = { ...systemClock, after: () => () => undefined }
const ids = uuidV7(clock)
const keys = fileKeyStore(`${dirname(file)}/keys`)
const storage = await openStorage({ file, clock })
const audit = await createAudit({ storage, keys, clock, ids, folder: dirname(file), tenant: who.tenant })
const files = createFiles({ storage, clock, home: dirname(file), limitBytes: () => 1e9 })
const performed: string[] = []
const problems: string[] = []
const workflows = createWorkflows({
  ...{ storage, audit, files, clock, ids, seals: await openTableSeals(storage, keys) },
  runner: {
    async perform({ name }) {
      performed.push(name)
      say('running')
      await told
      const written = [await files.add('late.json', Buffer.from('late'))]
      return { type: 'completed', outputs: { x: 666 }, changes: { written, removed: [] } }
    },
    recall: async () => null,
    resuming: (_attempt, go) => go(),
    release: async () => undefined,
  },
  wasBegun: async () => true,
  answering: async () => fail('access.denied', 'Nobody answers here.', 'Ask nothing.'),
  logOf: async (_who, run) => ({ run, view: null, outputs: [] }),
  hasEffects: async () => true,
  obstacles: async () => [],
  locate: async () => ok(ConversationId.parse(conversation)),
  changed: () => undefined,
  committed: async () => undefined,
  saved: () => undefined,
  onProblem: ({ message }) => void problems.push(message),
  owner: { name: 'the other process', isAlive: () => true },
})
const started = await workflows.start(who, PathId.parse(path), source)
if (!started.ok) throw new Error(started.problem.message)
await workflows.rest(started.value.id)
say(JSON.stringify({ performed, problems }))
lines.close()
await audit.close()
await storage.close()
