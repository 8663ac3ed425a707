import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { createRouterClient } from '@orpc/server'
import { expect, it, onTestFinished } from 'vitest'
import { safeParse, type z } from 'zod'
import { fakeProvider } from '../../chat/fake-provider.testing.ts'
import { systemClock } from '../../clock.ts'
import { type PathId, TenantId, UserId } from '../../contract/ids.ts'
import { contract } from '../../contract/rpc.ts'
import type { RunView } from '../../contract/runs.ts'
import { type Engine, openEngine } from '../../engine/engine.ts'
import { uuidV7 } from '../../ids.ts'
import { temporaryFolder } from '../../storage/testing.ts'
import { router } from './router.ts'
import { Session } from './session.ts'

/** Names of what is ours, which a stranger may guess; and what stands in it, which nobody tells them. */
const secret = 'quokka'
const content = 'numbat'
const ids = uuidV7(systemClock)

/** A window of the person at this machine, and one of somebody of another tenant. */
async function twoTenants() {
  const engine = await openEngine({ home: join(temporaryFolder(), 'home'), env: {}, pool: 0 })
  onTestFinished(() => engine.close())
  const stranger = { tenant: ids.make(TenantId), user: ids.make(UserId) }
  await engine.approval.identities.ensure({ id: stranger.user, tenant: stranger.tenant, name: 'Stranger' })
  const windowOf = (caller = engine.caller) => {
    const session = new Session(engine, caller)
    return createRouterClient(router, { context: { engine, session, door: 'browser', chooseFolder: null } })
  }
  return { engine, ours: windowOf(), theirs: windowOf(stranger) }
}

const atRest = (engine: Engine, run: string) =>
  new Promise<RunView>(resolve => {
    const stop = engine.events.listen(event => {
      if (event.type !== 'run' || event.run.run !== run || ['inspecting', 'queued'].includes(event.run.state)) return
      stop()
      resolve(event.run)
    })
  })

/** One of everything that a tenant can have, with the words in all of it. */
async function belongings(engine: Engine, ours: Awaited<ReturnType<typeof twoTenants>>['ours']) {
  const { conversation } = await ours.conversations.create({ title: secret })
  const path = conversation.main
  const texts = [
    `print("${secret} ${content}: 1")`,
    `rm -r ${secret}/${content}`,
    `import time\nprint("${secret} ${content}", flush=True)\ntime.sleep(600)`,
  ]
  const languages = ['python', 'bash', 'python']
  const cells = await ours.paths.insert({
    path,
    items: texts.map((text, n) => ({
      kind: 'cell' as const,
      author: 'analyst' as const,
      language: languages[n] ?? '',
      text,
    })),
  })
  const branch = await ours.paths.branch({ path, after: null, name: secret })
  const uploaded = async () => {
    const { upload } = await ours.uploads.begin({ name: `${secret}.csv`, bytes: content.length })
    await ours.uploads.piece({ upload, data: Buffer.from(content).toString('base64') })
    return upload
  }
  await ours.sandbox.writeFile({ path, file: `${secret}.csv`, upload: await uploaded() })
  const { turn, provider } = await askedAndAnswered(ours, branch.id)
  const asks = `name: ${secret}\ntasks:\n  word: { type: approval, question: "${content}?" }\n`
  const workflow = await ours.workflow.start({ path, source: asks })
  await expect.poll(async () => (await ours.workflow.get({ workflow: workflow.id })).tasks[0]?.state).toBe('waiting')
  const template = await ours.conversations.saveTemplate({ path, name: `${secret} ${content}` })
  const binned = await ours.conversations.create({ title: `${secret} ${content}` })
  await ours.conversations.remove(binned.conversation.id)
  const runs: RunView[] = []
  for (const cell of cells) {
    if (cell.kind !== 'cell') continue
    const started = await ours.runs.start({ path, cell: cell.id, revision: cell.revision })
    runs.push(await atRest(engine, started.run))
    if (runs.length === 1 && runs[0]?.state === 'running') runs[0] = await atRest(engine, started.run)
  }
  const request = runs.find(run => run.request)?.request
  const message = await ours.paths.insert({
    path,
    items: [{ kind: 'message', author: 'analyst', text: `${secret} ${content}` }],
  })
  const [spot] = await ours.figures.candidates({ path, cell: cells[0]?.id as never })
  const figure =
    spot && (await ours.figures.pin({ path, cell: cells[0]?.id as never, place: spot.place, name: secret }))
  expect(figure, 'a pinned figure').toBeTruthy()
  const { sent: token } = await engine.privacy.redact(conversation.id, `${secret}@bank.ie`)
  await ours.privacy.allow({ kind: 'exact', type: null, value: secret, conversation: null, note: content })
  const [first] = cells
  if (first?.kind !== 'cell') throw new Error('there is no cell')
  await ours.runs.keep({ path, cell: first.id, on: true })
  const draft = { path, item: first.id, window: 'word', baseRevision: first.revision, text: `${secret} ${content}` }
  await ours.paths.saveDraft(draft)
  const opened = await ours.paths.open({ path })
  const output = opened.items.flatMap(item => (item.kind === 'cell' ? (item.lastRun?.outputs ?? []) : []))[0]
  return {
    token,
    of: {
      tenant: engine.caller.tenant,
      user: engine.caller.user,
      conversation: conversation.id,
      path,
      'other path': branch.id,
      cell: cells[0]?.id,
      message: message[0]?.id,
      run: runs.at(-1)?.run,
      request,
      output: output?.id,
      figure,
      workflow: workflow.id,
      provider,
      turn,
      template: template.id,
      upload: await uploaded(),
      'binned conversation': binned.conversation.id,
    } as Record<string, string | undefined>,
  }
}

