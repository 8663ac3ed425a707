import { join } from 'node:path'
import { createRouterClient } from '@orpc/server'
import { expect, it, onTestFinished } from 'vitest'
import { safeParse, type z } from 'zod'
import { systemClock } from '../../clock.ts'
import { TenantId, UserId } from '../../contract/ids.ts'
import { contract } from '../../contract/rpc.ts'
import type { RunView } from '../../contract/runs.ts'
import { type Engine, openEngine } from '../../engine.ts'
import { uuidV7 } from '../../ids.ts'
import { temporaryFolder } from '../../storage/testing.ts'
import { router } from './router.ts'
import { Session } from './session.ts'

const secret = 'quokka'
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

/** One of everything that a tenant can have, with the word in all of it. */
async function belongings(engine: Engine, ours: Awaited<ReturnType<typeof twoTenants>>['ours']) {
  const { conversation } = await ours.conversations.create({ title: secret })
  const path = conversation.main
  const texts = [
    `print("${secret}: 1")`,
    `rm -r ${secret}/`,
    `import time\nprint("${secret}", flush=True)\ntime.sleep(600)`,
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
  const { upload } = await ours.uploads.begin({ name: `${secret}.csv`, bytes: 1 })
  await ours.uploads.piece({ upload, data: Buffer.from('1').toString('base64') })
  await ours.sandbox.writeFile({ path, file: `${secret}.csv`, upload })
  const runs: RunView[] = []
  for (const cell of cells) {
    if (cell.kind !== 'cell') continue
    const started = await ours.runs.start({ path, cell: cell.id, revision: cell.revision })
    runs.push(await atRest(engine, started.run))
    if (runs.length === 1 && runs[0]?.state === 'running') runs[0] = await atRest(engine, started.run)
  }
  const request = runs.find(run => run.request)?.request
  const message = await ours.paths.insert({ path, items: [{ kind: 'message', author: 'analyst', text: secret }] })
  const [spot] = await ours.figures.candidates({ path, cell: cells[0]?.id as never })
  const figure =
    spot && (await ours.figures.pin({ path, cell: cells[0]?.id as never, place: spot.place, name: secret }))
  expect(figure, 'a pinned figure').toBeTruthy()
  const { sent: token } = await engine.privacy.redact(conversation.id, `${secret}@bank.ie`)
  await ours.privacy.allow({ kind: 'exact', type: null, value: secret, conversation: null, note: secret })
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
    } as Record<string, string | undefined>,
  }
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

/** Some input that a procedure takes and that speaks of what belongs to us, made from its schema alone. */
function inputFor(schema: z.core.$ZodType | undefined, of: Record<string, string | undefined>, name = ''): unknown {
  if (!schema) return undefined
  const inner = (part: z.core.$ZodType, as = name) => inputFor(part, of, as)
  const { def } = schema._zod as unknown as { def: Definition }
  const kind = /^(.*) id$/.exec((schema as z.ZodType).description ?? '')?.[1]
  if (kind) return of[kind] ?? ids.make(UserId)
  switch (def.type) {
    case 'object':
      return Object.fromEntries(Object.entries(def.shape).map(([key, part]) => [key, inner(part, key)]))
    case 'array':
      return [inner(def.element)]
    case 'record':
      return {}
    case 'union':
      return inner(def.options[0] as z.core.$ZodType)
    case 'enum':
      return Object.values(def.entries)[0]
    case 'literal':
      return def.values[0]
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
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
      return fitting(schema, name === 'file' ? [`${secret}.csv`] : /text|query/.test(name) ? [secret, ...words] : words)
  }
}

const fitting = <T>(schema: z.core.$ZodType, all: readonly T[]): T | undefined =>
  all.find(each => safeParse(schema, each).success) ?? all[0]

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
  })
  const before = await standing()
  expect(before.live, 'something to cancel').toHaveLength(1)
  expect(JSON.stringify(before)).toContain(secret)

  for (const { group, name, input } of procedures) {
    if (`${group}.${name}` === 'app.events') continue
    const client = (theirs as unknown as Record<string, Record<string, (input: unknown) => Promise<unknown>>>)[group]
    const call = client?.[name]
    if (!call) throw new Error(`${group}.${name} is not answered`)
    const asked = inputFor(input, of)
    // What is refused for its form would show nothing.
    if (input)
      expect(safeParse(input, asked).error?.issues ?? [], `${group}.${name} ${JSON.stringify(asked)}`).toEqual([])
    const answer = JSON.stringify(await answerOf(call, asked))
    const told = [...mine].filter(id => id && answer.includes(id))
    expect(told, `${group}.${name} tells of ours: ${answer.slice(0, 500)}`).toEqual([])
  }
  expect(await standing()).toEqual(before)
  follow.abort()
  await following
  for (const id of mine) if (id) expect(JSON.stringify(heard)).not.toContain(id)
  await ours.runs.cancel(of.run as never)
}, 120_000)
