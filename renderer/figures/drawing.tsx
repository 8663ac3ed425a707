import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { FigureValue } from '../../src/contract/figures.ts'
import { Chart } from '../output/chart/chart.tsx'
import { formsOf } from '../output/forms.ts'
import { Picture } from '../output/image.tsx'
import { rpc } from '../state/queries.ts'
import { readDataResource } from '../table/dataresource.ts'
import { formatter } from '../table/format.ts'
import styles from './figures.module.css'

const fewRows = 6

/** A pinned table or chart as it looks now; in a narrow place the first rows. */
export function FigureDrawing({
  value,
  name,
  small = false,
}: {
  value: Extract<FigureValue, { kind: 'table' | 'chart' }>
  name: string
  small?: boolean
}) {
  const { data: output } = useQuery(rpc.paths.output.queryOptions({ input: value.output }))
  const forms = useMemo(
    () => (output?.type === 'display' || output?.type === 'result' ? formsOf(output.data) : []),
    [output],
  )
  const form = forms.find(({ view }) =>
    value.kind === 'table' ? view === 'table' : view === 'chart' || view === 'image' || view === 'svg',
  )
  const spec = useMemo(() => (form?.view === 'chart' && small ? fitted(form.value) : form?.value), [form, small])
  if (!form || spec === undefined) return <span className={styles.gone}>{output ? 'Not shown here.' : 'Loading…'}</span>
  if (form.view === 'chart') return <Chart spec={spec} label={name} />
  if (form.view === 'table') return <SmallTable value={form.value} rows={small ? fewRows : 50} />
  if (form.view === 'image') return <Picture form={form} alt={name} size={undefined} />
  return <span>drawing</span>
}

/** As wide as its place, whatever width its maker had in mind. */
function fitted(spec: Parameters<typeof Chart>[0]['spec']): Parameters<typeof Chart>[0]['spec'] {
  if (typeof spec !== 'object' || spec === null || Array.isArray(spec)) return spec
  const { width: _, title: __, ...rest } = spec
  return { ...rest, height: 120 }
}

function SmallTable({ value, rows }: { value: unknown; rows: number }) {
  const resource = useMemo(() => readDataResource(value), [value])
  const write = useMemo(
    () => resource?.source.columns.map((_, index) => formatter(resource.source, index)) ?? [],
    [resource],
  )
  if (!resource) return null
  const { source, totalRows } = resource
  const columns = source.columns.slice(0, 6)
  const shown = Array.from({ length: Math.min(rows, source.rowCount) }, (_, row) => row)
  return (
    <div className={styles.tableBox}>
      <table className={styles.table}>
        <thead>
          <tr>
            {columns.map(({ name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map(row => (
            <tr key={row}>
              {columns.map(({ name, type }, column) => (
                <td key={name} className={type === 'number' ? styles.number : undefined}>
                  {write[column]?.(source.value(row, column))}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {totalRows > shown.length && <small>{(totalRows - shown.length).toLocaleString('en')} more rows</small>}
    </div>
  )
}
