import { create } from 'zustand'
import type { RequestId } from '../../src/contract/ids.ts'

/** What a reviewer has begun to write about a request: it outlives the dialog, which may close by itself. */
export interface ReviewDraft {
  readonly comment: string
  /** The code as the reviewer would have it; null while they only look. */
  readonly code: string | null
}

const none: ReviewDraft = { comment: '', code: null }

const useDrafts = create<{ drafts: ReadonlyMap<RequestId, ReviewDraft> }>(() => ({ drafts: new Map() }))

export const useDraft = (request: RequestId): ReviewDraft => useDrafts(state => state.drafts.get(request) ?? none)

export function changeDraft(request: RequestId, change: Partial<ReviewDraft>): void {
  useDrafts.setState(({ drafts }) => ({
    drafts: new Map(drafts).set(request, { ...(drafts.get(request) ?? none), ...change }),
  }))
}

export function dropDraft(request: RequestId): void {
  useDrafts.setState(({ drafts }) => {
    const rest = new Map(drafts)
    rest.delete(request)
    return { drafts: rest }
  })
}
