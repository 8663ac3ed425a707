import { z } from 'zod'
import type { ConversationId, PathId } from '../contract/ids.ts'
import { openEngine } from '../engine/engine.ts'

/**
 * One life of the application in the soak of workflows: `begin` and `more` start workflows, `work` goes on with what
 * is unfinished until it is killed, `finish` sees all to their end and counts what the record and the files say.
 */
const [, , what = '', home = '', count = '20'] = process.argv
const engine = await openEngine({ home, env: { PATH: process.env.PATH }, ...(what === 'work' ? {} : { pool: 0 }) })
const { caller, workflows } = engine

/** Each task adds its own line to a file of its own and to one that passes through all: a second time would show. */
const code = (name: string) => `import json, os
with open("${name}.txt", "a") as file: file.write("${name}\\n")
before = open("trace.txt").read() if os.path.exists("trace.txt") else ""
${name === 'b' || name === 'c' ? '' : `open("trace.txt", "w").write(before + "${name}\\n")`}
json.dump({"n": 1}, open("outputs.json", "w"))`
const task = (name: string, needs: string) =>
  `  ${name}:\n    type: code_execution\n    language: python\n    needs: [${needs}]\n    outputs: { n: number }\n    code: |\n${code(
    name,
  )
    .split('\n')
    .map(line => `      ${line}`)
    .join('\n')}\n`
const tasksOfEach = 5
const graph = `name: soak\ntasks:\n${task('a', '')}${task('b', 'a')}${task('c', 'a')}${task('d', 'b, c')}${task('e', 'd')}`

async function start(): Promise<void> {
  const made = await engine.conversations.create(caller, { title: 'Soak' })
  if (!made.ok) throw new Error(made.problem.message)
  const started = await workflows.start(caller, made.value.conversation.main, graph)
  if (!started.ok) throw new Error(started.problem.message)
}

const unfinished = async () =>
  (await workflows.list(caller, null)).filter(({ state }) => state === 'running' || state === 'waiting')

if (what === 'begin') {
  for (let n = 0; n < Number(count); n++) await start()
  process.exit(0) // without a word to anybody, like a kill
}
if (what === 'more') {
  await start()
  process.exit(0)
}
process.stdout.write('working\n')
if (what === 'finish') await workflows.recover()
for (let left = await unfinished(); left.length > 0; left = await unfinished())
  await Promise.all(left.map(({ id }) => workflows.rest(id)))
process.stdout.write('all over\n')
// Until it is killed: the clock of the application would not keep the process alive.
if (what === 'work') await new Promise(resolve => setTimeout(resolve, 60_000))

const all = await workflows.list(caller, null)
const Details = z.looseObject({ success: z.boolean().optional() })
let twice = 0
let wrongFiles = 0
for (const view of all) {
  // Each has a conversation of its own: as many runs succeeded in it as it has tasks, or one was done twice.
  const { conversation } = view
  const { items } = await engine.audit.query({ filter: { conversation, actions: ['run.finished'] }, limit: 500 })
  const succeeded = items.filter(({ entry }) => Details.parse(entry.details).success).length
  twice += Math.abs(succeeded - tasksOfEach)
  const manifest = await readPath(conversation, view.path)
  for (const name of ['a', 'b', 'c', 'd', 'e']) if (manifest.get(`${name}.txt`) !== `${name}\n`) wrongFiles += 1
  if (manifest.get('trace.txt') !== 'a\nd\ne\n') wrongFiles += 1
}
const verified = await engine.audit.verify({})
const result = {
  workflows: all.length,
  completed: all.filter(({ state }) => state === 'completed').length,
  tasks: all.length * tasksOfEach,
  twice,
  wrongFiles,
  chain: verified.findings.length === 0 ? 'whole' : verified.findings.map(({ message }) => message).join(' '),
}
await engine.close()
process.stdout.write(`${JSON.stringify(result)}\n`)

/** The files of a path, by name. */
async function readPath(conversation: ConversationId, path: PathId): Promise<Map<string, string>> {
  const folder = engine.contexts.files({ tenant: caller.tenant, conversation, path }, caller.user)
  const listed = await folder.list()
  const found = new Map<string, string>()
  for (const { path: name } of listed.ok ? listed.value : []) {
    const bytes = await folder.read(name)
    if (bytes.ok) found.set(name, Buffer.from(bytes.value).toString())
  }
  return found
}