/** A question to a model on a path, with its answer. */
async function askedAndAnswered(ours: Awaited<ReturnType<typeof twoTenants>>['ours'], path: PathId) {
  const fake = await fakeProvider('compatible', [{ text: `${secret} ${content}` }])
  onTestFinished(() => fake.close())
  const { kind, baseUrl } = fake
  const models = [{ id: 'word', windowTokens: 32_000, price: null }]
  const provider = await ours.chat.saveProvider({ kind, name: `${secret} ${content}`, baseUrl, models, key: content })
  const model = { provider: provider.id, model: 'word' }
  const turn = await ours.chat.ask({ path, text: `${secret} ${content}?`, model, seen: true })
  await expect.poll(async () => (await ours.chat.turn(turn.id)).turn.state).toBe('done')
  return { turn: turn.id, provider: provider.id }
}

/** As much of how zod keeps a schema as is looked at here. */
interface Definition {
  readonly type: string
  readonly shape: Record<string, z.core.$ZodType>
  readonly element: z.core.$ZodType
  readonly options: readonly z.core.$ZodType[]
  readonly entries: Record<string, unknown>
  readonly values: readonly unknown[]
  readonly innerType: z.core.$ZodType
  readonly in: z.core.$ZodType
  readonly getter: () => z.core.$ZodType
  readonly format?: string
}

/** Tried in turn where a field takes only some texts or numbers. A procedure that takes none of them needs one more. */
const words = [
  'some words',
  'word',
  'a'.repeat(64),
  'WORD',
  'AAAA',
  'https://example.org',
  'https://example.org:443',
  '1.0.0',
  '2026-01-31',
  '/',
]
const numbers = [10, 1, 0, 1000, 100_000]

/**
 * Some input that a procedure takes and that speaks of what belongs to us, made from its schema alone. `choice`: which of
 * several forms; in all but the first, what may be left out is.
 */
function inputFor(schema: z.core.$ZodType, of: Record<string, string | undefined>, choice: number, name = ''): unknown {
  const inner = (part: z.core.$ZodType, as = name) => inputFor(part, of, choice, as)
  const chosen = <T>(all: readonly T[]) => all[Math.min(choice, all.length - 1)] as T
  const { def } = schema._zod as unknown as { def: Definition }
  const kind = /^(.*) id$/.exec((schema as z.ZodType).description ?? '')?.[1]
  if (kind) {
    // What is not ours would be refused whoever asks for it, and show nothing.
    expect(of[kind], `something of ours of the kind ${kind}`).toBeTruthy()
    return of[kind]
  }
  switch (def.type) {
    case 'object':
      return Object.fromEntries(Object.entries(def.shape).map(([key, part]) => [key, inner(part, key)]))
    case 'array':
      return [inner(def.element)]
    case 'record':
      return {}
    case 'union':
      return inner(chosen(def.options))
    case 'enum':
      return chosen(Object.values(def.entries))
    case 'literal':
      return def.values[0]
    case 'optional':
    case 'default':
    case 'prefault':
      return choice === 0 ? inner(def.innerType) : undefined
    case 'nullable':
      return choice === 0 ? inner(def.innerType) : null
    case 'readonly':
      return inner(def.innerType)
    case 'pipe':
      return inner(def.in)
    case 'lazy':
      return inner(def.getter())
    case 'number':
      return fitting(schema, numbers)
    case 'boolean':
      return false
    case 'null':
      return null
    case 'json':
    case 'unknown':
    case 'any':
      return {}
    default:
      if (def.format === 'uuid' || def.format === 'guid') return of[name] ?? ids.make(UserId)
      if (name === 'token') return of.token
      if (name === '') return of.template
      return fitting(schema, name === 'file' ? [`${secret}.csv`] : /text|query/.test(name) ? [secret, ...words] : words)
  }
}

