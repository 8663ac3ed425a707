import { createHash } from 'node:crypto'
import { readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ManualClock } from '../clock.testing.ts'
import { systemClock } from '../clock.ts'
import type { PathRef } from '../contract/contexts.ts'
import { ConversationId, PathId, RunId, TenantId } from '../contract/ids.ts'
import { fail, ok } from '../contract/problem.ts'
import { Limits } from '../contract/run.ts'
import { localProvider } from '../sandbox/local/local.ts'
import type { WorkFolder } from '../sandbox/sandbox.ts'
import { runIn, temporaryHome, testIds } from '../sandbox/testing.ts'
import { temporaryStorage } from '../storage/testing.ts'
import { openBlobs } from './blobs.ts'
import { createFiles } from './files.ts'
import { manifestChanges, manifestHash, manifestOf, manifestText, parseManifest, withChanges } from './manifest.ts'

const ref = (): PathRef => ({
  tenant: testIds.make(TenantId),
  conversation: testIds.make(ConversationId),
  path: testIds.make(PathId),
})
const run = () => testIds.make(RunId)
const sha = (text: string) => createHash('sha256').update(text).digest('hex')

async function store(limitBytes = 1_000_000) {
  const storage = await temporaryStorage()
  const clock = new ManualClock()
  const home = dirname(storage.file)
  return { files: createFiles({ storage, clock, home, limitBytes: () => limitBytes }), storage, clock, home }
}

/** A working folder in memory. */
function folderWith(content: Record<string, string>): WorkFolder & { content: Map<string, Buffer> } {
  const files = new Map(Object.entries(content).map(([path, text]) => [path, Buffer.from(text)]))
  const missing = () => fail('not-found', 'There is no such file.', 'Look at the list.')
  return {
    content: files,
    list: async (folder = '') => {
      const below = [...files.keys()].filter(path => folder === '' || path.startsWith(`${folder}/`))
      const names = new Set(
        below.map(path => path.slice(folder === '' ? 0 : folder.length + 1).split('/')[0] as string),
      )
      return ok(
        [...names].map(name => {
          const path = folder === '' ? name : `${folder}/${name}`
          const bytes = files.get(path)
          return {
            path,
            kind: bytes ? ('file' as const) : ('folder' as const),
            bytes: bytes?.length ?? 0,
            modifiedAt: 0,
          }
        }),
      )
    },
    read: async (path, range) => {
      const bytes = files.get(path)
      if (!bytes) return missing()
      return ok(range ? bytes.subarray(range.offset, range.offset + range.length) : bytes)
    },
    write: async (path, bytes, options) => {
      const before = options?.append ? (files.get(path) ?? Buffer.alloc(0)) : Buffer.alloc(0)
      files.set(path, Buffer.concat([before, bytes]))
      return ok(undefined)
    },
    remove: async path => (files.delete(path) ? ok(undefined) : missing()),
  }
}

const changed = (changes: { created?: string[]; modified?: string[]; deleted?: string[] }) => ({
  created: [],
  modified: [],
  deleted: [],
  ...changes,
})
const textOf = (folder: { content: Map<string, Buffer> }) =>
  Object.fromEntries([...folder.content].map(([path, bytes]) => [path, bytes.toString()]))

