import { Archive, Ellipsis, GitCompare, GitMerge, Hourglass, Pencil, Repeat2, Trash2, Undo2, Zap } from 'lucide-react'
import { type DragEvent, useState } from 'react'
import type { RequestSummary } from '../../src/contract/approval.ts'
import type { ContextStatus } from '../../src/contract/contexts.ts'
import type { PathSummary } from '../../src/contract/conversations.ts'
import type { ConversationId, PathId } from '../../src/contract/ids.ts'
import { timeLeft, useNow } from '../sandbox/badge.tsx'
import { isolationIcons } from '../sandbox/icons.ts'
import { showProblem } from '../state/toasts.ts'
import { openPath, setView, useView } from '../state/view.ts'
import { IconButton } from '../ui/button.tsx'
import { Menu, onRightClick } from '../ui/menu.tsx'
import { RiskMark } from '../ui/risk.tsx'
import { Tooltip } from '../ui/tooltip.tsx'
import { archivePath, compareWith, deletePath, renamePath, restorePath } from './actions.ts'
import type { TreeRow } from './layout.ts'
import styles from './path-tree.module.css'

interface PathRowProps {
  readonly row: TreeRow
  readonly top: number
  readonly conversation: ConversationId
  readonly main: PathId
  readonly current: boolean
  readonly folded: boolean
  readonly status: ContextStatus | null
  readonly waiting: readonly RequestSummary[]
  readonly renaming: boolean
  /** There is a path that it can be merged into. */
  readonly mergeable: boolean
  onFold(closed: boolean): void
  onRename(on: boolean): void
}

const dragKind = 'application/x-countersign-path'

export function PathRow(props: PathRowProps) {
  const { row, conversation, current, folded, status, waiting, renaming } = props
  const { path, level, guides, isLast } = row
  const [over, setOver] = useState(false)
  const state = status?.state ?? 'none'
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the tree has the focus and names its active row
    <div
      id={`path-${path.id}`}
      role="treeitem"
      aria-level={level + 1}
      aria-posinset={row.place}
      aria-setsize={row.siblings}
      aria-selected={current}
      {...(row.children > 0 ? { 'aria-expanded': !folded } : {})}
      aria-label={spoken(path, status, waiting.length)}
      className={[styles.row, current && styles.current, over && styles.over, path.state !== 'open' && styles.archived]
        .filter(Boolean)
        .join(' ')}
      style={{ translate: `0 ${props.top}px` }}
      onContextMenu={onRightClick}
      draggable={!renaming}
      onDragStart={event => event.dataTransfer.setData(dragKind, path.id)}
      onDragOver={(event: DragEvent) => {
        if (!event.dataTransfer.types.includes(dragKind)) return
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event: DragEvent) => {
        setOver(false)
        const source = event.dataTransfer.getData(dragKind) as PathId
        if (source && source !== path.id) setView({ merge: { source, target: path.id } })
      }}
    >
      <Lines guides={guides} level={level} isLast={isLast} />
      <button
        type="button"
        tabIndex={-1}
        className={styles.knob}
        aria-hidden
        onClick={() => row.children > 0 && props.onFold(!folded)}
      >
        <span className={`${styles.dot} ${styles[state]} ${folded ? styles.closed : ''}`} />
      </button>
      {renaming ? (
        <NameField
          name={path.name}
          onDone={name => {
            props.onRename(false)
            if (name && name !== path.name) void renamePath(conversation, path.id, name).catch(showProblem)
          }}
        />
      ) : (
        <button
          type="button"
          tabIndex={-1}
          className={styles.name}
          title={path.name}
          onClick={() => openPath(conversation, path.id)}
          onDoubleClick={() => props.onRename(true)}
        >
          {path.name}
        </button>
      )}
      {path.withState && (
        <Tooltip text="Started from a copy of its parent’s variables and files">
          <Zap className={styles.mark} aria-label="with state" />
        </Tooltip>
      )}
      {path.risk && path.risk !== 'low' && (
        <Tooltip text={`Highest risk that has run here: ${path.risk}`}>
          <span className={styles.risk}>
            <RiskMark level={path.risk} />
          </span>
        </Tooltip>
      )}
      {waiting.length > 0 && (
        <Tooltip
          text={`${waiting.length} waiting for review: ${waiting.map(request => `${request.risk} risk`).join(', ')}`}
        >
          <button
            type="button"
            tabIndex={-1}
            className={`${styles.badge} ${styles[worst(waiting)]}`}
            onClick={() => setView({ place: 'review', request: waiting[0]?.id ?? null })}
          >
            <Hourglass aria-hidden />
            {waiting.length}
          </button>
        </Tooltip>
      )}
      <Isolated status={status} />
      <TimeLeft status={status} />
      <RowMenu {...props} />
    </div>
  )
}

