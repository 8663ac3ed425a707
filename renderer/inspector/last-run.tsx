import { Fragment } from 'react'
import type { PathId } from '../../src/contract/ids.ts'
import type { Target } from '../../src/contract/inspection.ts'
import type { StateChanges } from '../../src/contract/run.ts'
import { NetworkRequests } from '../network/requests.tsx'
import { duration } from '../notebook/cell-header.tsx'
import { useRuns } from '../state/runs.ts'
import { useView } from '../state/view.ts'
import { ToolCalls } from '../tools/calls.tsx'
import { Risk } from '../ui/risk.tsx'
import { bytes } from './format.ts'
import styles from './inspector.module.css'

/** What the selected cell's last run was expected to touch, and what it touched. */
export function LastRunView({ path }: { path: PathId }) {
  const selected = useView(view => view.selected)
  const view = useRuns(state => {
    const here = [...state.runs.values()].map(live => live.view).filter(each => each.path === path)
    return here.find(each => each.cell === selected) ?? here.at(-1) ?? null
  })
  if (!view)
    return <p className={styles.hint}>After a run: what it was expected to touch, what it touched, and what it cost.</p>
  const { outcome, inspection } = view
  return (
    <>
      <dl className={styles.table}>
        {view.risk && (
          <>
            <dt>Risk</dt>
            <dd>
              <Risk level={view.risk} />
            </dd>
          </>
        )}
        {outcome && (
          <>
            <dt>Result</dt>
            <dd>{outcome.success ? 'succeeded' : (outcome.error?.name ?? 'failed')}</dd>
            <dt>Time</dt>
            <dd>{duration(outcome.executionTimeMs)}</dd>
            <dt>CPU</dt>
            <dd>{duration(outcome.cpuTimeMs)}</dd>
            <dt>Memory peak</dt>
            <dd>{bytes(outcome.peakMemoryBytes)}</dd>
          </>
        )}
      </dl>
      {outcome?.stateChanges && <VariablesItTouched changes={outcome.stateChanges} />}
      {outcome && (
        <section className={styles.section}>
          <h3>Files it touched</h3>
          {(['created', 'modified', 'deleted'] as const).every(kind => outcome.files[kind].length === 0)
            ? 'None.'
            : (['created', 'modified', 'deleted'] as const).map(kind =>
                outcome.files[kind].map(file => (
                  <div key={`${kind} ${file}`}>
                    {kind} <code>{file}</code>
                  </div>
                )),
              )}
        </section>
      )}
      {outcome?.tools && (
        <section className={styles.section}>
          <h3>Tools it called</h3>
          <ToolCalls calls={outcome.tools} outputs={outcome.outputs} />
        </section>
      )}
      {outcome && (outcome.network.length > 0 || (inspection && inspection.impact.hosts.length > 0)) && (
        <section className={styles.section}>
          <h3>Network, expected and seen</h3>
          {inspection?.impact.hosts.map(target => (
            <div key={target.expression + target.lines.join()}>
              expected <TargetName target={target} />
            </div>
          ))}
          {outcome.network.length === 0 ? <div>No connection was tried.</div> : null}
          <NetworkRequests requests={outcome.network} />
        </section>
      )}
      {inspection && (
        <section className={styles.section}>
          <h3>What the guard expected</h3>
          {expected.map(([key, words]) =>
            inspection.impact[key].length === 0 ? null : (
              <Fragment key={key}>
                {inspection.impact[key].map(target => (
                  <div key={target.expression + target.lines.join()}>
                    {words} <TargetName target={target} />
                  </div>
                ))}
              </Fragment>
            ),
          )}
          {inspection.impact.unknownCalls?.map(target => (
            <div key={`calls ${target.expression}`}>
              calls <TargetName target={target} />
            </div>
          ))}
          <div>
            Reach: {inspection.impact.blastRadius}, reversible: {inspection.impact.reversible}
          </div>
        </section>
      )}
      {inspection && inspection.violations.length > 0 && (
        <section className={styles.section}>
          <h3>Findings</h3>
          {inspection.violations.map(violation => (
            <p key={`${violation.rule}-${violation.line}-${violation.column}`}>
              <Risk level={violation.severity} plain /> line {violation.line}: {violation.message}
            </p>
          ))}
        </section>
      )}
    </>
  )
}

function VariablesItTouched({ changes }: { changes: StateChanges }) {
  const kinds = (['created', 'changed', 'removed'] as const).filter(kind => changes[kind].length > 0)
  return (
    <section className={styles.section}>
      <h3>Variables it touched</h3>
      {kinds.length === 0 && 'None.'}
      {kinds.map(kind => (
        <div key={kind}>
          {kind} <code>{changes[kind].join(', ')}</code>
        </div>
      ))}
    </section>
  )
}

const expected = [
  ['filesRead', 'reads'],
  ['filesWritten', 'writes'],
  ['filesDeleted', 'deletes'],
  ['hosts', 'talks to'],
  ['commands', 'starts'],
  ['dataModified', 'changes data in'],
] as const

/** What could not be resolved is shown as unknown, with what the code says there. */
export function TargetName({ target }: { target: Target }) {
  return target.target === null ? (
    <em>
      unknown (<code>{target.expression}</code>)
    </em>
  ) : (
    <code>{target.target}</code>
  )
}
