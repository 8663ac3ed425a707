import { useQuery } from '@tanstack/react-query'
import { Ellipsis, Table2, Variable as VariableIcon } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { PathId } from '../../src/contract/ids.ts'
import { type Language, languages } from '../../src/contract/run.ts'
import { problemFrom } from '../state/connection.ts'
import { rpc } from '../state/queries.ts'
import { useRuns } from '../state/runs.ts'
import { showProblem } from '../state/toasts.ts'
import { IconButton } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { Menu, onRightClick } from '../ui/menu.tsx'
import { ProblemView } from '../ui/problem.tsx'
import { SearchField } from '../ui/search-field.tsx'
import { bytes } from './format.ts'
import styles from './inspector.module.css'
import { viewTable } from './viewed-table.ts'

/** The variables of the path's live kernels, fresh after every run. */
export function Variables({ path }: { path: PathId }) {
  const [language, setLanguage] = useState<Language>('python')
  const [filter, setFilter] = useState('')
  const { data: status } = useQuery(rpc.sandbox.status.queryOptions({ input: path }))
  const alive = status?.state === 'ready' || status?.state === 'running'
  const variables = useQuery({
    ...rpc.sandbox.variables.queryOptions({ input: { path, language } }),
    // While a run goes on the kernel answers nobody else; what it had before stays in sight.
    enabled: status?.state === 'ready',
    staleTime: 0,
  })
  const lastEnd = useRuns(state =>
    Math.max(
      0,
      ...[...state.runs.values()].filter(({ view }) => view.path === path).map(({ view }) => view.finishedAt ?? 0),
    ),
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: a run that ended is the reason to look again
  useEffect(() => {
    // A run that begins takes the last end away: asking then would stand in its way in the kernel.
    if (lastEnd > 0 && status?.state === 'ready') void variables.refetch({ cancelRefetch: false })
  }, [lastEnd])
  if (!alive)
    return (
      <Empty icon={<VariableIcon />} title="No variables yet">
        <p>Run a cell, and its variables appear here with their type, size and first values.</p>
      </Empty>
    )
  const shown = (variables.data ?? []).filter(({ name, type }) =>
    `${name} ${type}`.toLowerCase().includes(filter.toLowerCase()),
  )
  return (
    <>
      <div className={styles.filter}>
        <SearchField label="Filter variables" placeholder="Filter" value={filter} onSearch={setFilter} />
        <select aria-label="Language" value={language} onChange={event => setLanguage(event.target.value as Language)}>
          {languages.map(each => (
            <option key={each}>{each}</option>
          ))}
        </select>
      </div>
      {variables.isError && !variables.data ? (
        problemFrom(variables.error).code === 'sandbox.busy' ? (
          // It is asked again when the run ends.
          <p className={styles.hint}>Variables appear here when the run has ended.</p>
        ) : (
          <ProblemView error={variables.error} onRetry={() => variables.refetch()} />
        )
      ) : shown.length === 0 ? (
        <p className={styles.hint}>{filter ? 'No variable has that name.' : `No ${language} variables yet.`}</p>
      ) : (
        <ul className={styles.list}>
          {shown.map(variable => (
            <li key={variable.name} className={styles.variable} onContextMenu={onRightClick}>
              <div className={styles.line}>
                <span className={styles.name}>{variable.name}</span>
                <span className={styles.facts}>
                  {[variable.type, variable.shape, variable.bytes === null ? null : bytes(variable.bytes)]
                    .filter(Boolean)
                    .join(' · ')}
                </span>
                {variable.table && (
                  <IconButton
                    label={`View ${variable.name}`}
                    icon={<Table2 />}
                    onClick={() => viewTable(path, variable.name)}
                  />
                )}
                <Menu
                  main
                  trigger={<IconButton label={`Actions for ${variable.name}`} icon={<Ellipsis />} />}
                  items={[
                    {
                      label: 'View as table',
                      disabled: !variable.table,
                      onSelect: () => viewTable(path, variable.name),
                    },
                    {
                      label: 'Copy its name',
                      onSelect: () => void navigator.clipboard.writeText(variable.name).catch(showProblem),
                    },
                  ]}
                />
              </div>
              {variable.preview && <p className={styles.preview}>{variable.preview}</p>}
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