const fitting = <T>(schema: z.core.$ZodType, all: readonly T[]): T | undefined =>
  all.find(each => safeParse(schema, each).success) ?? all[0]

/** Every form of input that differs from the others; the first one must be a good one. */
function inputsFor(input: z.core.$ZodType | undefined, of: Record<string, string | undefined>, name: string) {
  if (!input) return [undefined]
  const all = [0, 1, 2, 3, 4].map(choice => inputFor(input, of, choice))
  // What is refused for its form would show nothing.
  expect(safeParse(input, all[0]).error?.issues ?? [], `${name} ${JSON.stringify(all[0])}`).toEqual([])
  const good = all.filter(each => safeParse(input, each).success)
  return good.filter((each, at) => good.findIndex(other => isDeepStrictEqual(other, each)) === at)
}

const procedures = Object.entries(contract).flatMap(([group, all]) =>
  Object.entries(all).map(([name, procedure]) => ({
    group,
    name,
    input: (procedure as unknown as { '~orpc': { inputSchema?: z.core.$ZodType } })['~orpc'].inputSchema,
  })),
)

async function answerOf(call: (input: unknown) => Promise<unknown>, input: unknown): Promise<unknown> {
  try {
    const answer = await call(input)
    if (!(answer !== null && typeof answer === 'object' && Symbol.asyncIterator in answer)) return answer ?? null
    const pieces: unknown[] = []
    for await (const piece of answer as AsyncIterable<unknown>) pieces.push(piece)
    return pieces
  } catch (error) {
    const { data, message } = error as { data?: unknown; message: string }
    return { refused: data ?? message }
  }
}

it('a caller of another tenant sees, changes, cancels and reads nothing, whatever they ask', async () => {
  const { engine, ours, theirs } = await twoTenants()
  const { of, token } = await belongings(engine, ours)
  of.token = token
  const mine = new Set(Object.values(of))
  const heard: unknown[] = []
  const follow = new AbortController()
  const following = (async () => {
    for await (const event of await theirs.app.events(undefined, { signal: follow.signal })) heard.push(event)
  })().catch(() => undefined)
  const standing = async () => ({
    conversations: await ours.conversations.list({}),
    path: await ours.paths.open({ path: of.path as never }),
    paths: await ours.conversations.tree(of.conversation as never),
    figures: await ours.figures.list(of.path as never),
    requests: await ours.approval.requests({}),
    live: (await ours.runs.live(of.path as never)).map(({ view }) => [view.run, view.state]),
    files: await ours.sandbox.files({ path: of.path as never }),
    sandbox: (await ours.sandbox.status(of.path as never)).sandbox,
    identities: await ours.identities.list(),
    policy: (await ours.policy.get()).version,
    settings: await ours.settings.get(),
    allowed: await ours.privacy.allowed(),
    workflows: await ours.workflow.list({ path: null }),
    chat: await ours.chat.open({ path: of['other path'] as never }),
    providers: await ours.chat.providers(),
    templates: await ours.conversations.templates(),
    bin: await ours.conversations.bin(),
    drafts: await ours.paths.drafts(),
    kept: await ours.runs.kept(),
  })
  const before = await standing()
  expect(before.live, 'something to cancel').toHaveLength(1)
  expect(JSON.stringify(before)).toContain(secret)

  for (const { group, name, input } of procedures) {
    if (`${group}.${name}` === 'app.events') continue
    const client = (theirs as unknown as Record<string, Record<string, (input: unknown) => Promise<unknown>>>)[group]
    const call = client?.[name]
    if (!call) throw new Error(`${group}.${name} is not answered`)
    for (const asked of inputsFor(input, of, `${group}.${name}`)) {
      const answer = JSON.stringify(await answerOf(call, asked))
      const told = [...mine, content].filter(each => each && answer.includes(each))
      expect(told, `${group}.${name} tells of ours: ${answer.slice(0, 500)}`).toEqual([])
    }
  }
  expect(await standing()).toEqual(before)
  follow.abort()
  await following
  for (const each of [...mine, content]) if (each) expect(JSON.stringify(heard)).not.toContain(each)
  await ours.runs.cancel(of.run as never)
})
