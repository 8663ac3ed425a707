import type { Contexts } from './contexts/contexts.ts'
import type { Caller } from './contract/caller.ts'
import type { ContextStatus, PathRef } from './contract/contexts.ts'
import type { Environment, SandboxChoice } from './contract/placement.ts'
import { type IsolationRules, tooWeak } from './contract/policy.ts'
import { fail, type Outcome } from './contract/problem.ts'
import { Language, type Limits, type SandboxKind } from './contract/run.ts'
import type { Conversations } from './conversations/conversations.ts'
import { environmentIn, type Runs } from './runs/runs.ts'
import type { SandboxRegistry } from './sandbox/registry.ts'

/** Moves paths from one kind of sandbox to another by hand, as far as machine and policy allow. */
export interface Moving {
  /** Every kind with what it gives here, and why one cannot be had. */
  choices(): Promise<SandboxChoice[]>
  move(who: Caller, path: PathRef, kind: SandboxKind, template?: string): Promise<Outcome<ContextStatus>>
  /** Runs again, in order, the cells that had run on the path; stops at the first that does not succeed. */
  replay(who: Caller, path: PathRef): Promise<void>
}

interface Parts {
  readonly registry: Pick<SandboxRegistry, 'examined'>
  readonly contexts: Pick<Contexts, 'move'>
  readonly conversations: Pick<Conversations, 'open'>
  readonly runs: Pick<Runs, 'start'>
  readonly policy: () => Promise<IsolationRules>
  readonly limits: () => Limits
  readonly environment: (path: PathRef) => Promise<Outcome<Environment>>
}

export function createMoving({ registry, contexts, conversations, runs, policy, limits, environment }: Parts): Moving {
  const choices: Moving['choices'] = async () => {
    const now = await policy()
    return (await registry.examined()).map(each => {
      const { detail, hint } = each
      const reason = each.available
        ? tooWeak(now, 'low', each.isolation)
        : [sentence(detail), hint].filter(Boolean).join(' ')
      return { ...each, missing: reason }
    })
  }
  return {
    choices,

    async move(who, path, kind, template) {
      const choice = (await choices()).find(each => each.kind === kind)
      if (!choice || choice.missing !== null) {
        const why = choice?.missing ?? 'It is not set up here.'
        return fail('sandbox.unavailable', `The path cannot be moved to ${kind}. ${why}`, 'It stays where it is.')
      }
      const made = choice.templates?.find(each => each.template === template)
      if (template !== undefined && !made)
        return fail(
          'not-found',
          `There is no ${kind} image for the template ${template}.`,
          `Make it: countersign sandbox build --template ${template}.`,
        )
      const { isolation, image: usual } = choice
      const image = made?.digest ?? usual
      const chosen = await environment(path)
      if (kind === 'local' && !chosen.ok) return chosen
      const inside = environmentIn(kind, chosen)
      const facts = { kind, isolation, image, environment: inside.environment, mounts: [] }
      const given = {
        network: [],
        limits: limits(),
        aside: false,
        reasons: ['The path was moved by hand.'],
        warnings: inside.warnings,
      }
      return contexts.move(path, { ...facts, ...given }, who.user)
    },

    async replay(who, { path }) {
      for (let cursor: { version: number; offset: number } | null | undefined; cursor !== null; ) {
        const opened = await conversations.open(who, { path, ...(cursor ? { cursor } : {}) })
        if (!opened.ok) return
        for (const item of opened.value.items) {
          if (item.kind !== 'cell' || !item.lastRun?.run || !Language.safeParse(item.language).success) continue
          const started = await runs.start(who, { path, cell: item.id, revision: item.revision })
          const view = started.ok ? await started.value.rest : null
          if (!view?.outcome?.success) return
        }
        cursor = opened.value.next
      }
    },
  }
}

/** Back ends say what is missing in a few words; here a hint stands behind them. */
const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/[.\s]+$/, '')}.`