const order = ['low', 'medium', 'high', 'critical'] as const
const worst = (requests: readonly RequestSummary[]) =>
  requests.map(request => request.risk).sort((a, b) => order.indexOf(b) - order.indexOf(a))[0] ?? 'low'

/** What stands between the code of a path and this machine, while its sandbox is there. */
function Isolated({ status }: { status: ContextStatus | null }) {
  const isolation = status?.sandbox?.isolation
  if (!isolation || (status.state !== 'ready' && status.state !== 'running')) return null
  const open = isolation === 'unconfined'
  const Icon = isolationIcons[isolation]
  return (
    <Tooltip text={open ? 'Unconfined: code here can do what you can' : `Isolation: ${isolation}`}>
      <Icon className={`${styles.lock} ${open ? styles.open : ''}`} role="img" aria-label={isolation} />
    </Tooltip>
  )
}

function TimeLeft({ status }: { status: ContextStatus | null }) {
  const now = useNow(30_000)
  const left = status && timeLeft(status, now)
  return left ? <span className={styles.left}>{left}</span> : null
}

/** The lines that make it a tree: past later siblings, and into this row. */
function Lines({ guides, level, isLast }: { guides: readonly boolean[]; level: number; isLast: boolean }) {
  const step = 16
  return (
    <svg className={styles.lines} width={8 + level * step + 8} height="30" aria-hidden>
      {guides
        .slice(1)
        .flatMap((passes, index) => (passes ? [16 + index * step] : []))
        .map(x => (
          <line key={x} x1={x} x2={x} y1="0" y2="30" />
        ))}
      {level > 0 && (
        <>
          <line x1={16 + (level - 1) * step} x2={16 + (level - 1) * step} y1="0" y2={isLast ? 15 : 30} />
          <line x1={16 + (level - 1) * step} x2={16 + level * step - 4} y1="15" y2="15" />
        </>
      )}
    </svg>
  )
}

function NameField({ name, onDone }: { name: string; onDone(name: string | null): void }) {
  return (
    <input
      className={styles.field}
      aria-label="Name of the path"
      defaultValue={name}
      maxLength={200}
      ref={element => {
        element?.focus()
        element?.select()
      }}
      onBlur={event => onDone(event.target.value.trim())}
      onKeyDown={event => {
        event.stopPropagation()
        if (event.key === 'Enter') onDone(event.currentTarget.value.trim())
        if (event.key === 'Escape') onDone(null)
      }}
    />
  )
}

function RowMenu({ row: { path }, conversation, main, mergeable, onRename }: PathRowProps) {
  const here = useView(view => view.path)
  const open = path.state === 'open'
  return (
    <span className={styles.menu}>
      <Menu
        main
        trigger={<IconButton label={`Actions for ${path.name}`} tabIndex={-1} icon={<Ellipsis />} />}
        items={[
          { label: 'Rename', icon: <Pencil />, keys: 'F2', onSelect: () => setTimeout(() => onRename(true)) },
          {
            label: 'Compare with the open path',
            icon: <GitCompare />,
            disabled: here === path.id || !here,
            onSelect: () => here && compareWith(conversation, here, path.id),
          },
          {
            label: 'Merge into another…',
            icon: <GitMerge />,
            disabled: !open || !mergeable,
            onSelect: () => setView({ merge: { source: path.id, target: null } }),
          },
          {
            label: 'Replay and compare',
            icon: <Repeat2 />,
            onSelect: () => {
              openPath(conversation, path.id)
              setView({ replay: path.id })
            },
          },
          'line',
          open
            ? {
                label: 'Archive',
                icon: <Archive />,
                disabled: path.id === main,
                onSelect: () => void archivePath(conversation, path).catch(showProblem),
              }
            : {
                label: 'Take out of the archive',
                icon: <Undo2 />,
                onSelect: () => void restorePath(conversation, path.id).catch(showProblem),
              },
          {
            label: 'Delete',
            icon: <Trash2 />,
            danger: true,
            disabled: path.id === main,
            onSelect: () => void deletePath(conversation, path, main).catch(showProblem),
          },
        ]}
      />
    </span>
  )
}

/** What a screen reader says of the row. */
function spoken({ name, state, risk }: PathSummary, status: ContextStatus | null, waiting: number): string {
  const parts = [name]
  if (state !== 'open') parts.push(state)
  if (risk && risk !== 'low') parts.push(`${risk} risk`)
  if (status && status.state !== 'none') parts.push(`sandbox ${status.state}`, status.sandbox?.isolation ?? '')
  if (waiting > 0) parts.push(`${waiting} waiting for review`)
  return parts.filter(Boolean).join(', ')
}
