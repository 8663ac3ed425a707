import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { TenantId, UserId } from './contract/ids.ts'
import { BuildImage, type BuildStep, type ImageInfo } from './contract/images.ts'
import { fail, type Outcome, ok } from './contract/problem.ts'
import { openEngine } from './engine/engine.ts'
import type { ImageStore, Sandbox, SandboxProvider } from './sandbox/sandbox.ts'
import { secondProvider } from './sandbox/second.testing.ts'
import { testIds } from './sandbox/testing.ts'
import { temporaryFolder } from './storage/testing.ts'

const must = <T>(outcome: Outcome<T>): T => {
  if (!outcome.ok) throw new Error(`${outcome.problem.code}: ${outcome.problem.message}`)
  return outcome.value
}

const image: ImageInfo = {
  ...{ kind: 'microvm', name: 'guest:fx', template: 'fx', digest: `sha256:${'a'.repeat(64)}`, bytes: 1000 },
  ...{ createdAt: 1, current: true, source: 'debian', packages: ['jq'] },
}

/** A store of images whose builds wait until the test lets them go on. */
function heldStore() {
  const images: ImageInfo[] = []
  let step: (step: BuildStep) => void = () => undefined
  let finish: (built: Outcome<ImageInfo>) => void = () => undefined
  const store: ImageStore = {
    list: async () => ok(images),
    build: (_, progress, signal) =>
      new Promise(resolve => {
        step = progress
        finish = resolve
        signal.addEventListener('abort', () => resolve(fail('request.cancelled', 'It was stopped.', 'Build again.')))
      }),
    remove: async name => (name === image.name ? ok(undefined) : fail('not-found', 'There is none.', 'Look again.')),
  }
  return { store, say: (line: string, done: number) => step({ line, done }), end: (o: Outcome<ImageInfo>) => finish(o) }
}

async function opened() {
  const folder = temporaryFolder()
  const held = heldStore()
  const second: SandboxProvider = {
    ...secondProvider(join(folder, 'second')),
    images: held.store,
    pool: () => ({ ready: 1, wanted: 2 }),
  }
  const engine = await openEngine({ home: join(folder, 'home'), env: {}, pool: 0, backEnds: [second] })
  let closing: Promise<void> | null = null
  const close = () => {
    closing ??= engine.close()
    return closing
  }
  onTestFinished(close)
  const recorded = async () =>
    (await engine.audit.query({ filter: { actions: ['image.built', 'image.removed'] } })).items.map(
      ({ entry }) => entry.details,
    )
  return {
    engine,
    close,
    held,
    recorded,
    request: BuildImage.parse({ kind: 'microvm', template: 'fx', packages: ['jq'] }),
  }
}

describe('all sandboxes', () => {
  it('are shown over all conversations by name, with what they use; and what is kept ready', async () => {
    const { engine } = await opened()
    const { caller } = engine
    const titles = ['Capital review', 'Liquidity']
    for (const title of titles) {
      const { conversation } = must(await engine.conversations.create(caller, { title }))
      must(await must(await engine.files(caller, conversation.main)).write('a.csv', Buffer.from('1')))
    }
    const { active, pools } = await engine.sandboxes.overview(caller)
    expect(active.map(each => each.conversation).sort()).toEqual(titles)
    expect(active[0]).toMatchObject({ path: 'main', template: null, status: { state: 'ready' } })
    expect(active[0]?.usage?.memoryBytes).toBeGreaterThan(0)
    expect(pools).toContainEqual({ kind: 'microvm', ready: 1, wanted: 2 })
    const stranger = { ...caller, tenant: testIds.make(TenantId), user: testIds.make(UserId) }
    expect((await engine.sandboxes.overview(stranger)).active).toEqual([])
  })
})

