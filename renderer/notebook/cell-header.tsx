import { useQuery } from '@tanstack/react-query'
import { ChevronDown, CircleAlert, Ellipsis, GitBranch, GripVertical, Hourglass, Play, Square, X } from 'lucide-react'
import type { RequestSummary } from '../../src/contract/approval.ts'
import type { Cell, OutputView } from '../../src/contract/conversations.ts'
import type { PathId } from '../../src/contract/ids.ts'
import { languages, type RunError } from '../../src/contract/run.ts'
import type { LiveRun } from '../../src/contract/runs.ts'
import { runCommand } from '../commands/commands.ts'
import { failureWord } from '../output/error.tsx'
import { useWaitingFor } from '../review/waiting.ts'
import { useNow } from '../sandbox/badge.tsx'
import { client } from '../state/connection.ts'
import { rpc } from '../state/queries.ts'
import { isResting } from '../state/runs.ts'
import { showProblem } from '../state/toasts.ts'
import { setView } from '../state/view.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Menu } from '../ui/menu.tsx'
import { Risk } from '../ui/risk.tsx'
import { endWord } from '../ui/run-end.ts'
import { Tooltip } from '../ui/tooltip.tsx'
import { dateAndTime } from '../ui/when.ts'
import { changeLanguage, keepResult, runItem, select } from './actions.ts'
import styles from './cell-header.module.css'
import { dragHandlers } from './drag.ts'
import { looksLike } from './looks-like.ts'
import { cellsBefore } from './restoring.ts'
import { useSeries } from './series.ts'

interface HeaderProps {
  readonly path: PathId
  readonly cell: Cell
  readonly live: LiveRun | null
  readonly readOnly: boolean
  readonly selected: boolean
}

/** Language on the left; on the right how the cell stands: running, waiting, or what its last run was. */
export function CellHeader({ path, cell, live, readOnly, selected }: HeaderProps) {
  const busy = live !== null && !isResting(live.view)
  const kept = useQuery(rpc.runs.kept.queryOptions()).data?.includes(cell.id) ?? false
  const other = looksLike(cell.text, cell.language)
  const isMarkdown = cell.language === 'markdown'
  const on = (command: Parameters<typeof runCommand>[0]) => () => {
    select(cell.id)
    runCommand(command)
  }
  return (
    <header className={selected ? `${styles.header} ${styles.selected}` : styles.header}>
      {!readOnly && (
        <span className={styles.grip} title="Drag to reorder" {...dragHandlers(cell.id)}>
          <GripVertical aria-hidden />
        </span>
      )}
      {!isMarkdown &&
        !readOnly &&
        (busy ? (
          <IconButton
            label="Stop"
            keys="I I"
            icon={<Square />}
            onClick={() =>
              void (
                live.view.state === 'running' ? client.sandbox.interrupt(path) : client.runs.cancel(live.view.run)
              ).catch(showProblem)
            }
          />
        ) : (
          <IconButton
            label="Run"
            keys="Shift+Enter"
            icon={<Play />}
            onClick={() => void runItem(path, cell.id).catch(showProblem)}
          />
        ))}
      <Menu
        trigger={
          <button type="button" className={styles.language} disabled={readOnly}>
            {cell.language}
            {!readOnly && <ChevronDown aria-hidden />}
          </button>
        }
        items={[...languages, 'markdown'].map(language => ({
          label: language,
          onSelect: () => void changeLanguage(path, cell.id, language).catch(showProblem),
        }))}
      />
      {other !== null && !readOnly && (
        <button
          type="button"
          className={styles.other}
          onClick={() => void changeLanguage(path, cell.id, other).catch(showProblem)}
        >
          looks like {other}: change it
        </button>
      )}
      <span className={styles.space} />
      {!isMarkdown && <Standing path={path} cell={cell} live={live} />}
      <span className={styles.tools}>
        <IconButton label="Branch from here" keys="Mod+Shift+B" icon={<GitBranch />} onClick={on('path.branch')} />
        <Menu
          main
          trigger={<IconButton label="More" icon={<Ellipsis />} />}
          items={[
            { label: 'Run to here', onSelect: on('cell.run.here') },
            { label: 'Run all above', onSelect: on('cell.run.above') },
            { label: 'Insert above', keys: 'A', disabled: readOnly, onSelect: on('cell.insert.above') },
            { label: 'Insert below', keys: 'B', disabled: readOnly, onSelect: on('cell.insert.below') },
            'line',
            { label: 'Branch with variables and files', onSelect: on('path.branch.state') },
            { label: 'Fold or unfold', keys: 'O', onSelect: on('cell.fold') },
            { label: 'Format', keys: 'Shift+Alt+F', disabled: readOnly, onSelect: on('cell.format') },
            { label: 'What would be sent', onSelect: on('privacy.sending') },
            { label: 'Pin a figure…', keys: 'P', onSelect: on('figure.pin') },
            {
              label: kept ? 'Do not keep its result' : 'Keep its result while nothing changes',
              disabled: readOnly || isMarkdown,
              onSelect: () => void keepResult(path, cell.id, !kept).catch(showProblem),
            },
            { label: 'Clear output', disabled: readOnly, onSelect: on('cell.clear') },
            'line',
            { label: 'Delete', keys: 'D D', danger: true, disabled: readOnly, onSelect: on('cell.delete') },
          ]}
        />
      </span>
    </header>
  )
}