describe('the files of a path', () => {
  it('are there in the next sandbox, byte for byte', async () => {
    const { files } = await store()
    const path = ref()
    const first = folderWith({ 'data/in.csv': 'a,b\n1,2\n', empty: '' })
    await files.keep(path, first, changed({ created: ['data/in.csv', 'empty'] }))

    const next = folderWith({})
    expect(await files.restore(await files.head(path), next)).toEqual([])
    expect(textOf(next)).toEqual({ 'data/in.csv': 'a,b\n1,2\n', empty: '' })
  })

  it('name what each run found and left by hash', async () => {
    const { files, storage } = await store()
    const path = ref()
    const two = run()
    const folder = folderWith({ a: '1' })
    const first = await files.keep(path, folder, changed({ created: ['a'] }))
    await folder.write('a', Buffer.from('2'))
    const second = await files.keep(path, folder, changed({ modified: ['a'] }))
    await storage.write(t => files.noteRun(t, path, two, second))

    expect(first.written).toEqual([{ path: 'a', sha256: sha('1'), bytes: 1 }])
    expect(await files.ofRun(two)).toEqual({ before: first.after, after: second.after })
    const then = await files.manifest(first.after)
    const replayed = folderWith({})
    await files.restore(then ?? [], replayed)
    expect(textOf(replayed)).toEqual({ a: '1' })
  })

  it('are seen by a branch as they were when it began', async () => {
    const { files, storage } = await store()
    const parent = ref()
    const branch = { ...parent, path: testIds.make(PathId) }
    const folder = folderWith({ a: '1' })
    await files.keep(parent, folder, 'all')
    await storage.write(t => files.branch(t, parent, branch))
    await folder.write('a', Buffer.from('2'))
    await files.keep(parent, folder, 'all')
    expect(await files.head(branch)).toEqual([{ path: 'a', sha256: sha('1'), bytes: 1 }])
  })

  it('belong to one tenant, conversation and path', async () => {
    const { files } = await store()
    const path = ref()
    await files.keep(path, folderWith({ a: '1' }), 'all')
    for (const other of [
      { ...path, tenant: testIds.make(TenantId) },
      { ...path, conversation: testIds.make(ConversationId) },
      { ...path, path: testIds.make(PathId) },
    ])
      expect(await files.head(other)).toEqual([])
  })

  it('stay within their limit, and say which file is not kept', async () => {
    const { files } = await store(10)
    const path = ref()
    const kept = await files.keep(path, folderWith({ a: '12345', b: '1234567', c: '123' }), 'all')
    expect(kept.manifest.map(file => file.path)).toEqual(['a', 'c'])
    expect(kept.left).toEqual([{ path: 'b', reason: expect.stringContaining('more than they may') }])
  })

  it('are not lost by one whose path is too long to be kept', async () => {
    const { files } = await store()
    const path = ref()
    const long = Array(20).fill('d'.repeat(250)).join('/')
    const kept = await files.keep(path, folderWith({ a: '1', [long]: '2' }), changed({ created: ['a', long] }))
    expect(kept.left).toEqual([{ path: expect.stringContaining('d'), reason: expect.stringContaining('4,096') }])
    expect((await files.head(path)).map(file => file.path)).toEqual(['a'])
  })

  it('take no more memory while they are read than they have bytes', async () => {
    const { files, home } = await store()
    const path = ref()
    const text = 'x'.repeat(100_000)
    await files.keep(path, folderWith({ a: text }), 'all')
    const buffers = []
    for await (const part of openBlobs(join(home, 'files')).read(sha(text)))
      if (part.ok) buffers.push(part.value.buffer)
    expect(buffers.map(buffer => buffer.byteLength)).toEqual([text.length])
  })

  it('refuse a content that was changed on the disk', async () => {
    const { files, home } = await store()
    const path = ref()
    await files.keep(path, folderWith({ a: '1' }), 'all')
    writeFileSync(join(home, 'files', sha('1').slice(0, 2), sha('1')), '2')
    const folder = folderWith({})
    expect(await files.restore(await files.head(path), folder)).toEqual([
      { path: 'a', reason: expect.stringContaining('not what was kept') },
    ])
    expect(folder.content.size).toBe(0)
  })

  it('take a manifest that is not what its hash says for none', async () => {
    const { files, storage } = await store()
    const kept = await files.keep(ref(), folderWith({ a: '1' }), 'all')
    await storage.write(t => t.updateTable('file_manifests').set({ files: '[]' }).execute())
    expect(await files.manifest(kept.after)).toBeNull()
  })

  it.each(['[]', '{}', 'no list'])('of a damaged list (%s) stop the path and are not pruned', async damaged => {
    const { files, storage, clock, home } = await store()
    const path = ref()
    await files.keep(path, folderWith({ a: '1' }), 'all')
    await storage.write(t => t.updateTable('file_manifests').set({ files: damaged }).execute())
    clock.set(systemClock.now() + 2 * 60 * 60_000)

    await expect(files.head(path)).rejects.toMatchObject({ problem: { code: 'files.damaged' } })
    await expect(files.keep(path, folderWith({}), 'all')).rejects.toMatchObject({ problem: { code: 'files.damaged' } })
    await expect(files.prune(clock.now())).rejects.toMatchObject({ problem: { code: 'files.damaged' } })
    expect(readdirSync(join(home, 'files', sha('1').slice(0, 2)))).toEqual([sha('1')])
  })

  it('are pruned but for what the path has now', async () => {
    const { files, clock, home, storage } = await store()
    const path = ref()
    const first = run()
    const folder = folderWith({ a: 'old' })
    const kept = await files.keep(path, folder, 'all')
    await storage.write(t => files.noteRun(t, path, first, kept))
    clock.advance(1_000)
    await folder.write('a', Buffer.from('new'))
    await files.keep(path, folder, 'all')
    clock.set(systemClock.now() + 2 * 60 * 60_000)
    await files.prune(clock.now())

    expect(await files.ofRun(first)).toBeNull()
    expect(readdirSync(join(home, 'files'), { recursive: true }).filter(name => String(name).length > 60)).toEqual([
      join(sha('new').slice(0, 2), sha('new')),
    ])
    expect(await files.restore(await files.head(path), folderWith({}))).toEqual([])
  })

  it('change with the transaction that commits them, or not at all', async () => {
    const { files, storage } = await store()
    const path = ref()
    const staged = await files.stage(folderWith({ a: '1' }), [], 'all')
    expect(await files.head(path)).toEqual([])
    const changes = manifestChanges([], staged.manifest)
    await expect(
      storage.write(async t => {
        await files.commit(t, path, changes)
        throw new Error('undone')
      }),
    ).rejects.toThrow('undone')
    expect(await files.head(path)).toEqual([])
    await storage.write(t => files.commit(t, path, changes))
    expect(await files.head(path)).toEqual(staged.manifest)
  })
})

