import { join } from 'node:path'
import { chromiumPrinter } from '../audit/audit.ts'
import { Confidential, markConfidential } from '../chat/chat.ts'
import { createContexts, thisProcess } from '../contexts/contexts.ts'
import type { PathRef } from '../contract/contexts.ts'
import type { BackEnd } from '../contract/placement.ts'
import { problemOf } from '../contract/problem.ts'
import { createConversations } from '../conversations/conversations.ts'
import { createEnvironments } from '../environments/environments.ts'
import { createFigures } from '../figures/figures.ts'
import { placeForFiles, pruneOutputs, type Surroundings, voidWhatChanged } from '../runs/runs.ts'
import type { BackEnds } from './back-ends.ts'
import type { EngineOptions, Foundation } from './foundation.ts'

const minute = 60_000

export type Paths = ReturnType<typeof createPaths>

/** Paths and what belongs to each: its cells, its sandbox, its environment and its figures. */
export function createPaths(
  foundation: Foundation,
  { registry, cloud }: Pick<BackEnds, 'registry' | 'cloud'>,
  options: Pick<EngineOptions, 'printPdf'>,
) {
  const { home, env, clock, ids, keys, settings, storage, audit, tenant } = foundation
  const { approval, files, guard, limits, onProblem, ownPython, policy, privacy, seals } = foundation
  /** `agreed`: the path whose leave to go to the cloud counts. */
  const surroundings = async (path: PathRef, agreed = path): Promise<Surroundings> => {
    // Side by side: an assistant's first word waits for this.
    const [now, grants, [backEnds, environment], isAgreed, before, image] = await Promise.all([
      policy(),
      approval.pathGrants(path),
      // After the back ends: a first look at them takes seconds, and packages that come in between are to be seen.
      registry.backEnds().then(async found => [found, await environments.of(path.tenant, path.conversation)] as const),
      cloud.isAgreed(agreed),
      contexts.last(path),
      contexts.imageUsed(path),
    ])
    return {
      policy: now,
      type: settings.current.sandbox.type,
      granted: grants.map(({ rule }) => rule),
      environment,
      backEnds: withConsent(backEnds, isAgreed),
      current: contexts.facts(path),
      before,
      image,
    }
  }
  const self = thisProcess()
  const contexts = createContexts({
    ...{ owner: self, storage, audit, files, keys, clock, ids },
    provider: kind => registry.provider(kind) ?? null,
    cutPlace: privacy.cutPlace,
    placeForFiles: async path => placeForFiles(limits(), await surroundings(path)),
    limits: {
      sweepEveryMs: settings.current.cloud.cleanupMinutes * minute,
      timesOf: kind =>
        kind === 'e2b'
          ? {
              idleMs: settings.current.cloud.ttlMinutes * minute,
              pausedMs: settings.current.cloud.pausedDays * 24 * 60 * minute,
            }
          : {},
    },
    onProblem,
    prune: () => prune(),
  })
  const conversations = createConversations({
    ...{ storage, audit, clock, ids },
    templates: join(home, 'templates'),
    copying: async (who, from) => {
      const [values, isConfidential] = await Promise.all([
        privacy.copying(from),
        new Confidential(storage, audit).is(from),
      ])
      return async (transaction, conversation) => {
        await values(transaction, conversation)
        if (isConfidential) await markConfidential(transaction, audit, who, { conversation, confidential: true })
      }
    },
    pathErased: (transaction, path) => files.drop(transaction, path),
    dependencies: (code, language) => guard.dependencies(code, language),
    redact: (_who, conversation, texts, to) => privacy.forExport(conversation, texts, to),
    pathChanged: (who, change) => voiding.pathChanged(who, change),
    pathEnded: (who, conversation, path, why) => {
      void contexts
        .end({ tenant: who.tenant, conversation, path }, why === 'merged' ? 'merged' : 'manual', who.user)
        .catch(error => onProblem(problemOf(error)))
      return voiding.pathEnded(who, conversation, path, why)
    },
  })
  const voiding = voidWhatChanged({
    requests: approval.requests,
    cellNow: conversations.cellNow,
    onProblem,
  })
  const prune = () => pruneOutputs({ folder: join(home, 'outputs'), clock, shown: conversations.shownRuns })
  const environments = createEnvironments({
    ...{ storage, audit, clock, home, env, tenant, conversations, seal: seals.environments },
    own: async () => {
      const found = await ownPython()
      return found && { executable: found.executable, release: found.release, folders: found.packages }
    },
    usual: () => settings.current.sandbox.environment,
    endSandboxes: (who, of) => contexts.endConversation(who.tenant, of, 'moved', who.user),
  })
  const printPdf = options.printPdf ?? chromiumPrinter(env)
  const figures = createFigures({
    ...{ conversations, audit, files, storage, printPdf, identities: approval.identities },
    now: () => clock.now(),
    passEgress: (conversation, texts, to) => privacy.forExport(conversation, texts, to),
  })
  return { self, surroundings, contexts, conversations, environments, figures, printPdf, prune }
}

/** Why a path has no cloud, and what to do about it. */
export const notAgreed = {
  detail: 'Nobody has let this path go to the cloud.',
  hint: 'Choose the cloud at the path’s sandbox badge, which shows what would leave.',
}

/** A path that nobody let go to the cloud has none, whatever settings and policy say. */
const withConsent = (backEnds: readonly BackEnd[], isAgreed: boolean): BackEnd[] =>
  backEnds.map(each => (each.isolation === 'cloud' && !isAgreed ? { ...each, available: false, ...notAgreed } : each))
