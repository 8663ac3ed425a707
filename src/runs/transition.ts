import type { RequestId } from '../contract/ids.ts'
import type { Inspection } from '../contract/inspection.ts'
import type { Problem } from '../contract/problem.ts'
import type { RunOutcome } from '../contract/run.ts'
import { type Held, isAtRest, type RunView } from '../contract/runs.ts'
import type { DraftRun } from './run.ts'

/** What happens to a run on its way; `returned`: it is placed once more. The last five bring it to rest. */
export type RunEvent =
  | { readonly type: 'inspected'; readonly inspection: Inspection }
  | { readonly type: 'placed'; readonly network: readonly string[] }
  | { readonly type: 'resumed'; readonly request: RequestId }
  | { readonly type: 'cleared' }
  | { readonly type: 'returned' }
  | { readonly type: 'begun'; readonly at: number }
  | { readonly type: 'narrowed'; readonly network: readonly string[] }
  | { readonly type: 'asked'; readonly request: RequestId }
  | { readonly type: 'held'; readonly held: Held }
  | { readonly type: 'finished'; readonly outcome: RunOutcome; readonly at: number }
  | { readonly type: 'refused'; readonly problem: Problem; readonly at: number }
  | { readonly type: 'failed'; readonly problem: Problem; readonly at: number }

export const viewOf = (draft: DraftRun): RunView => ({
  run: draft.id,
  conversation: draft.conversation,
  path: draft.path,
  cell: draft.cell,
  language: draft.language,
  createdAt: draft.createdAt,
  risk: null,
  inspection: null,
  request: null,
  state: 'inspecting',
  ...nothingYet,
})

const nothingYet = { held: null, problem: null, outcome: null, startedAt: null, finishedAt: null } as const

/** The next view of a run, or null where it cannot take that step. What has come to rest never changes again. */
export function transitionRun(view: RunView, event: RunEvent): RunView | null {
  if (isAtRest(view.state)) return null
  const { state: _state, held: _held, problem: _problem, outcome: _outcome, finishedAt: _finishedAt, ...about } = view
  switch (event.type) {
    case 'inspected':
      if (view.state !== 'inspecting') return null
      return { ...view, risk: event.inspection.risk, inspection: event.inspection }
    case 'placed':
      return view.state === 'inspecting' ? { ...view, network: [...event.network] } : null
    case 'resumed':
      return view.state === 'inspecting' ? { ...view, request: event.request } : null
    case 'cleared':
      return view.state === 'inspecting' ? { ...about, ...nothingYet, state: 'queued' } : null
    case 'returned':
      return view.state === 'queued' ? { ...about, ...nothingYet, state: 'inspecting' } : null
    case 'begun':
      return view.state === 'queued' ? { ...about, ...nothingYet, state: 'running', startedAt: event.at } : null
    case 'narrowed':
      return view.state === 'running' ? { ...view, network: [...event.network] } : null
    case 'asked':
      if (view.state !== 'inspecting') return null
      return { ...about, ...nothingYet, state: 'waiting', request: event.request }
    case 'held':
      return view.state === 'inspecting' ? { ...about, ...nothingYet, state: 'held', held: event.held } : null
    case 'finished': {
      if (view.state !== 'running') return null
      const { outcome, at } = event
      return { ...about, ...nothingYet, state: 'finished', outcome, startedAt: view.startedAt, finishedAt: at }
    }
    case 'refused':
    case 'failed': {
      const { type: state, problem, at } = event
      return { ...about, ...nothingYet, state, problem, startedAt: view.startedAt, finishedAt: at }
    }
  }
}
