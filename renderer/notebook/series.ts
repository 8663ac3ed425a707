import { useQuery } from '@tanstack/react-query'
import type { Cell } from '../../src/contract/conversations.ts'
import type { PathId } from '../../src/contract/ids.ts'
import type { Series } from '../../src/contract/series.ts'
import { noteOwnRun } from '../review/asking.ts'
import { client } from '../state/connection.ts'
import { queryClient, rpc } from '../state/queries.ts'
import { settle } from './typing.ts'

/** The cells of a path that the engine runs one after the other, or what became of them. */
export const useSeries = (path: PathId): Series | null =>
  useQuery(rpc.series.of.queryOptions({ input: path })).data ?? null

/** Paths on which this window asked for cells: what has to wait there for an approval opens its dialog here. */
const own = new Set<PathId>()

export const runSeries = (path: PathId, cells: readonly Cell[]): Promise<void> =>
  asked(path, () => client.series.start({ path, cells: cells.map(({ id }) => id) }))

/** Runs what was left of a series when the application ended. */
export const resumeSeries = (path: PathId): Promise<void> => asked(path, () => client.series.resume(path))

async function asked(path: PathId, ask: () => Promise<void>): Promise<void> {
  // The engine runs what is saved: what was typed a moment ago is to be among it.
  await settle(path)
  own.add(path)
  try {
    await ask()
  } catch (error) {
    own.delete(path)
    throw error
  }
}

export function noteSeries(path: PathId, series: Series | null): void {
  queryClient.setQueryData(rpc.series.of.queryKey({ input: path }), series)
  if (series?.state !== 'running') own.delete(path)
  else if (series.run && own.has(path)) noteOwnRun({ run: series.run })
}
