import type { Analyses } from '../analyses/analyses.ts'
import type { Clock } from '../clock.ts'
import type { Contexts } from '../contexts/contexts.ts'
import type { ApprovalRequest } from '../contract/approval.ts'
import type { ChatEvent } from '../contract/chat.ts'
import type { PathRef } from '../contract/contexts.ts'
import type { RequestId, TenantId } from '../contract/ids.ts'
import type { Policy } from '../contract/policy.ts'
import type { Outcome, Problem } from '../contract/problem.ts'
import type { Settings } from '../contract/settings.ts'
import type { Caller, Conversations } from '../conversations/conversations.ts'
import type { Events } from '../events.ts'
import type { Ids } from '../ids.ts'
import type { Log } from '../log.ts'
import type { Privacy } from '../privacy/privacy.ts'
import type { Runs } from '../runs/runs.ts'
import type { Telemetry } from '../telemetry/telemetry.ts'
import type { Place } from './instructions.ts'
import type { Providers } from './providers.ts'
import type { ChatStore } from './store.ts'

/** What all of the chat works with. */
export interface Desk {
  readonly store: ChatStore
  readonly providers: Providers
  readonly conversations: Pick<
    Conversations,
    'allItems' | 'items' | 'insert' | 'edit' | 'removeItems' | 'locate' | 'tree' | 'rename' | 'output'
  >
  readonly contexts: Pick<Contexts, 'files' | 'variables' | 'table' | 'status'>
  readonly runs: Pick<Runs, 'start' | 'resume'>
  readonly request: (who: Caller, id: RequestId) => Promise<Outcome<ApprovalRequest>>
  readonly privacy: Pick<Privacy, 'egress' | 'forRecord' | 'restore' | 'restoring' | 'withLookAlikes'>
  readonly policy: () => Promise<Policy>
  readonly settings: () => Settings['chat']
  /** Where code of this path would run; a problem when no sandbox can be had. */
  readonly sandboxFor: (path: PathRef) => Promise<Outcome<Place>>
  readonly analyses: Pick<Analyses, 'cellFor' | 'search'>
  readonly measuring: Measuring
  readonly events: Pick<Events, 'publish' | 'listen'>
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
}

/** Spans and figures; never anything that was said. */
export type Measuring = Pick<Telemetry, 'span' | 'measure'>

export const tell = (desk: Pick<Desk, 'events'>, tenant: TenantId | null, event: ChatEvent): void =>
  desk.events.publish(tenant, { type: 'chat', event })

export const orProblem = <T>(outcome: Outcome<T>): T => {
  if (outcome.ok) return outcome.value
  throw new Refused(outcome.problem)
}

/** Ends an answer with a problem that somebody has put into words already. */
export class Refused extends Error {
  readonly problem: Problem
  constructor(problem: Problem) {
    super(problem.message)
    this.problem = problem
  }
}
