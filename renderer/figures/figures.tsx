import { useQuery } from '@tanstack/react-query'
import { ArrowDown, ArrowUp, Ellipsis, FileText, GitCompare, Pin, PinOff, TextCursorInput } from 'lucide-react'
import { useState } from 'react'
import type { Figure } from '../../src/contract/figures.ts'
import type { ConversationId, PathId } from '../../src/contract/ids.ts'
import { client } from '../state/connection.ts'
import { rpc } from '../state/queries.ts'
import { showProblem } from '../state/toasts.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { Menu, onRightClick } from '../ui/menu.tsx'
import { ProblemView } from '../ui/problem.tsx'
import { Tooltip } from '../ui/tooltip.tsx'
import { FigureDrawing } from './drawing.tsx'
import styles from './figures.module.css'
import { setFigures } from './state.ts'
import { valueText, when } from './words.ts'

/** The figures of a path: each with its value now, and what there is to say about it. */
export function FiguresView({ conversation, path }: { conversation: ConversationId; path: PathId }) {
  const figures = useQuery(rpc.figures.list.queryOptions({ input: path }))
  if (figures.isError) return <ProblemView error={figures.error} onRetry={() => figures.refetch()} />
  if (!figures.data) return null
  if (figures.data.length === 0)
    return (
      <Empty icon={<Pin />} title="Nothing is pinned yet">
        <p>
          Pin a number, table or chart of an output: select a cell and press <kbd>P</kbd>, or right-click the number. It
          is followed through every run, compared across branches, and goes into the report.
        </p>
      </Empty>
    )
  return (
    <>
      <div className={styles.actions}>
        <Button look="quiet" icon={<GitCompare />} onClick={() => setFigures({ comparing: conversation })}>
          Compare paths
        </Button>
        <Button look="quiet" icon={<FileText />} onClick={() => setFigures({ report: { path } })}>
          Report…
        </Button>
      </div>
      <ul className={styles.list}>
        {figures.data.map((figure, at) => (
          <Card key={figure.id} path={path} figure={figure} at={at} all={figures.data} />
        ))}
      </ul>
    </>
  )
}

function Card({ path, figure, at, all }: { path: PathId; figure: Figure; at: number; all: readonly Figure[] }) {
  const [renaming, setRenaming] = useState(false)
  const { id, name, state, inherited } = figure
  const act = (work: Promise<unknown>) => void work.catch(showProblem)
  const move = (to: number) => act(client.figures.move({ path, figure: id, after: all[to - 1]?.id ?? null }))
  return (
    <li className={styles.card} onContextMenu={onRightClick}>
      <div className={styles.head}>
        {renaming ? (
          <input
            // biome-ignore lint/a11y/noAutofocus: it was asked for by the menu item before it
            autoFocus
            aria-label="Name of the figure"
            defaultValue={name}
            maxLength={200}
            onKeyDown={event => {
              if (event.key === 'Enter') event.currentTarget.blur()
              if (event.key === 'Escape') setRenaming(false)
            }}
            onBlur={event => {
              const next = event.currentTarget.value.trim()
              setRenaming(false)
              if (next && next !== name) act(client.figures.rename({ path, figure: id, name: next }))
            }}
          />
        ) : (
          <span className={styles.name} title={name}>
            {name}
          </span>
        )}
        <Menu
          main
          trigger={<IconButton label={`More for ${name}`} icon={<Ellipsis />} />}
          items={[
            { label: 'Rename', icon: <TextCursorInput />, onSelect: () => setTimeout(() => setRenaming(true)) },
            { label: 'Move up', icon: <ArrowUp />, disabled: at === 0, onSelect: () => move(at - 1) },
            { label: 'Move down', icon: <ArrowDown />, disabled: at === all.length - 1, onSelect: () => move(at + 2) },
            'line',
            { label: 'Unpin', icon: <PinOff />, onSelect: () => act(client.figures.unpin({ path, figure: id })) },
          ]}
        />
      </div>
      <button
        type="button"
        className={styles.value}
        aria-label={`Where ${name} comes from`}
        onClick={() => setFigures({ lineage: { path, figure: id } })}
      >
        {state.kind === 'gone' ? (
          <span className={styles.gone}>{state.sentence}</span>
        ) : state.value.kind === 'table' || state.value.kind === 'chart' ? (
          <FigureDrawing value={state.value} name={name} small />
        ) : (
          <strong>{state.value.shown}</strong>
        )}
      </button>
      <div className={styles.facts}>
        {state.kind === 'shown' && state.stale && (
          <Tooltip text="The cell, or one that it depends on, was changed after this run. Run stale brings it up to date.">
            <span className={styles.stale}>stale</span>
          </Tooltip>
        )}
        {state.kind === 'shown' && state.before && <span>was {valueText(state.before.value)}</span>}
        {state.kind === 'shown' && <span>{when(state.at)}</span>}
        {inherited && <span>from the parent path</span>}
      </div>
    </li>
  )
}
