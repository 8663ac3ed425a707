import { useVirtualizer } from '@tanstack/react-virtual'
import { NotebookPen } from 'lucide-react'
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef } from 'react'
import type { Item, OpenedPath } from '../../src/contract/conversations.ts'
import type { ConversationId, PathId } from '../../src/contract/ids.ts'
import { Composer } from '../chat/composer.tsx'
import { useAsked, useLive } from '../chat/state.ts'
import { LiveTurn, useWrittenBehind } from '../chat/turn.tsx'
import { RenameConversation } from '../home/rename-dialog.tsx'
import { FetchData } from '../network/fetch-data.tsx'
import { useRuns } from '../state/runs.ts'
import { showProblem } from '../state/toasts.ts'
import { setView, useView } from '../state/view.ts'
import { usePathCommands } from '../tree/commands.ts'
import { Button } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { Keys } from '../ui/keys.tsx'
import { Loading } from '../ui/loading.tsx'
import { ProblemView } from '../ui/problem.tsx'
import { insertCell } from './actions.ts'
import { CellView } from './cell.tsx'
import { useNotebookCommands } from './commands.ts'
import { ConflictDialog } from './conflict.tsx'
import { type FollowedEnd, useFollowedEnd } from './followed-end.ts'
import { MessageView } from './message.tsx'
import styles from './notebook.module.css'
import { PasteTable } from './paste-table.tsx'
import { usePath } from './path-data.ts'
import { useRecoveredDrafts } from './recovered.tsx'
import { Restart } from './restart.tsx'
import { Restore } from './restore.tsx'
import { RunBar } from './run-bar.tsx'
import { settle } from './typing.ts'

/** What is said and run on a path, in order. Only the items in sight exist, so that a thousand cells scroll freely. */
export function Notebook({ conversation, path }: { conversation: ConversationId; path: PathId }) {
  const opened = usePath(path)
  useNotebookCommands(conversation, path)
  usePathCommands(conversation, path)
  useEffect(() => () => void settle(path), [path])
  if (opened.isError) return <ProblemView error={opened.error} onRetry={() => opened.refetch()} />
  if (!opened.data) return <Loading />
  return (
    <div className={styles.notebook}>
      <h1 className="visually-hidden">Path {opened.data.path.name}</h1>
      <RunBar conversation={conversation} path={path} opened={opened.data} />
      {opened.data.path.state === 'open' && <Restore path={path} opened={opened.data} />}
      <Restart path={path} />
      <FetchData path={path} />
      <RenameConversation conversation={conversation} />
      {opened.data.path.state === 'open' && <PasteTable path={path} />}
      <Items path={path} items={opened.data.items} readOnly={opened.data.path.state !== 'open'} />
      {opened.data.path.state === 'open' && <Composer conversation={conversation} path={path} />}
      <Recovery opened={opened.data} />
      <ConflictDialog />
    </div>
  )
}

/** What hangs on a path that is open. */
function Recovery({ opened }: { opened: OpenedPath }) {
  useRecoveredDrafts(opened)
  return null
}

