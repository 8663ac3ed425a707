import { useQuery } from '@tanstack/react-query'
import { useVirtualizer } from '@tanstack/react-virtual'
import { GitBranch } from 'lucide-react'
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react'
import type { ConversationId, PathId } from '../../src/contract/ids.ts'
import { runCommand } from '../commands/commands.ts'
import { waitingIn } from '../review/waiting.ts'
import { rpc } from '../state/queries.ts'
import { openPath, setView, useView } from '../state/view.ts'
import { IconButton } from '../ui/button.tsx'
import { Loading } from '../ui/loading.tsx'
import { ProblemView } from '../ui/problem.tsx'
import { layOut } from './layout.ts'
import { targetsOf } from './merged.ts'
import { PathRow } from './path-row.tsx'
import styles from './path-tree.module.css'

const rowHeight = 30

/** Where am I: the paths of a conversation, drawn as the tree that they are, each with the state of its sandbox. */
export function PathTree({ conversation, path }: { conversation: ConversationId; path: PathId | null }) {
  const tree = useQuery(rpc.conversations.tree.queryOptions({ input: conversation }))
  const statuses = useQuery(rpc.sandbox.statuses.queryOptions({ input: conversation })).data ?? noStatuses
  const waiting = useQuery(waitingIn(conversation)).data ?? noRequests
  const [folded, setFolded] = useState<ReadonlySet<PathId>>(new Set())
  const renaming = useView(view => view.renaming)
  const setRenaming = (id: PathId | null) => setView({ renaming: id })
  const rows = useMemo(() => layOut(tree.data?.paths ?? [], folded), [tree.data, folded])
  const scroller = useRef<HTMLDivElement>(null)
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 10,
  })
  const at = rows.findIndex(row => row.path.id === path)
  useEffect(() => {
    // One that was just branched, or chosen elsewhere, may lie outside what is seen of a large tree.
    if (at >= 0) list.scrollToIndex(at, { align: 'auto' })
  }, [at, list])
  if (tree.isError) return <ProblemView error={tree.error} onRetry={() => tree.refetch()} />
  if (!tree.data) return <Loading />

  const go = (index: number) => {
    const row = rows[Math.max(0, Math.min(rows.length - 1, index))]
    if (row) openPath(conversation, row.path.id)
  }
  const fold = (id: PathId, closed: boolean) =>
    setFolded(before => {
      const next = new Set(before)
      if (closed) next.add(id)
      else next.delete(id)
      return next
    })
  const onKeyDown = (event: KeyboardEvent) => {
    const row = rows[at]
    if (renaming || !row) return
    const keys: Record<string, () => void> = {
      ArrowDown: () => go(at + 1),
      ArrowUp: () => go(at - 1),
      Home: () => go(0),
      End: () => go(rows.length - 1),
      ArrowRight: () => (folded.has(row.path.id) ? fold(row.path.id, false) : go(at + 1)),
      ArrowLeft: () =>
        row.children > 0 && !folded.has(row.path.id)
          ? fold(row.path.id, true)
          : go(rows.findIndex(each => each.path.id === row.path.shownUnder)),
      F2: () => setRenaming(row.path.id),
      Delete: () => runCommand('path.delete'),
    }
    const act = keys[event.key]
    if (!act) return
    event.preventDefault()
    event.stopPropagation()
    act()
  }
  return (
    <div className={styles.panel}>
      <header className={styles.header}>
        <h2>Paths</h2>
        <IconButton
          label="Branch from the selected item"
          keys="Mod+Shift+B"
          icon={<GitBranch />}
          onClick={() => runCommand('path.branch')}
        />
      </header>
      <div
        ref={scroller}
        className={styles.tree}
        role="tree"
        aria-label="Paths of this conversation"
        tabIndex={0}
        aria-activedescendant={path ? `path-${path}` : undefined}
        onKeyDown={onKeyDown}
      >
        <div role="presentation" style={{ position: 'relative', height: list.getTotalSize() }}>
          {list.getVirtualItems().map(({ index, start }) => {
            const row = rows[index]
            if (!row) return null
            return (
              <PathRow
                key={row.path.id}
                row={row}
                top={start}
                conversation={conversation}
                main={tree.data.conversation.main}
                current={row.path.id === path}
                folded={folded.has(row.path.id)}
                status={statuses.find(status => status.path === row.path.id) ?? null}
                waiting={waiting.filter(request => request.path === row.path.id)}
                renaming={renaming === row.path.id}
                mergeable={targetsOf(row.path, tree.data.paths).length > 0}
                onFold={closed => fold(row.path.id, closed)}
                onRename={on => setRenaming(on ? row.path.id : null)}
              />
            )
          })}
        </div>
      </div>
    </div>
  )
}

const noStatuses: never[] = []
const noRequests: never[] = []
