import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import type { Provider, ProviderKind, Turn } from '../contract/chat.ts'
import type { Item } from '../contract/conversations.ts'
import type { PathId } from '../contract/ids.ts'
import type { Outcome } from '../contract/problem.ts'
import { type Engine, type EngineOptions, openEngine } from '../engine/engine.ts'
import { temporaryFolder } from '../storage/testing.ts'
import { type FakeProvider, fakeProvider, type Script } from './fake-provider.testing.ts'

/** The whole engine with its real database, jail and record, and a model that says what the test wants. */
export async function chatWith(kind: ProviderKind, script: Script, options: Partial<EngineOptions> = {}) {
  const fake = await fakeProvider(kind, script)
  onTestFinished(() => fake.close())
  return { fake, ...(await openChat(fake, join(temporaryFolder(), 'home'), options)) }
}

export async function openChat(
  fake: Pick<FakeProvider, 'kind' | 'baseUrl'>,
  home: string,
  options: Partial<EngineOptions> = {},
) {
  const engine = await openEngine({ home, env: {}, pool: 0, ...options })
  let closed = false
  const close = async () => {
    if (!closed) await engine.close()
    closed = true
  }
  onTestFinished(close)
  return { home, close, ...(await chatIn(engine, fake)) }
}

/** One engine for all tests of a file: what it gives has a provider and a conversation of its own. */
export function chatsInOneEngine(): (script: Script) => Promise<{ fake: FakeProvider } & InChat> {
  let engine: Engine
  const home = mkdtempSync(join(tmpdir(), 'countersign-'))
  beforeAll(async () => {
    engine = await openEngine({ home, env: {}, pool: 0 })
  })
  afterAll(async () => {
    await engine.close()
    rmSync(home, { recursive: true, force: true })
  })
  return async script => {
    const fake = await fakeProvider('compatible', script)
    onTestFinished(() => fake.close())
    return { fake, ...(await chatIn(engine, fake)) }
  }
}
type InChat = Awaited<ReturnType<typeof chatIn>>

/** A conversation of its own in an engine that several tests share. */
export async function chatIn(engine: Engine, fake: Pick<FakeProvider, 'kind' | 'baseUrl'>) {
  const who = engine.caller
  const provider = value(
    await engine.chat.providers.save(who, {
      kind: fake.kind,
      name: 'Fake',
      baseUrl: fake.baseUrl,
      models: [{ id: 'fake-1', windowTokens: 32_000, price: { input: 3, output: 15 } }],
      key: 'test-key',
    }),
  )
  const made = value(await engine.conversations.create(who, { title: 'Capital review' }))
  const path = made.conversation.main
  return {
    engine,
    who,
    provider,
    path,
    conversation: made.conversation.id,
    ...asking(engine, provider, path),
  }
}

/** Asks and waits, as a window would. */
export function asking(engine: Engine, provider: Pick<Provider, 'id'>, path: PathId) {
  const who = engine.caller
  const model = { provider: provider.id, model: 'fake-1' }
  const turn = async (): Promise<Turn> => {
    const view = value(await engine.chat.open(who, path))
    const last = view.turns.findLast(each => each.path === path)
    if (!last) throw new Error('nothing was asked')
    return last
  }
  /** Resolves when the newest answer is in one of these states. */
  const until = (...states: Turn['state'][]): Promise<Turn> =>
    new Promise(resolve => {
      const stop = engine.events.listen(event => {
        if (event.type !== 'chat' || event.event.kind !== 'turn') return
        if (event.event.turn.path !== path || !states.includes(event.event.turn.state)) return
        stop()
        resolve(event.event.turn)
      })
      void turn().then(now => {
        if (!states.includes(now.state)) return
        stop()
        resolve(now)
      })
    })
  const settled = async (): Promise<Turn> => {
    await engine.chat.idle()
    return turn()
  }
  const ask = async (text: string): Promise<Turn> => {
    value(await engine.chat.ask(who, { path, text, model, seen: true }))
    await engine.chat.idle()
    return turn()
  }
  const items = async (): Promise<Item[]> => value(await engine.conversations.open(who, { path })).items
  const said = async (): Promise<string[]> =>
    (await items()).map(item => `${item.author} ${item.kind === 'cell' ? item.language : 'says'}: ${item.text}`)
  return { model, turn, until, settled, ask, items, said }
}

export function value<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new Error(`${outcome.problem.code}: ${outcome.problem.message}`)
  return outcome.value
}
