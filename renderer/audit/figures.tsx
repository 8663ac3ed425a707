import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { MetricPoint } from '../../src/contract/alerts.ts'
import { rpc } from '../state/queries.ts'
import { Loading } from '../ui/loading.tsx'
import { ProblemView } from '../ui/problem.tsx'
import styles from './alerts.module.css'
import { useAudit } from './state.ts'

/** Every series under the name that dashboards know, with what people mostly ask about above. */
export function Figures() {
  const last = useAudit(state => state.last)
  const { data, error, refetch } = useQuery({ ...rpc.audit.metrics.queryOptions(), staleTime: 0 })
  useEffect(() => {
    if (last >= 0) void refetch()
  }, [last, refetch])
  if (error) return <ProblemView error={error} onRetry={() => refetch()} />
  if (!data) return <Loading />
  const points = [...data].sort((one, other) => one.name.localeCompare(other.name))
  return (
    <>
      <dl className={styles.tiles}>
        {tilesOf(points).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {points.length > 0 && (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <div className={styles.tableBox} role="group" aria-label="All figures" tabIndex={0}>
          <table className={styles.table}>
            <thead>
              <tr>
                <th scope="col">Metric</th>
                <th scope="col">Labels</th>
                <th scope="col">Count</th>
                <th scope="col">Average</th>
                <th scope="col">Maximum</th>
              </tr>
            </thead>
            <tbody>
              {points.map(point => (
                <tr key={`${point.name} ${labelsOf(point)}`}>
                  <th scope="row" title={point.name}>
                    {point.description} <code>{point.name}</code>
                  </th>
                  <td>{labelsOf(point)}</td>
                  <td>{point.count === null ? amount(point.value, point.unit) : point.count}</td>
                  <td>{point.count ? amount(point.value / point.count, point.unit) : ''}</td>
                  <td>{point.most === null ? '' : amount(point.most, point.unit)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  )
}

/** Runs, how many failed, how long they took, and what runs now. */
export function tilesOf(points: readonly MetricPoint[]): [string, string][] {
  const sum = (name: string, of: (point: MetricPoint) => number = point => point.value) =>
    points.filter(point => point.name === name).reduce((total, point) => total + of(point), 0)
  const runs = sum('code_execution_total')
  const measured = sum('code_execution_duration_ms', point => point.count ?? 0)
  const mean = measured === 0 ? null : sum('code_execution_duration_ms') / measured
  return [
    ['Runs', runs.toLocaleString('en')],
    ['Failed', sum('code_execution_errors_total').toLocaleString('en')],
    ['Mean time of a run', mean === null ? '–' : amount(mean, 'ms')],
    ['Sandboxes started', sum('execution_context.created.total').toLocaleString('en')],
    ['Sandboxes now', sum('execution_context.active.count').toLocaleString('en')],
  ]
}

function amount(value: number, unit: string): string {
  const figure = value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 1 : 0 })
  return unit === '1' ? figure : `${figure} ${unit}`
}

const labelsOf = ({ attributes }: MetricPoint) =>
  Object.entries(attributes)
    .map(([name, value]) => (name === 'success' ? (value ? 'succeeded' : 'failed') : String(value)))
    .join(', ')