describe('a manifest', () => {
  const file = fc.record({
    path: fc.string({ minLength: 1, maxLength: 20 }),
    sha256: fc.string().map(sha),
    bytes: fc.nat(),
  })
  const manifest = fc.uniqueArray(file, { selector: each => each.path }).map(manifestOf)

  it('is what its text says, in one order', () => {
    fc.assert(
      fc.property(manifest, files => {
        expect(parseManifest(manifestText(files))).toEqual(files)
        expect(manifestHash(manifestOf([...files].reverse()))).toBe(manifestHash(files))
      }),
    )
  })

  it('becomes another by the changes between them', () => {
    fc.assert(
      fc.property(manifest, manifest, (a, b) => {
        const same = withChanges(a, manifestChanges(a, b))
        expect(same.map(({ path, sha256 }) => [path, sha256])).toEqual(b.map(({ path, sha256 }) => [path, sha256]))
      }),
    )
  })

  it.each(['', '{}', '[1]', '[["a"]]', '[["a","zz",1]]', `[["a","${'0'.repeat(64)}",-1]]`])('is not %s', text => {
    expect(parseManifest(text)).toBeNull()
  })
})

describe('a real sandbox', () => {
  it('hands on plain files only, and the next one has them', async () => {
    const { home, remove } = await temporaryHome()
    onTestFinished(remove)
    const provider = localProvider({ home, clock: systemClock, ids: testIds })
    onTestFinished(() => provider.close())
    const open = async () => {
      const sandbox = await provider.open({ limits: Limits.parse({}) }, new AbortController().signal)
      if (!sandbox.ok) throw new Error(sandbox.problem.message)
      return sandbox.value
    }
    const { files } = await store(100_000_000)
    const path = ref()
    const first = await open()
    const outcome = await runIn(
      first,
      'bash',
      'mkdir -p out; head -c 20000000 /dev/zero > out/big; echo x > a; ln -s /etc/passwd link; mkfifo pipe',
    )
    const kept = await files.keep(path, first.files, outcome.files)
    expect(kept.manifest.map(file => file.path)).toEqual(['a', 'out/big'])

    const second = await open()
    expect(await files.restore(await files.head(path), second.files)).toEqual([])
    const seen = await runIn(second, 'bash', 'sha256sum out/big a; ls')
    expect(seen.stdout).toContain(kept.manifest[1]?.sha256)
    expect(seen.stdout).not.toContain('link')
  })
})
