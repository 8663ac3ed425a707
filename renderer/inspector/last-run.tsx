import { Activity } from 'lucide-react'
import { Fragment, useMemo } from 'react'
import type { Cell } from '../../src/contract/conversations.ts'
import type { PathId } from '../../src/contract/ids.ts'
import type { Target } from '../../src/contract/inspection.ts'
import type { Output, StateChanges } from '../../src/contract/run.ts'
import { NetworkRequests } from '../network/requests.tsx'
import { duration } from '../notebook/cell-header.tsx'
import { usePath } from '../notebook/path-data.ts'
import { tracesIn, useTraces } from '../notebook/traces.ts'
import { failureWord } from '../output/error.tsx'
import { useRuns } from '../state/runs.ts'
import { useView } from '../state/view.ts'
import { ToolCalls } from '../tools/calls.tsx'
import { Empty } from '../ui/empty.tsx'
import { Risk } from '../ui/risk.tsx'
import { bytes } from './format.ts'
import styles from './inspector.module.css'
import { shownRun } from './shown-run.ts'

/** What the selected cell's last run was expected to touch, and what it touched. */
export function LastRunView({ path }: { path: PathId }) {
  const selected = useView(view => view.selected)
  const items = usePath(path).data?.items
  const runs = useRuns(state => state.runs)
  const shown = useMemo(() => shownRun(items ?? [], runs.values(), path, selected), [items, runs, path, selected])
  const live = shown?.live?.view ?? null
  const onRecord = useTraces(shown && !live ? (shown.cell.lastRun?.run ?? null) : null)
  const traces = live ? tracesIn(live) : onRecord
  if (!shown || (!live && !traces))
    return (
      <Empty icon={<Activity />} title="No run to show">
        <p>After a run: what it was expected to touch, what it touched, and what it cost.</p>
      </Empty>
    )
  const impact = traces?.impact ?? live?.inspection?.impact ?? null
  const findings = traces?.findings ?? live?.inspection?.violations ?? []
  const risk = traces?.risk ?? live?.risk ?? null
  return (
    <>
      {shown.cell.id !== selected && (
        <p className={styles.hint}>
          Of {shown.cell.language} cell {shown.place}, which ran last here.
        </p>
      )}
      <dl className={styles.table}>
        {risk && (
          <>
            <dt>Risk</dt>
            <dd>
              <Risk level={risk} />
            </dd>
          </>
        )}
        {traces && (
          <>
            <dt>Result</dt>
            <dd>{traces.success ? 'succeeded' : failureWord(traces.error)}</dd>
            <dt>Time</dt>
            <dd>{duration(traces.executionTimeMs)}</dd>
            <dt>CPU</dt>
            <dd>{duration(traces.cpuTimeMs)}</dd>
            <dt>Memory peak</dt>
            <dd>{bytes(traces.peakMemoryBytes)}</dd>
          </>
        )}
      </dl>
      {traces?.variables && <VariablesItTouched changes={traces.variables} />}
      {traces && (
        <section className={styles.section}>
          <h3>Files it touched</h3>
          {(['created', 'modified', 'deleted'] as const).every(kind => traces.files[kind].length === 0)
            ? 'None.'
            : (['created', 'modified', 'deleted'] as const).map(kind =>
                traces.files[kind].map(file => (
                  <div key={`${kind} ${file}`}>
                    {kind} <code>{file}</code>
                  </div>
                )),
              )}
        </section>
      )}
      {traces && traces.tools.length > 0 && (
        <section className={styles.section}>
          <h3>Tools it called</h3>
          <ToolCalls calls={traces.tools} outputs={live?.outcome?.outputs ?? recordedIn(shown.cell)} />
        </section>
      )}
      {traces && (traces.network.length > 0 || (impact && impact.hosts.length > 0)) && (
        <section className={styles.section}>
          <h3>Network, expected and seen</h3>
          {impact?.hosts.map(target => (
            <div key={target.expression + target.lines.join()}>
              expected <TargetName target={target} />
            </div>
          ))}
          {traces.network.length === 0 ? <div>No connection was tried.</div> : null}
          <NetworkRequests requests={traces.network} />
        </section>
      )}
      {impact && (
        <section className={styles.section}>
          <h3>What the guard expected</h3>
          {expected.map(([key, words]) =>
            impact[key].length === 0 ? null : (
              <Fragment key={key}>
                {impact[key].map(target => (
                  <div key={target.expression + target.lines.join()}>
                    {words} <TargetName target={target} />
                  </div>
                ))}
              </Fragment>
            ),
          )}
          {impact.unknownCalls?.map(target => (
            <div key={`calls ${target.expression}`}>
              calls <TargetName target={target} />
            </div>
          ))}
          <div>
            Reach: {impact.blastRadius}; can be undone: {impact.reversible}
          </div>
        </section>
      )}
      {findings.length > 0 && (
        <section className={styles.section}>
          <h3>Findings</h3>
          {findings.map(({ rule, type, severity, line, message }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a rule may speak of one line more than once
            <p key={`${rule}-${line}-${index}`}>
              <Risk level={severity} plain /> line {line}: {message ?? type.replaceAll('-', ' ')}
            </p>
          ))}
        </section>
      )}
    </>
  )
}

const recordedIn = (cell: Cell): Output[] =>
  (cell.lastRun?.outputs ?? []).flatMap(view => (view.whole ? [view.output] : []))

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
