import { useQuery } from '@tanstack/react-query'
import { TableProperties } from 'lucide-react'
import { useState } from 'react'
import type { InputSpec } from '../../src/contract/analyses.ts'
import type { PathId } from '../../src/contract/ids.ts'
import { showProblem } from '../state/toasts.ts'
import { useView } from '../state/view.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Loading } from '../ui/loading.tsx'
import { type Cells, type Origin, originsOf, readOrigin } from './columns.ts'
import styles from './form.module.css'
import { label } from './words.ts'

interface FromPathProps {
  /** The inputs that columns are wanted for. */
  readonly columns: Readonly<Record<string, InputSpec>>
  /** One column into one list: then any column will do. */
  readonly single?: boolean
  readonly title?: string
  onRows(rows: Record<string, string>[]): void
}

/** Takes whole columns from a data frame of the path, or from a CSV or Excel file of its folder. */
export function FromPath({ columns, single = false, title = 'From the path…', onRows }: FromPathProps) {
  const path = useView(view => view.path)
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button look="quiet" icon={<TableProperties />} disabled={path === null} onClick={() => setOpen(true)}>
        {title}
      </Button>
      {open && path && (
        <Chooser
          {...{ path, columns, single }}
          onClose={() => setOpen(false)}
          onRows={rows => {
            setOpen(false)
            onRows(rows)
          }}
        />
      )}
    </>
  )
}

function Chooser({
  path,
  columns,
  single,
  onRows,
  onClose,
}: Omit<FromPathProps, 'title'> & { path: PathId; onClose(): void }) {
  const origins = useQuery({ queryKey: ['analysis-origins', path], queryFn: () => originsOf(path), staleTime: 0 })
  const [origin, setOrigin] = useState<Origin | null>(null)
  const [cells, setCells] = useState<Cells | null>(null)
  const [chosen, setChosen] = useState<Record<string, string>>({})
  const pick = (next: Origin) => {
    setOrigin(next)
    setCells(null)
    readOrigin(path, next).then(
      found => {
        setCells(found)
        setChosen(matched(Object.keys(columns), found.names, single ?? false))
      },
      error => {
        setOrigin(null)
        showProblem(error)
      },
    )
  }
  const take = () => {
    if (!cells) return
    const wanted = Object.entries(chosen).flatMap(([name, column]) =>
      column === '' ? [] : [[name, cells.names.indexOf(column)] as const],
    )
    onRows(
      cells.rows.map(row => Object.fromEntries(wanted.flatMap(([name, at]) => (row[at] ? [[name, row[at]]] : [])))),
    )
  }
  return (
    <Dialog
      open
      title="Columns of this path"
      description="Data frames of its Python sandbox, CSV and Excel files of its folder."
      onClose={onClose}
      footer={
        <Button look="primary" disabled={!cells || Object.values(chosen).every(each => each === '')} onClick={take}>
          {cells ? `Use ${cells.rows.length.toLocaleString('en')} rows` : 'Use'}
        </Button>
      }
    >
      {origins.isPending && <Loading />}
      {origins.data?.length === 0 && <p>There is no data frame and no CSV or Excel file on this path yet.</p>}
      <ul className={styles.origins}>
        {origins.data?.map(each => (
          <li key={`${each.kind} ${each.name}`}>
            <button type="button" aria-pressed={origin === each} onClick={() => pick(each)}>
              <strong>{each.name}</strong>{' '}
              <span>
                {each.kind === 'frame' ? 'data frame' : 'file'} · {each.size}
              </span>
            </button>
          </li>
        ))}
      </ul>
      {origin && !cells && <Loading />}
      {cells &&
        Object.keys(columns).map(name => (
          <label key={name} className={styles.match}>
            {label(name)}
            <select value={chosen[name] ?? ''} onChange={event => setChosen({ ...chosen, [name]: event.target.value })}>
              <option value="">none</option>
              {cells.names.map(column => (
                <option key={column}>{column}</option>
              ))}
            </select>
          </label>
        ))}
    </Dialog>
  )
}

/** Columns whose names are those of the inputs; for a single list the first column. */
function matched(wanted: readonly string[], names: readonly string[], single: boolean): Record<string, string> {
  const plain = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
  return Object.fromEntries(
    wanted.map(name => [name, names.find(each => plain(each) === plain(name)) ?? (single ? (names[0] ?? '') : '')]),
  )
}
