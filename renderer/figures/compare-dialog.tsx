import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { FigureComparison } from '../../src/contract/figures.ts'
import type { ConversationId, PathId } from '../../src/contract/ids.ts'
import { Chart } from '../output/chart/chart.tsx'
import { rpc } from '../state/queries.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Empty } from '../ui/empty.tsx'
import { Loading } from '../ui/loading.tsx'
import { ProblemView } from '../ui/problem.tsx'
import styles from './figures.module.css'
import { setFigures } from './state.ts'
import { stateText } from './words.ts'

/** Every pinned figure of a conversation, path beside path: one table, and one chart of the figure that is chosen. */
export default function CompareDialog({ conversation }: { conversation: ConversationId }) {
  const tree = useQuery(rpc.conversations.tree.queryOptions({ input: conversation }))
  const [hidden, setHidden] = useState<ReadonlySet<PathId>>(new Set())
  const all = tree.data?.paths.filter(path => path.state === 'open') ?? []
  const paths = all.map(path => path.id).filter(path => !hidden.has(path))
  const comparison = useQuery({
    ...rpc.figures.compare.queryOptions({ input: { paths } }),
    enabled: paths.length > 0,
    staleTime: 0,
  })
  const close = () => setFigures({ comparing: null })
  return (
    <Dialog
      open
      wide
      onClose={close}
      title="Figures across paths"
      description="Each value is that of the path’s own last run; press one to see where it comes from."
    >
      <fieldset className={styles.paths}>
        <legend className="visually-hidden">Paths</legend>
        {all.map(({ id, name }) => (
          <label key={id}>
            <input
              type="checkbox"
              checked={!hidden.has(id)}
              onChange={event => {
                const next = new Set(hidden)
                if (event.target.checked) next.delete(id)
                else next.add(id)
                setHidden(next)
              }}
            />{' '}
            {name}
          </label>
        ))}
      </fieldset>
      {comparison.isError ? (
        <ProblemView error={comparison.error} onRetry={() => comparison.refetch()} />
      ) : !comparison.data ? (
        paths.length > 0 && <Loading />
      ) : comparison.data.rows.length === 0 ? (
        <Empty small title="Nothing is pinned on these paths">
          <p>Select a cell and press P to pin a number, table or chart of its output.</p>
        </Empty>
      ) : (
        <Compared comparison={comparison.data} />
      )}
    </Dialog>
  )
}

function Compared({ comparison: { paths, rows } }: { comparison: FigureComparison }) {
  const numeric = rows.filter(row => row.states.some(({ state }) => numberOf(state) !== null))
  const [chosen, choose] = useState(0)
  const row = numeric[chosen] ?? numeric[0]
  const spec = useMemo(() => row && chartOf(paths, row), [paths, row])
  return (
    <>
      <div className={styles.tableBox}>
        <table className={styles.compared}>
          <thead>
            <tr>
              <th scope="col">Figure</th>
              {paths.map(path => (
                <th key={path.id} scope="col">
                  {path.name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(each => (
              <tr key={each.cell + JSON.stringify(each.place)} aria-selected={each === row}>
                <th scope="row">
                  {numeric.includes(each) ? (
                    <button type="button" onClick={() => choose(numeric.indexOf(each))}>
                      {each.name}
                    </button>
                  ) : (
                    each.name
                  )}
                </th>
                {each.states.map(({ state, figure }, at) => {
                  const path = paths[at]?.id
                  return (
                    <td key={path} title={state.kind === 'gone' ? state.sentence : undefined}>
                      {figure && path ? (
                        <button
                          type="button"
                          onClick={() => setFigures({ comparing: null, lineage: { path, figure } })}
                        >
                          {stateText(state)}
                        </button>
                      ) : (
                        stateText(state)
                      )}
                      {state.kind === 'shown' && state.stale && <span className={styles.stale}>stale</span>}
                    </td>
                  )
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {spec && paths.length > 1 && <Chart spec={spec} label={`${row?.name} on each path`} />}
    </>
  )
}

type Row = FigureComparison['rows'][number]
const numberOf = (state: Row['states'][number]['state']): number | null =>
  state.kind === 'shown' && state.value.kind === 'number' ? state.value.value : null

/** One bar for each path, in their order; a stale value is paler, as it may not hold. */
function chartOf(paths: FigureComparison['paths'], row: Row): Parameters<typeof Chart>[0]['spec'] {
  const values = row.states.flatMap(({ state }, at) => {
    const value = numberOf(state)
    const stale = state.kind === 'shown' && state.stale
    return value === null ? [] : [{ path: paths[at]?.name ?? '', value, shown: stateText(state), stale }]
  })
  const x = { field: 'path', type: 'nominal', sort: null, title: null, axis: { labelAngle: 0, labelLimit: 120 } }
  const y = { field: 'value', type: 'quantitative', title: row.unit ? `${row.name} (${row.unit})` : row.name }
  const opacity = { condition: { test: 'datum.stale', value: 0.45 }, value: 1 }
  return {
    height: 220,
    data: { values },
    encoding: { x, y },
    layer: [
      { mark: { type: 'bar', width: { band: 0.5 } }, encoding: { opacity } },
      { mark: { type: 'text', dy: -8 }, encoding: { text: { field: 'shown', type: 'nominal' } } },
    ],
  }
}
