import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { createAudit } from '../audit/audit.ts'
import { systemClock } from '../clock.ts'
import { ok } from '../contract/problem.ts'
import { Limits } from '../contract/run.ts'
import type { Shown } from '../contract/shown.ts'
import { createFiles } from '../files/files.ts'
import { uuidV7 } from '../ids.ts'
import { localProvider } from '../sandbox/local/local.ts'
import type { Sandbox, SandboxProvider } from '../sandbox/sandbox.ts'
import { temporaryFolder, temporaryStorage } from '../storage/testing.ts'
import { createContexts } from './contexts.ts'
import { analyst, jail, memoryKeys, must, newPath, runOf, sibling } from './testing.ts'

const clock = systemClock
const ids = uuidV7(clock)
const home = mkdtempSync(join(tmpdir(), 'countersign-'))
const provider = localProvider({ home, clock, ids })
afterAll(async () => {
  await provider.close()
  rmSync(home, { recursive: true, force: true })
})

/** Everything real: database, chain, jail. */
async function everything() {
  const path = newPath()
  const storage = await temporaryStorage(clock)
  const keys = memoryKeys()
  const audit = await createAudit({ storage, keys, clock, ids, tenant: path.tenant, folder: temporaryFolder() })
  const opened: Sandbox[] = []
  const watched: SandboxProvider = {
    kind: 'local',
    available: () => provider.available(),
    probe: () => provider.probe(),
    warm: language => provider.warm(language),
    readOutput: (run, range) => provider.readOutput(run, range),
    endOrphans: () => provider.endOrphans(),
    close: () => provider.close(),
    async open(options, signal) {
      const sandbox = await provider.open(options, signal)
      if (sandbox.ok) opened.push(sandbox.value)
      return sandbox
    },
  }
  const contexts = createContexts({
    storage,
    audit,
    provider: kind => (kind === 'local' ? watched : null),
    keys,
    clock,
    ids,
    placeForFiles: async () => ok(jail),
    files: createFiles({ storage, clock, home: temporaryFolder(), limitBytes: () => 1e9 }),
  })
  onTestFinished(async () => {
    await contexts.close()
    await audit.close()
  })
  let show: (output: Shown) => void = () => undefined
  const run = async (code: string, at = path, limits: Partial<Limits> = {}) => {
    const draft = runOf(at, code, { limits: Limits.parse(limits), args: [], env: {} })
    return must(await contexts.run(draft, output => show(output), new AbortController().signal))
  }
  const firstOutput = () =>
    new Promise<Shown>(resolve => {
      show = resolve
    })
  return { contexts, audit, run, path, firstOutput, opened }
}

describe('with the real sandbox, database and record', () => {
  it('a path keeps its variables, a branch has none of them, a time limit costs nothing but the run', async () => {
    const { contexts, run, path } = await everything()
    await run('rate = 12.5')
    expect((await run('print(rate * 2)')).stdout).toBe('25.0\n')
    expect((await run('print(rate)', sibling(path))).error?.name).toBe('NameError')
    expect((await run('while True: pass', path, { timeoutMs: 300 })).error?.kind).toBe('timeout')
    expect((await run('1 + 1')).success).toBe(true)
    expect(await contexts.status(path)).toMatchObject({ state: 'ready', runs: 4 })
    expect((await contexts.active(path.tenant)).length).toBe(2)
  })

  it('files come before code, and everything is on a record that verifies', async () => {
    const { contexts, audit, run, path } = await everything()
    must(await contexts.files(path, analyst).write('data.csv', Buffer.from('a,b\n1,2\n')))
    expect((await run('print(open("data.csv").read())')).stdout).toContain('1,2')
    await contexts.end(path, 'manual', analyst)
    const verification = await audit.verify()
    expect(verification.ok).toBe(true)
    const { items } = await audit.query({ filter: { conversation: path.conversation } })
    expect(items.map(({ entry }) => [entry.action, entry.actor])).toEqual([
      ['context.ended', analyst],
      ['context.created', analyst],
    ])
  })

  it('an interrupt ends an endless loop and keeps the variables', async () => {
    const { contexts, run, path, firstOutput } = await everything()
    await run('kept = 1')
    const endless = run('print("started", flush=True)\nwhile True: pass')
    await firstOutput()
    await contexts.interrupt(path)
    expect((await endless).success).toBe(false)
    expect((await run('print(kept)')).stdout).toBe('1\n')
  })

  it('the files of a path outlive its sandbox: by run, by upload, byte for byte', async () => {
    const { contexts, run, path, opened } = await everything()
    const hash = 'import hashlib; print(hashlib.sha256(open("big","rb").read()).hexdigest(), open("up.csv").read())'
    await contexts.files(path).write('up.csv', Buffer.from('a,b'))
    await run('import os; open("big","wb").write(os.urandom(9_000_000)); os.symlink("/etc/passwd", "link")')
    const before = (await run(hash)).stdout
    await opened[0]?.close('error')
    expect((await contexts.files(path).list()).ok).toBe(true)
    const after = await run(hash)
    expect(after.stdout).toBe(before)
    expect(opened).toHaveLength(2)
    expect(after.manifests?.before).toBe(after.manifests?.after)
    await contexts.end(path, 'manual', null)
    const listed = await contexts.files(path).list()
    expect(listed.ok && listed.value.map(file => file.path)).toEqual(['big', 'up.csv'])
    expect(must(await contexts.files(path).read('up.csv')).toString()).toBe('a,b')
    await contexts.files(path).remove('up.csv')
    expect((await run('import os; print(os.listdir())')).stdout).toBe("['big']\n")
  })

  it.each(['with', 'without'])('a folder is removed with all that is in it, %s a sandbox', async how => {
    const { contexts, run, path } = await everything()
    const make = 'import os; os.makedirs("out/deep"); os.symlink("..", "out/up")'
    await run(`${make}; [open(f, "w").close() for f in ("out/a", "out/deep/b", "outer", "c")]`)
    if (how === 'without') await contexts.end(path, 'manual', null)
    must(await contexts.files(path).remove('out'))
    expect(await contexts.files(path).remove('nowhere')).toMatchObject({ ok: false, problem: { code: 'not-found' } })
    const names = async () => must(await contexts.files(path).list()).map(file => file.path)
    expect(await names()).toEqual(['c', 'outer'])
    await contexts.end(path, 'manual', null)
    expect(await names()).toEqual(['c', 'outer'])
    expect((await run('import os; print(sorted(os.listdir()))')).stdout).toBe("['c', 'outer']\n")
  })

  it('a sandbox that goes down in mid-run, or while nobody looks, is replaced and the loss is told', async () => {
    const { run, firstOutput, opened } = await everything()
    await run('kept = 1')
    const endless = run('print("started", flush=True)\nwhile True: pass')
    await firstOutput()
    await opened[0]?.close('error')
    const broken = await endless
    expect(broken).toMatchObject({ success: false, error: { kind: 'sandbox' } })
    expect(broken.warnings).toContainEqual(expect.stringContaining('variables are gone'))
    const second = await run('print("kept" in globals())')
    expect(second.stdout).toBe('False\n')
    expect(second.warnings).toContainEqual(expect.stringContaining('started in a new one'))
    await opened[1]?.close('error')
    expect((await run('1')).warnings).toContainEqual(expect.stringContaining('connection to the sandbox was lost'))
    expect(opened).toHaveLength(3)
  })
})
