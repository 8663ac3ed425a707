import type { Clock } from '../clock.ts'
import type { Contexts } from '../contexts/contexts.ts'
import type { ApprovalRequest } from '../contract/approval.ts'
import type { ChatEvent, ForceTool } from '../contract/chat.ts'
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
import type { Attributes, MetricName, SpanName } from '../telemetry/telemetry.ts'
import type { Providers } from './providers.ts'
import type { ChatStore } from './store.ts'

/** What all of the chat works with. */
export interface Desk {
  readonly store: ChatStore
  readonly providers: Providers
  readonly conversations: Pick<
    Conversations,
    'open' | 'items' | 'insert' | 'edit' | 'removeItems' | 'locate' | 'tree' | 'rename'
  >
  readonly contexts: Pick<Contexts, 'files' | 'variables' | 'table' | 'status'>
  readonly runs: Pick<Runs, 'start' | 'resume'>
  readonly request: (who: Caller, id: RequestId) => Promise<Outcome<ApprovalRequest>>
  readonly privacy: Pick<Privacy, 'egress' | 'forRecord' | 'restoring'>
  readonly policy: () => Promise<Policy>
  readonly settings: () => Settings['chat']
  /** Where code of this path would run, in words; a problem when no sandbox can be had. */
  readonly sandboxFor: (path: PathRef) => Promise<Outcome<string>>
  readonly analyses: Analyses | null
  readonly measuring: Measuring
  readonly events: Pick<Events, 'publish' | 'listen'>
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
}

/** The catalogue of calculations, where it is installed. */
export interface Analyses {
  /** The code of a cell that carries out an analysis. */
  cellFor(
    request: Pick<Extract<ForceTool, { tool: 'run_analysis' }>, 'type' | 'parameters' | 'code' | 'format'>,
  ): Outcome<{ language: 'python'; code: string; title: string }>
  search(text: string): readonly { id: string; title: string }[]
}

/** Spans and figures; never anything that was said. */
export interface Measuring {
  span<T>(name: SpanName, attributes: Attributes, work: () => Promise<T>): Promise<T>
  measure(name: MetricName, value: number, attributes?: Attributes): void
}

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
