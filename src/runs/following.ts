import type { Approval, CodeNow } from '../approval/approval.ts'
import type { ApprovalRequest } from '../contract/approval.ts'
import type { CellId } from '../contract/ids.ts'
import { type Problem, problem, problemOf } from '../contract/problem.ts'
import type { CellNow, Conversations, ConversationsOptions, PathEnd } from '../conversations/conversations.ts'

interface Parts {
  readonly requests: Pick<Approval['requests'], 'cellsChanged' | 'pathEnded'>
  readonly cellNow: Conversations['cellNow']
  readonly onProblem: (problem: Problem) => void
}

/**
 * Voids approvals by what the tree of paths says has changed, and not by which operation changed it: an undo, a merge
 * or an operation that is yet to be written takes code out of a cell as surely as an edit does.
 */
export function voidWhatChanged({
  requests,
  cellNow,
  onProblem,
}: Parts): Required<Pick<ConversationsOptions, 'pathChanged' | 'pathEnded'>> {
  // The operation itself is done. An approval that could not be voided is compared with its cell before it runs.
  const tried = (work: Promise<unknown>) => work.then(() => undefined).catch(error => onProblem(problemOf(error)))
  return {
    pathChanged: async (who, { path, items }) => {
      if (path === null) return
      const now = async (cell: CellId) => codeOf(await cellNow(who, path, cell))
      await tried(requests.cellsChanged({ tenant: who.tenant, by: who.user, path, cells: items, now }))
    },
    pathEnded: (who, _conversation, path, why) =>
      tried(requests.pathEnded({ tenant: who.tenant, by: who.user, path, how: ends[why] })),
  }
}

const ends: Record<PathEnd, string> = { merged: 'was merged', archived: 'was archived', deleted: 'was deleted' }

const codeOf = (now: CellNow): CodeNow => (now.kind === 'cell' ? { code: now.text, language: now.language } : null)

/** Why an approved run must not go on: the last look, for whatever happened between the decision and now. */
export function departed({ code, language }: ApprovalRequest, now: CellNow): Problem | null {
  switch (now.kind) {
    case 'beside':
      return null
    case 'gone':
      return notThere(`The ${now.what} of this code is gone, so its approval does not count any more.`)
    case 'cell':
      if (now.language !== language)
        return notThere(`The cell is in ${now.language} now, and ${language} was approved.`)
      return now.text === code ? null : notThere('The cell says something else now than what was approved.')
  }
}

const notThere = (message: string): Problem =>
  problem('approval.voided', message, 'Nothing was run. Run it again to ask anew.')