function Items({ path, items, readOnly }: { path: PathId; items: readonly Item[]; readOnly: boolean }) {
  const scroller = useRef<HTMLDivElement>(null)
  const { selected, editing } = useView()
  // The same from one frame to the next: the places of all items would be made anew with each.
  const getItemKey = useCallback((index: number) => items[index]?.id ?? index, [items])
  const estimateSize = useCallback((index: number) => estimate(items[index]), [items])
  const list = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    getItemKey,
    estimateSize,
    overscan: 4,
    paddingStart: 8,
    paddingEnd: 48,
  })
  const end = useFollowedEnd(scroller, {
    page: path,
    selected,
    isWriting: () => useLive.getState().paths.has(path),
    // Else the list moves the page too, to keep what stands in it where it is.
    changed: follows => {
      list.shouldAdjustScrollPositionOnItemSizeChange = follows ? () => false : undefined
    },
  })
  useLayoutEffect(() => end.hold())
  const shown = useRef(selected)
  useSelectionInSight(items, index => {
    // The same one still, which has another place now or is drawn again: whoever reads the end is left there.
    if (end.follows && shown.current === selected) return
    shown.current = selected
    end.leave()
    list.scrollToIndex(index, { align: 'auto' })
  })
  useQuestionInSight(items, end)
  const writtenBehind = useWrittenBehind(path, items)
  useOutputInSight(path, scroller)
  return (
    <div ref={scroller} className={styles.scroller} data-testid="items">
      {items.length === 0 && <NothingYet path={path} readOnly={readOnly} />}
      <div className={styles.sheet} style={{ height: list.getTotalSize() }}>
        {list.getVirtualItems().map(({ key, index, start }) => {
          const item = items[index]
          if (!item) return null
          const isSelected = item.id === selected
          const common = { path, selected: isSelected, editing: isSelected && editing && !readOnly, readOnly }
          return (
            <div
              key={key}
              ref={list.measureElement}
              data-index={index}
              className={styles.row}
              style={{ translate: `0 ${start}px` }}
            >
              {item.kind === 'cell' ? (
                <CellView cell={item} place={index + 1} {...common} />
              ) : (
                <MessageView message={item} place={index + 1} {...common} />
              )}
              {item.id === writtenBehind && <LiveTurn path={path} items={items} end={null} />}
            </div>
          )
        })}
      </div>
      {writtenBehind === null && <LiveTurn path={path} items={items} end={end} />}
    </div>
  )
}

function NothingYet({ path, readOnly }: { path: PathId; readOnly: boolean }) {
  if (readOnly) return <Empty icon={<NotebookPen />} title="Nothing was written on this path" />
  return (
    <Empty icon={<NotebookPen />} title="Nothing is written on this path yet">
      <p>Ask a question or write a note below, or begin with code.</p>
      <Button onClick={() => void insertCell(path, null).catch(showProblem)}>
        Add a cell <Keys keys="B" />
      </Button>
    </Empty>
  )
}

/** Close enough that the scroll bar does not jump when the real size is known. */
function estimate(item: Item | undefined): number {
  if (!item) return 80
  const lines = item.text.split('\n').length
  return item.kind === 'message' ? 56 + lines * 21 : 72 + lines * 20 + (item.lastRun?.outputs.length ? 120 : 0)
}

/** Something is always selected, and a selection made elsewhere (search, undo) is scrolled to. */
function useSelectionInSight(items: readonly Item[], show: (index: number) => void): void {
  const selected = useView(view => view.selected)
  const at = items.findIndex(item => item.id === selected)
  const latest = useRef(show)
  latest.current = show
  const first = (items.find(item => item.kind === 'cell') ?? items[0])?.id
  useEffect(() => {
    if (at >= 0) latest.current(at)
    else if (first) setView({ selected: first })
  }, [at, first])
}

/** A question that was asked below lies at the end of a long path, where whoever asked it would not see it. */
function useQuestionInSight(items: readonly Item[], end: FollowedEnd): void {
  const asked = useAsked(({ question }) => question)
  const isThere = asked !== null && items.some(item => item.id === asked)
  useLayoutEffect(() => {
    if (!isThere) return
    end.follow()
    useAsked.setState({ question: null })
  }, [isThere, end])
}

/** The output of a cell that has just ended is brought into sight where it lies below the edge; nobody is moved upwards. */
function useOutputInSight(path: PathId, scroller: RefObject<HTMLDivElement | null>): void {
  const ended = useRuns(state => {
    const over = [...state.runs.values()].map(({ view }) => view).filter(view => view.path === path && view.cell)
    return over
      .filter(view => view.state === 'finished')
      .toSorted((a, b) => (b.finishedAt ?? 0) - (a.finishedAt ?? 0))[0]
  })
  const isOwn = useView(view => view.selected === ended?.cell)
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the end of a run is a reason to scroll
  useEffect(() => {
    const box = scroller.current
    const output = ended && isOwn && box?.querySelector(`[data-cell="${ended.cell}"] [data-testid="outputs"]`)
    if (!box || !output) return
    const below = output.getBoundingClientRect().bottom - box.getBoundingClientRect().bottom
    const room = output.getBoundingClientRect().top - box.getBoundingClientRect().top
    // Never so far that its own beginning goes out of sight.
    if (below > 0) box.scrollBy({ top: Math.min(below + 16, Math.max(0, room - 48)) })
  }, [ended?.run])
}
