import { eventIterator } from '@orpc/contract'
import { z } from 'zod'
import * as f from '../figures.ts'
import { CellId, FigureId, PathId } from '../ids.ts'
import { PathReportRequest } from '../path-report.ts'
import { procedure } from './base.ts'
import { Download } from './downloads.ts'

const working = eventIterator(
  z.discriminatedUnion('type', [
    z.object({ type: z.literal('progress'), done: z.number().int(), total: z.number().int() }),
    z.object({ type: z.literal('done'), result: Download }),
  ]),
)

export const figuresContract = {
  candidates: procedure
    .input(z.object({ path: PathId, cell: CellId, find: z.string().max(200).default('') }))
    .output(z.array(f.Candidate)),
  list: procedure.input(PathId).output(z.array(f.Figure)),
  pin: procedure.input(f.PinFigure).output(FigureId),
  unpin: procedure.input(f.FigureRef).output(z.void()),
  rename: procedure.input(f.RenameFigure).output(z.void()),
  move: procedure.input(f.MoveFigure).output(z.void()),
  compare: procedure.input(f.CompareFigures).output(f.FigureComparison),
  lineage: procedure.input(f.FigureRef).output(f.Lineage),
  /** Ending the stream stops the work. */
  report: procedure.input(PathReportRequest).output(working),
  /** All of a path as a PDF, code and outputs. */
  printPath: procedure.input(PathId).output(working),
}
