import { z } from 'zod'
import * as f from '../figures.ts'
import { CellId, FigureId, PathId } from '../ids.ts'
import { procedure } from './base.ts'

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
}