describe('making an image', () => {
  it('goes on by itself, tells how far it is, and is on the record with its digest', async () => {
    const { engine, held, recorded, request } = await opened()
    const lines: string[] = []
    const building = must(engine.sandboxes.build(engine.caller, request, ({ line }) => lines.push(line)))
    held.say('fetching', 0.4)
    held.say('from somewhere else', 0)
    expect(engine.sandboxes.building(engine.caller)).toMatchObject({
      state: 'running',
      done: 0.4,
      log: ['fetching', 'from somewhere else'],
    })
    expect(engine.sandboxes.build(engine.caller, request)).toMatchObject({ ok: false, problem: { code: 'conflict' } })
    held.end(ok(image))
    expect(await building.over).toMatchObject({ state: 'done', done: 1, image, problem: null })
    expect(lines).toEqual(['fetching', 'from somewhere else'])
    expect(await recorded()).toMatchObject([{ template: 'fx', packages: ['jq'], success: true, digest: image.digest }])
  })

  it('can be stopped, and a failure stays to be read', async () => {
    const { engine, held, recorded, request } = await opened()
    const first = must(engine.sandboxes.build(engine.caller, request))
    await engine.sandboxes.cancelBuild(engine.caller)
    expect(await first.over).toMatchObject({ state: 'cancelled' })
    const second = must(engine.sandboxes.build(engine.caller, request))
    held.end(fail('sandbox.failed', 'The disk is full.', 'Free some space.'))
    expect(await second.over).toMatchObject({ state: 'failed', problem: { message: 'The disk is full.' } })
    expect(await recorded()).toMatchObject([{ success: false }, { success: false }])
  })

  it('is refused to others, and for a kind that has no images', async () => {
    const { engine, request, recorded } = await opened()
    const stranger = { ...engine.caller, tenant: testIds.make(TenantId) }
    expect(engine.sandboxes.build(stranger, request)).toMatchObject({ ok: false, problem: { code: 'access.denied' } })
    expect(await engine.sandboxes.removeImage(stranger, 'microvm', image.name)).toMatchObject({ ok: false })
    const local = must(engine.sandboxes.build(engine.caller, BuildImage.parse({ kind: 'local' })))
    expect(await local.over).toMatchObject({ state: 'failed', problem: { code: 'sandbox.unavailable' } })
    expect(await recorded()).toHaveLength(1)
  })

  it('ends with the application', async () => {
    const { engine, close, request } = await opened()
    const { over } = must(engine.sandboxes.build(engine.caller, request))
    await close()
    expect(await over).toMatchObject({ state: 'cancelled' })
  })
})

it('an image that is removed is on the record', async () => {
  const { engine, recorded } = await opened()
  expect(await engine.sandboxes.removeImage(engine.caller, 'microvm', 'other')).toMatchObject({ ok: false })
  must(await engine.sandboxes.removeImage(engine.caller, 'microvm', image.name))
  expect(await recorded()).toMatchObject([{ kind: 'microvm', image: image.name }])
})

it('a branch of a sandbox that cannot hand on its variables has the files, and says that it has no more', async () => {
  const { engine } = await opened()
  const { caller } = engine
  const second = await openedWithoutFork()
  const { conversation } = must(await second.conversations.create(second.caller, { title: 'Files only' }))
  must(await must(await second.files(second.caller, conversation.main)).write('kept.csv', Buffer.from('1')))
  const branch = must(
    await second.branch(second.caller, { path: conversation.main, after: null, name: 'other', withState: true }),
  )
  expect(branch.withState).toBe(false)
  const files = must(await must(await second.files(second.caller, branch.id)).list())
  expect(files.map(file => file.path)).toEqual(['kept.csv'])

  const main = must(await engine.conversations.create(caller, { title: 'All' })).conversation.main
  must(await must(await engine.files(caller, main)).write('kept.csv', Buffer.from('1')))
  const whole = must(await engine.branch(caller, { path: main, after: null, name: 'other', withState: true }))
  expect(whole.withState).toBe(true)
})

/** Sandboxes without what copies their variables, as containers are. */
async function openedWithoutFork() {
  const folder = temporaryFolder()
  const real = secondProvider(join(folder, 'second'))
  const provider: SandboxProvider = {
    ...real,
    async open(options, signal) {
      const sandbox = await real.open(options, signal)
      if (!sandbox.ok) return sandbox
      const get = (target: Sandbox, key: PropertyKey) => (key === 'fork' ? undefined : Reflect.get(target, key))
      return ok(new Proxy(sandbox.value, { get }))
    },
  }
  const env = { COUNTERSIGN_SANDBOX_TYPE: 'microvm' }
  const engine = await openEngine({ home: join(folder, 'home'), env, pool: 0, backEnds: [provider] })
  onTestFinished(() => engine.close())
  return engine
}
