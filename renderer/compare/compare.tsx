import { useQuery } from '@tanstack/react-query'
import { ArrowLeftRight, X } from 'lucide-react'
import { useState } from 'react'
import type { ComparedRow, Item } from '../../src/contract/conversations.ts'
import type { ConversationId, PathId } from '../../src/contract/ids.ts'
import type { Output } from '../../src/contract/run.ts'
import { DiffEditor } from '../editor/diff-editor.tsx'
import { StaticCode } from '../editor/static-code.tsx'
import { outputActions } from '../notebook/output-actions.ts'
import { MarkdownText } from '../output/markdown.tsx'
import { Outputs } from '../output/output.tsx'
import { rpc } from '../state/queries.ts'
import { setView } from '../state/view.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { Loading } from '../ui/loading.tsx'
import { Page } from '../ui/page.tsx'
import { ProblemView } from '../ui/problem.tsx'
import styles from './compare.module.css'
import { Numbers } from './numbers.tsx'
import { differences, type Names, statusWords } from './words.ts'

/** Two alternatives side by side: what was said, what ran, what came out, and by how much it differs. */
export default function Compare({
  conversation,
  left,
  right,
}: {
  conversation: ConversationId
  left: PathId
  right: PathId
}) {
  const tree = useQuery(rpc.conversations.tree.queryOptions({ input: conversation }))
  const comparison = useQuery({ ...rpc.paths.compare.queryOptions({ input: { left, right } }), staleTime: 0 })
  const [onlyChanges, setOnlyChanges] = useState(true)
  const close = (
    <IconButton label="Back to the notebook" keys="Escape" icon={<X />} onClick={() => setView({ compare: null })} />
  )
  const choose = (side: 'left' | 'right', value: PathId) => (
    <select
      aria-label={side === 'left' ? 'Left path' : 'Right path'}
      value={value}
      onChange={event => setView({ compare: { left, right, [side]: event.target.value as PathId } })}
    >
      {(tree.data?.paths ?? []).map(path => (
        <option key={path.id} value={path.id}>
          {path.name}
        </option>
      ))}
    </select>
  )
  const rows = (comparison.data?.rows ?? []).filter(
    row => !onlyChanges || row.status !== 'same' || row.outputs === 'changed',
  )
  const names = { left: comparison.data?.left.name ?? 'left', right: comparison.data?.right.name ?? 'right' }
  return (
    <Page
      wide
      title="Compare paths"
      {...(comparison.data ? { subtitle: differences(comparison.data.rows, names) } : {})}
      actions={
        <>
          <label className={styles.toggle}>
            <input type="checkbox" checked={onlyChanges} onChange={event => setOnlyChanges(event.target.checked)} />{' '}
            Only what differs
          </label>
          <Button icon={<ArrowLeftRight />} onClick={() => setView({ compare: { left: right, right: left } })}>
            Swap
          </Button>
          {close}
        </>
      }
    >
      <div className={styles.heads}>
        {choose('left', left)}
        {choose('right', right)}
      </div>
      {comparison.isError ? (
        <ProblemView error={comparison.error} onRetry={() => comparison.refetch()} />
      ) : !comparison.data ? (
        <Loading />
      ) : rows.length === 0 ? (
        <Empty title="These paths do not differ">
          <p>Every message, cell and output is the same on both.</p>
        </Empty>
      ) : (
        rows.map((row, index) => (
          <Row
            key={row.left?.id ?? row.right?.id ?? index}
            row={row}
            place={index + 1}
            names={names}
            left={left}
            right={right}
          />
        ))
      )}
    </Page>
  )
}

interface RowProps {
  readonly row: ComparedRow
  readonly place: number
  readonly names: Names
  readonly left: PathId
  readonly right: PathId
}

function Row({ row, place, names, left, right }: RowProps) {
  const status = statusWords(row.status, names)
  const changedCode = row.status === 'changed' && row.left?.kind === 'cell' && row.right?.kind === 'cell'
  return (
    <section className={styles.row} aria-label={`Item ${place}, ${status}`}>
      <header className={`${styles.status} ${styles[row.status]}`}>
        {status}
        {row.outputs === 'changed' && row.status === 'same' && ', with another output'}
      </header>
      {changedCode && row.left?.kind === 'cell' && row.right ? (
        <DiffEditor
          original={row.left.text}
          modified={row.right.text}
          language={row.left.language}
          label="Code of both paths"
        />
      ) : (
        <div className={styles.sides}>
          <Text item={row.left} path={left} />
          <Text item={row.right} path={right} />
        </div>
      )}
      {row.numbers.some(pair => pair.absolute !== 0) && (
        <Numbers pairs={row.numbers.filter(pair => pair.absolute !== 0)} names={names} />
      )}
      {row.outputs !== 'none' && (
        <div className={styles.sides}>
          <Result item={row.left} path={left} />
          <Result item={row.right} path={right} />
        </div>
      )}
    </section>
  )
}

function Text({ item, path }: { item: Item | null; path: PathId }) {
  if (!item) return <div className={styles.missing}>not on this path</div>
  if (item.kind === 'message') return <MarkdownText text={item.text} actions={outputActions(path, '' as never)} />
  return <StaticCode text={item.text} language={item.language} onPoint={() => undefined} />
}

function Result({ item, path }: { item: Item | null; path: PathId }) {
  const views = item?.kind === 'cell' ? (item.lastRun?.outputs ?? []) : []
  const outputs: Output[] = views.map(view =>
    view.whole ? view.output : { type: 'stream', name: 'stdout', text: view.preview },
  )
  if (outputs.length === 0) return <div className={styles.missing}>{item ? 'no output' : ''}</div>
  return (
    <div className={styles.result}>
      <Outputs outputs={outputs} actions={outputActions(path, '' as never)} scripts="ask" />
    </div>
  )
}
