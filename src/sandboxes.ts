import type { Audit } from './audit/audit.ts'
import type { Clock } from './clock.ts'
import type { Contexts } from './contexts/contexts.ts'
import type { Caller } from './contract/caller.ts'
import type { TenantId } from './contract/ids.ts'
import type { BuildImage, BuildStep, BuildView, ImageInfo, ImagesOf, SandboxesView } from './contract/images.ts'
import { fail, type Outcome, ok } from './contract/problem.ts'
import type { SandboxKind } from './contract/run.ts'
import type { Conversations } from './conversations/conversations.ts'
import type { SandboxRegistry } from './sandbox/registry.ts'

/** All sandboxes that are open, and the images that they are made from. */
export interface Sandboxes {
  /** What a caller has open, over all conversations, and what is kept ready. */
  overview(who: Caller): Promise<SandboxesView>
  images(): Promise<ImagesOf[]>
  building(who: Caller): BuildView | null
  /** Starts to make an image; goes on when the window that asked for it is closed. */
  build(who: Caller, request: BuildImage, onStep?: (step: BuildStep) => void): Outcome<Building>
  cancelBuild(who: Caller): Promise<void>
  removeImage(who: Caller, kind: SandboxKind, name: string): Promise<Outcome<void>>
  /** Stops what is being made. */
  close(): Promise<void>
}

export interface Building {
  readonly view: BuildView
  /** How it ended. */
  readonly over: Promise<BuildView>
}

interface Parts {
  readonly registry: Pick<SandboxRegistry, 'all' | 'provider'>
  readonly contexts: Pick<Contexts, 'active' | 'usage' | 'facts'>
  readonly conversations: Pick<Conversations, 'tree'>
  readonly audit: Pick<Audit, 'record'>
  readonly clock: Clock
  /** Images belong to the installation, and so to whoever it belongs to. */
  readonly tenant: TenantId
  readonly changed: (build: BuildView | null) => void
}

const keptLines = 200
/** A build says hundreds of lines a second; windows hear of them this often. */
const tellMs = 250

export function createSandboxes(parts: Parts): Sandboxes {
  const { registry, contexts, conversations, audit, clock, tenant } = parts
  let now: { view: BuildView; readonly stop: AbortController } | null = null
  let over: Promise<unknown> = Promise.resolve()
  let cancelTelling: (() => void) | null = null

  const tell = () => {
    cancelTelling?.()
    cancelTelling = null
    parts.changed(now?.view ?? null)
  }
  const tellSoon = () => {
    cancelTelling ??= clock.after(tellMs, tell)
  }

  /** Makes an image and keeps `own.view` up to date. */
  async function make(
    who: Caller,
    own: { view: BuildView; readonly stop: AbortController },
    onStep: (step: BuildStep) => void,
  ): Promise<BuildView> {
    const { request } = own.view
    const store = registry.provider(request.kind)?.images
    const built: Outcome<ImageInfo> = store
      ? await store.build(
          request,
          step => {
            const { line, done } = step
            const log = [...own.view.log, line.slice(0, 500)].slice(-keptLines)
            // A step that is done twice, as another source is tried, must not send the bar back.
            own.view = { ...own.view, done: Math.max(own.view.done, Math.min(done, 1)), log }
            tellSoon()
            onStep(step)
          },
          own.stop.signal,
        )
      : noImages(request.kind)
    const { kind, template, packages } = request
    const ended = built.ok
      ? { state: 'done' as const, done: 1, image: built.value, problem: null }
      : {
          state: built.problem.code === 'request.cancelled' ? ('cancelled' as const) : ('failed' as const),
          image: null,
          problem: built.problem,
        }
    const told: Record<string, string | number | null> = built.ok
      ? { image: built.value.name, digest: built.value.digest, source: built.value.source, bytes: built.value.bytes }
      : { problem: built.problem.message }
    await audit.record({
      action: 'image.built',
      tenant: who.tenant,
      actor: who.user,
      details: { kind, template, packages, success: built.ok, ...told },
    })
    own.view = { ...own.view, ...ended, endedAt: clock.now() }
    tell()
    return own.view
  }

  return {
    async overview(who) {
      const active = await contexts.active(who.tenant)
      const templates = await templateNames(registry)
      const trees = new Map<string, Awaited<ReturnType<Conversations['tree']>>>()
      for (const { conversation } of active)
        if (!trees.has(conversation)) trees.set(conversation, await conversations.tree(who, conversation))
      const shown = active.map(async status => {
        const tree = trees.get(status.conversation)
        const usage = status.state === 'ready' || status.state === 'running' ? await contexts.usage(status) : null
        const image = contexts.facts(status)?.image
        return {
          status,
          conversation: tree?.ok ? tree.value.conversation.title : '',
          path: (tree?.ok && tree.value.paths.find(each => each.id === status.path)?.name) || '',
          template: image ? (templates.get(image) ?? null) : null,
          usage: usage?.ok ? usage.value : null,
        }
      })
      const pools = registry.all().flatMap(({ kind, pool }) => (pool ? [{ kind, ...pool() }] : []))
      return { active: await Promise.all(shown), pools }
    },

    images: () =>
      Promise.all(
        registry
          .all()
          .flatMap(({ kind, images }) =>
            images
              ? [
                  images
                    .list()
                    .then(listed =>
                      listed.ok
                        ? { kind, images: listed.value, problem: null }
                        : { kind, images: [], problem: listed.problem },
                    ),
                ]
              : [],
          ),
      ),

    building: who => (who.tenant === tenant ? (now?.view ?? null) : null),

    build(who, request, onStep = () => undefined) {
      if (who.tenant !== tenant) return notYours
      if (now?.view.state === 'running')
        return fail('conflict', `The image ${now.view.request.template} is being made.`, 'Wait for it, or stop it.')
      const view: BuildView = {
        ...{ request, state: 'running', done: 0, log: [], startedAt: clock.now() },
        ...{ endedAt: null, image: null, problem: null },
      }
      now = { view, stop: new AbortController() }
      const made = make(who, now, onStep)
      over = made.catch(() => undefined)
      tell()
      return ok({ view, over: made })
    },

    async cancelBuild(who) {
      if (who.tenant !== tenant || !now) return
      now.stop.abort()
      await over
    },

    async removeImage(who, kind, name) {
      if (who.tenant !== tenant) return notYours
      const store = registry.provider(kind)?.images
      if (!store) return noImages(kind)
      const removed = await store.remove(name)
      if (!removed.ok) return removed
      const details = { kind, image: name }
      await audit.record({ action: 'image.removed', tenant: who.tenant, actor: who.user, details })
      parts.changed(now?.view ?? null)
      return removed
    },

    async close() {
      now?.stop.abort()
      await over
      cancelTelling?.()
    },
  }
}

/** Which template a digest belongs to, also one that was made anew meanwhile. */
async function templateNames(registry: Pick<SandboxRegistry, 'all'>): Promise<Map<string, string>> {
  const all = await Promise.all(registry.all().map(provider => provider.templates?.() ?? []))
  return new Map(
    all.flat().flatMap(({ template, digest, before }) => [digest, ...before].map(each => [each, template] as const)),
  )
}

const notYours = fail(
  'access.denied',
  'The images of this installation belong to somebody else.',
  'Sign in as their owner.',
)

const noImages = (kind: SandboxKind): Outcome<never> =>
  fail('sandbox.unavailable', `There are no images for ${kind}.`, 'Choose another kind of sandbox.')