function Standing({ path, cell, live }: { path: PathId; cell: Cell; live: LiveRun | null }) {
  const request = useWaitingFor(path, cell.id)
  const series = useSeries(path)
  const isNext = series?.state === 'running' && series.waiting.includes(cell.id)
  const { data: status } = useQuery(rpc.sandbox.status.queryOptions({ input: path }))
  if (live && live.view.run !== cell.lastRun?.run && live.view.state !== 'waiting') return <Live live={live} />
  if (isNext) return <span className={styles.fact}>in line…</span>
  if (request) return <Waiting request={request} />
  const last = cell.lastRun
  if (!last) return null
  const isGone = status !== undefined && status.freshSince !== null && cellsBefore(status, [cell]).length > 0
  return (
    <>
      {last.stale && (
        <Tooltip text="This cell, or one before it that it depends on, was changed after this output was made. Run stale brings it up to date.">
          <span className={styles.stale}>stale</span>
        </Tooltip>
      )}
      {isGone && (
        <Tooltip text="It ran before the sandbox was made or restarted: its output is here, its variables are not.">
          <span className={styles.stale}>before restart</span>
        </Tooltip>
      )}
      {last.keptFrom !== null && <KeptFrom path={path} cell={cell} at={last.keptFrom} />}
      {last.success === false && <Unsuccessful error={errorIn(last.outputs)} />}
      {last.durationMs !== null && <span className={styles.fact}>{duration(last.durationMs)}</span>}
      {last.risk && <Risk level={last.risk} />}
      {last.count !== null && <span className={styles.count}>[{last.count}]</span>}
    </>
  )
}

function KeptFrom({ path, cell, at }: { path: PathId; cell: Cell; at: number }) {
  return (
    <>
      <Tooltip text="Nothing that this cell reads or leaves has changed since then, so its result was shown again and nothing ran.">
        <span className={styles.kept}>kept from {dateAndTime(at)}</span>
      </Tooltip>
      <Button look="quiet" onClick={() => void runItem(path, cell.id, [], 'ask', true).catch(showProblem)}>
        Run anew
      </Button>
    </>
  )
}

function errorIn(outputs: readonly OutputView[]): RunError | null {
  const view = outputs.findLast(each => each.whole && each.output.type === 'error')
  return view?.whole && view.output.type === 'error' ? view.output.error : null
}

function Unsuccessful({ error }: { error: RunError | null }) {
  const word = failureWord(error)
  if (word === 'stopped') return <span className={styles.fact}>{word}</span>
  return (
    <span className={styles.failed}>
      <CircleAlert aria-hidden /> {word}
    </span>
  )
}

function Waiting({ request: { id, risk } }: { request: RequestSummary }) {
  return (
    <>
      <span className={styles.waiting}>
        <Hourglass aria-hidden /> waits for review
      </span>
      <Risk level={risk} />
      <Button onClick={() => setView({ place: 'review', request: id })}>Review…</Button>
      <IconButton
        label="Withdraw the request"
        icon={<X />}
        onClick={() => void client.approval.cancel(id).catch(showProblem)}
      />
    </>
  )
}

function Live({ live: { view } }: { live: LiveRun }) {
  const now = useNow(100)
  switch (view.state) {
    case 'inspecting':
      return <span className={styles.fact}>checking…</span>
    case 'queued':
      return <span className={styles.fact}>in line…</span>
    case 'running':
      return (
        <span className={styles.running} role="status">
          running · {duration(now - (view.startedAt ?? now))}
        </span>
      )
    case 'held':
      return (
        <Tooltip text={view.held.why}>
          <span className={styles.waiting}>
            <Hourglass aria-hidden /> needs a stronger sandbox
          </span>
        </Tooltip>
      )
    case 'refused':
    case 'failed':
      return (
        <Tooltip text={`${view.problem.message} ${view.problem.hint}`}>
          <span className={styles.failed}>
            <CircleAlert aria-hidden /> {endWord(view.problem.code)}
          </span>
        </Tooltip>
      )
    case 'finished':
      return (
        <>
          {view.outcome?.success === false && <Unsuccessful error={view.outcome.error} />}
          {view.outcome && <span className={styles.fact}>{duration(view.outcome.executionTimeMs)}</span>}
          {view.risk && <Risk level={view.risk} />}
        </>
      )
  }
}

export function duration(ms: number): string {
  if (ms < 1) return '< 1 ms'
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`
}
