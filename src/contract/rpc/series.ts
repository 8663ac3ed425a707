import { z } from 'zod'
import { PathId } from '../ids.ts'
import { Series, StartSeries } from '../series.ts'
import { procedure } from './base.ts'

export const seriesContract = {
  /** Runs cells in order, up to the first that does not succeed; while others of the path run, after them. */
  start: procedure.input(StartSeries).output(z.void()),
  of: procedure.input(PathId).output(Series.nullable()),
  /** No cell after the one under way is run; one that is over is not shown any more. */
  end: procedure.input(PathId).output(z.void()),
  /** Runs what was left when the application ended. */
  resume: procedure.input(PathId).output(z.void()),
}
