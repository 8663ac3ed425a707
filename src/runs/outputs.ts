import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../clock.ts'
import { RunId } from '../contract/ids.ts'

const dayMs = 24 * 60 * 60_000
/** As long as a conversation that was deleted by mistake gets its long outputs back, and as a run without a cell has. */
export const keptDays = 30

export interface TidyOptions {
  /** Where sandboxes put outputs that are too long to keep on the record, each under the id of its run. */
  readonly folder: string
  readonly clock: Clock
  /** Which of these runs a conversation shows, or showed until it was deleted after `since`. */
  readonly shown: (runs: readonly RunId[], since: number) => Promise<ReadonlySet<RunId>>
}

/** Removes whole outputs that nobody can come back to. Answers how many. */
export async function pruneOutputs({ folder, clock, shown }: TidyOptions): Promise<number> {
  const before = clock.now() - keptDays * dayMs
  const old: RunId[] = []
  for (const name of await readdir(folder).catch(() => [])) {
    const run = RunId.safeParse(/^(.+)\.txt$/.exec(name)?.[1])
    if (run.success && (await changedAt(fileOf(folder, run.data))) < before) old.push(run.data)
  }
  if (old.length === 0) return 0
  const kept = await shown(old, before)
  const gone = old.filter(run => !kept.has(run))
  for (const run of gone) await rm(fileOf(folder, run), { force: true })
  return gone.length
}

const fileOf = (folder: string, run: RunId) => join(folder, `${run}.txt`)

/** One that another process has just removed counts as new: there is nothing left to do about it. */
const changedAt = (file: string) =>
  stat(file).then(
    ({ mtimeMs }) => mtimeMs,
    () => Number.POSITIVE_INFINITY,
  )
