import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { ConversationId, PathId } from '../contract/ids.ts'
import { type Engine, openEngine } from '../engine/engine.ts'
import { temporaryFolder } from '../storage/testing.ts'

/** Runs the application until it is killed, and answers what it said before that. */
const killed = (home: string, title: string): Promise<{ path: PathId; conversation: ConversationId }> =>
  new Promise((resolve, reject) => {
    const program = join(import.meta.dirname, 'killed.testing.ts')
    execFile(process.execPath, [program, home, title], { encoding: 'utf8' }, (error, stdout, stderr) => {
      if (error?.signal !== 'SIGKILL') reject(new Error(`it was not killed: ${stderr}`))
      else resolve(z.object({ path: PathId, conversation: ConversationId }).parse(JSON.parse(stdout)))
    })
  })

const hashes = `import hashlib, json, os
found = {}
for folder, _, names in os.walk("."):
    for name in names:
        at = os.path.join(folder, name)
        found[os.path.relpath(at)] = hashlib.sha256(open(at, "rb").read()).hexdigest()
print(json.dumps(found))`

/** The files of the path's sandbox as code in it sees them. */
async function seenInside(engine: Engine, path: PathId): Promise<Record<string, string>> {
  const started = await engine.runs.start(engine.caller, { path, cell: null, language: 'python', code: hashes })
  const view = started.ok ? await started.value.rest : null
  return JSON.parse(view?.outcome?.stdout ?? '{}')
}

it('every file of a path has the hash it had, after a kill −9, expiry, rotation and a move', async () => {
  const home = join(temporaryFolder(), 'home')
  const { path, conversation } = await killed(home, 'Kept')
  const engine = await openEngine({ home, env: {}, pool: 0 })
  onTestFinished(() => engine.close())
  const sha256 = (data: string | Uint8Array) => createHash('sha256').update(data).digest('hex')
  const expected = {
    'in/uploaded.bin': sha256(Buffer.from(Array.from({ length: 100_000 }, (_, at) => at % 251))),
    'out/made.csv': sha256('a,b\n'.repeat(5000)),
    'ü – Kept.txt': sha256('x'),
    empty: sha256(''),
  }
  const ref = { tenant: engine.caller.tenant, conversation, path }
  expect(await seenInside(engine, path), 'after the application was killed').toEqual(expected)
  for (const reason of ['expired', 'rotated', 'error'] as const) {
    await engine.contexts.end(ref, reason, null)
    expect(await seenInside(engine, path), `after ${reason}`).toEqual(expected)
  }
  const moved = await engine.sandboxes.move(engine.caller, { path, kind: 'local', replay: false })
  expect(moved.ok, 'it was moved').toBe(true)
  expect(await seenInside(engine, path), 'after a move').toEqual(expected)
  const folder = await engine.files(engine.caller, path)
  const bytes = folder.ok ? await folder.value.read('in/uploaded.bin') : null
  expect(bytes?.ok && sha256(bytes.value), 'as it is downloaded').toBe(expected['in/uploaded.bin'])
})
