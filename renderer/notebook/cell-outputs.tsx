import { useQueries } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { Cell, OutputView } from '../../src/contract/conversations.ts'
import { compareEffects, hasEffects } from '../../src/contract/effects.ts'
import { missingModule } from '../../src/contract/environments.ts'
import type { PathId } from '../../src/contract/ids.ts'
import type { ReportEffects } from '../../src/contract/report.ts'
import type { Output, RunError } from '../../src/contract/run.ts'
import type { LiveRun, RunTraces, RunView } from '../../src/contract/runs.ts'
import { MissingModule } from '../environments/missing-module.tsx'
import { numberAt } from '../figures/pointed.ts'
import { NetworkRequests } from '../network/requests.tsx'
import { withoutPassing } from '../output/blocks.ts'
import { ErrorReport } from '../output/error.tsx'
import { Outputs } from '../output/output.tsx'
import { rpc } from '../state/queries.ts'
import { isNewer, isResting, showsLive } from '../state/runs.ts'
import { showProblem } from '../state/toasts.ts'
import { ToolCalls } from '../tools/calls.tsx'
import { Button } from '../ui/button.tsx'
import { Effects } from '../ui/effects.tsx'
import { Words } from '../ui/words.tsx'
import { runItem } from './actions.ts'
import styles from './cell-outputs.module.css'
import { outputActions } from './output-actions.ts'
import { tracesIn, useTraces } from './traces.ts'

/** What came of a cell: of the run under way, else of the one on record. */
export function CellOutputs({ path, cell, live }: { path: PathId; cell: Cell; live: LiveRun | null }) {
  const recorded = useRecorded(cell.lastRun?.outputs ?? noOutputs)
  const showLive = showsLive(live, cell)
  const onRecord = useTraces(showLive ? null : (cell.lastRun?.run ?? null))
  const traces = showLive ? tracesIn(live.view) : onRecord
  const run = showLive ? live.view.run : (cell.lastRun?.run ?? null)
  const actions = useMemo(() => outputActions(path, cell.id, run), [path, cell.id, run])
  const shown = showLive ? live.outputs : recorded.outputs
  const isOver = live === null || isResting(live.view)
  const outputs = useMemo(() => (isOver ? withoutPassing(shown) : shown), [isOver, shown])
  const problem =
    live && ['refused', 'failed'].includes(live.view.state) && isNewer(live, cell) ? live.view.problem : null
  const mistake = problem && live ? mistakeOf(live.view) : null
  const error = outputs.findLast(each => each.type === 'error')?.error ?? null
  const effects = traces && effectsOf(traces, error)
  const missing = missingModule(error)
  const isSilent = outputs.length === 0 && !traces?.network.length && !traces?.tools.length && !effects
  if (isSilent && !problem && recorded.held.length === 0) return null
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a shortcut for the command Pin a figure, which has a key
    <div
      className={styles.outputs}
      data-testid="outputs"
      onContextMenu={event => {
        const number = numberAt(event.clientX, event.clientY)
        if (!number) return
        event.preventDefault()
        actions.onPin?.(number)
      }}
    >
      {mistake && <ErrorReport error={mistake} actions={actions} />}
      {problem && !mistake && (
        <p className={styles.problem} role="alert">
          {problem.message}{' '}
          <span>
            <Words text={problem.hint} />
          </span>
        </p>
      )}
      {traces && (
        <NetworkRequests
          requests={traces.network}
          onAsk={grant => void runItem(path, cell.id, [...traces.granted, grant]).catch(showProblem)}
        />
      )}
      {effects && <Impact effects={effects} />}
      {traces && <ToolCalls calls={traces.tools} outputs={outputs} />}
      {missing !== null && <MissingModule path={path} module={missing} />}
      <Outputs outputs={outputs} actions={actions} scripts={showLive || cell.lastRun?.run ? 'run' : 'ask'} />
      {!showLive && recorded.held.map(view => <Held key={view.id} view={view} onLoad={() => recorded.load(view.id)} />)}
    </div>
  )
}

/** What the compiler says about code that it rejects, in the form in which every other error is shown. */
function mistakeOf({ inspection }: RunView): RunError | null {
  const found = inspection?.syntaxError
  if (!found) return null
  const [name = 'SyntaxError', ...rest] = found.message.split(': ')
  return { kind: 'syntax', name, message: rest.join(': '), traceback: [], ...(found.line ? { line: found.line } : {}) }
}

/** What the guard foresaw of a run that is over and what was observed; null where neither is anything. */
function effectsOf({ impact, ...observed }: RunTraces, error: RunError | null): ReportEffects | null {
  if (!impact) return null
  const effects = compareEffects(impact, observed)
  // Of what the compiler rejected nothing could happen.
  if (error?.kind === 'syntax' && effects.observed.length === 0) return null
  return hasEffects(impact, effects) ? effects : null
}

function Impact({ effects }: { effects: ReportEffects }) {
  const surprises = effects.unforeseen.length
  return (
    // Open where something happened that the person who let it run could not have known.
    <details className={styles.impact} open={surprises > 0}>
      <summary>
        Predicted and observed
        {surprises > 0 && <strong> · {surprises === 1 ? '1 effect' : `${surprises} effects`} not foreseen</strong>}
      </summary>
      <Effects effects={effects} />
    </details>
  )
}

const noOutputs: readonly OutputView[] = []

type HeldView = Extract<OutputView, { whole: false }>

/** Outputs on record. The large ones are fetched when somebody asks for them. */
function useRecorded(views: readonly OutputView[]) {
  const [wanted, setWanted] = useState<ReadonlySet<string>>(new Set())
  const loaded = useQueries({
    queries: views
      .filter(view => !view.whole && (wanted.has(view.id) || !isLongText(view)))
      .map(view => rpc.paths.output.queryOptions({ input: view.id })),
    combine: results => results.map(result => result.data),
  })
  const byId = new Map<string, Output>()
  let place = 0
  for (const view of views) {
    if (view.whole || !(wanted.has(view.id) || !isLongText(view))) continue
    const output = loaded[place++]
    if (output) byId.set(view.id, output)
  }
  const outputs = views.flatMap(view => (view.whole ? [view.output] : (byId.get(view.id) ?? [])))
  const held = views.filter((view): view is HeldView => !view.whole && !byId.has(view.id))
  return { outputs, held, load: (id: string) => setWanted(before => new Set(before).add(id)) }
}

/** Pictures, tables and charts are what people look for: they come by themselves. Long text does not. */
const isLongText = (view: OutputView): boolean => !view.whole && view.type === 'stream'

function Held({ view, onLoad }: { view: HeldView; onLoad(): void }) {
  return (
    <div className={styles.held}>
      <pre>{view.preview}</pre>
      <Button look="quiet" onClick={onLoad}>
        Show all ({(view.bytes / 1024).toFixed(0)} KB)
      </Button>
    </div>
  )
}
