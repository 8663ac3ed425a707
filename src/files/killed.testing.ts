import { openEngine } from '../engine/engine.ts'

/** An application that takes in a file and runs code that makes others, says so, and is then killed without warning. */
const [home = '', title = ''] = process.argv.slice(2)
const engine = await openEngine({ home, env: {}, pool: 0 })
const made = await engine.conversations.create(engine.caller, { title })
if (!made.ok) throw new Error(made.problem.message)
const { main: path, id } = made.value.conversation
const folder = await engine.files(engine.caller, path)
if (!folder.ok) throw new Error(folder.problem.message)
await folder.value.write('in/uploaded.bin', Buffer.from(Array.from({ length: 100_000 }, (_, at) => at % 251)))
const code = `import os
os.makedirs("out", exist_ok=True)
open("out/made.csv", "w").write("a,b\\n" * 5000)
open("ü – ${title}.txt", "w").write("x")
open("empty", "w")`
const started = await engine.runs.start(engine.caller, { path, cell: null, language: 'python', code })
const view = started.ok ? await started.value.rest : null
if (!view?.outcome?.success) throw new Error(`the run came to ${view?.state}`)
process.stdout.write(`${JSON.stringify({ path, conversation: id })}\n`, () => process.kill(process.pid, 'SIGKILL'))
