import { skipToken, useQuery } from '@tanstack/react-query'
import type { RunId } from '../../src/contract/ids.ts'
import type { RunTraces, RunView } from '../../src/contract/runs.ts'
import { rpc } from '../state/queries.ts'

/** A run that is over as this window saw it. */
export const tracesIn = ({ inspection, outcome, network, risk }: RunView): RunTraces | null =>
  outcome && {
    risk,
    success: outcome.success,
    error: outcome.error,
    executionTimeMs: outcome.executionTimeMs,
    cpuTimeMs: outcome.cpuTimeMs,
    peakMemoryBytes: outcome.peakMemoryBytes,
    variables: outcome.stateChanges ?? null,
    findings: inspection?.violations ?? [],
    impact: inspection?.impact ?? null,
    granted: network ?? [],
    files: outcome.files,
    network: outcome.network,
    tools: outcome.tools ?? [],
  }

/** One that this window did not see, as the record has it. */
export function useTraces(run: RunId | null): RunTraces | null {
  const { data } = useQuery({
    ...rpc.runs.traces.queryOptions({ input: run ?? skipToken }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return data ?? null
}
