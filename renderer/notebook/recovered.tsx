import { useEffect, useRef } from 'react'
import type { Draft, OpenedPath } from '../../src/contract/conversations.ts'
import { client } from '../state/connection.ts'
import { showProblem, showToast } from '../state/toasts.ts'
import { windowName } from '../state/view.ts'
import { dateAndTime } from '../ui/when.ts'
import { select } from './actions.ts'
import { findItem } from './path-data.ts'
import { settle, typed } from './typing.ts'

/** Offers what was typed and never saved: the application was killed, or the machine lost power. */
export function useRecoveredDrafts({ path, drafts }: OpenedPath): void {
  const offered = useRef(new Set<string>())
  useEffect(() => {
    for (const draft of drafts) {
      const key = `${draft.item} ${draft.window}`
      if (draft.window === windowName || offered.current.has(key)) continue
      offered.current.add(key)
      const item = findItem(path.id, draft.item)
      if (!item || item.text === draft.text) {
        void client.paths.dropDraft(draft)
        continue
      }
      showToast({
        kind: 'info',
        text: `There is text that was never saved, from ${dateAndTime(draft.savedAt)}.`,
        hint:
          draft.text
            .split('\n')
            .find(line => line.trim())
            ?.slice(0, 80) ?? '',
        asks: true,
        action: { label: 'Restore', run: () => void restore(draft).catch(showProblem) },
      })
    }
  }, [path.id, drafts])
}

async function restore(draft: Draft): Promise<void> {
  const item = findItem(draft.path, draft.item)
  if (!item) return
  typed(draft.path, item, draft.text)
  await settle(draft.path)
  await client.paths.dropDraft(draft)
  select(item.id)
}
