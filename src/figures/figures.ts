import type {
  Candidate,
  CompareFigures,
  Figure,
  FigureComparison,
  FigureReading,
  FigureRef,
  FigureState,
  FigureValue,
  Lineage,
  MoveFigure,
  PinFigure,
  RenameFigure,
} from '../contract/figures.ts'
import type { CellId, FigureId, PathId } from '../contract/ids.ts'
import type { PathReportRequest } from '../contract/path-report.ts'
import { fail, type Outcome, ok } from '../contract/problem.ts'
import type { Caller, CellResult, Conversations, Pin } from '../conversations/conversations.ts'
import { spotsIn } from './candidates.ts'
import { compareFigures } from './compare.ts'
import { type Contents, contentsOf } from './contents.ts'
import { lineageOf } from './lineage.ts'
import { findPlace } from './place.ts'
import { type PathReport, type Progress, type ReportSources, reportOf } from './report/report.ts'

export type { PathReport } from './report/report.ts'

/** Values, tables and charts that a person pinned, each followed to wherever its cell puts it now. */
export interface Figures {
  /** What can be pinned of a cell's outputs; `find` narrows it to what has these words. */
  candidates(who: Caller, of: { path: PathId; cell: CellId; find?: string }): Promise<Outcome<Candidate[]>>
  list(who: Caller, path: PathId): Promise<Outcome<Figure[]>>
  pin(who: Caller, request: PinFigure): Promise<Outcome<FigureId>>
  unpin(who: Caller, request: FigureRef): Promise<Outcome<void>>
  rename(who: Caller, request: RenameFigure): Promise<Outcome<void>>
  move(who: Caller, request: MoveFigure): Promise<Outcome<void>>
  /** One row for each figure that any of the paths has pinned; the value of each path by its own outputs. */
  compare(who: Caller, request: CompareFigures): Promise<Outcome<FigureComparison>>
  /** Where a figure comes from, by the record. */
  lineage(who: Caller, request: FigureRef): Promise<Outcome<Lineage>>
  /** The figures of a path with what they rest on, as a document. Refuses stale ones unless told otherwise. */
  report(who: Caller, request: PathReportRequest, progress?: Progress): Promise<Outcome<PathReport>>
}

export interface FiguresOptions extends ReportSources {
  readonly conversations: ReportSources['conversations'] &
    Pick<Conversations, 'pin' | 'unpin' | 'renamePin' | 'movePin'>
}

export function createFigures(options: FiguresOptions): Figures {
  const { conversations } = options

  async function list(who: Caller, path: PathId): Promise<Outcome<Figure[]>> {
    const read = await readFigures(conversations, who, path)
    return read.ok ? ok(read.value.map(({ figure }) => figure)) : read
  }

  return {
    list,
    async candidates(who, { path, cell, find }) {
      const results = await conversations.results(who, path, [cell])
      if (!results.ok) return results
      const pins = await conversations.pins(who, path)
      if (!pins.ok) return pins
      const pinned = new Map(
        pins.value.filter(each => each.cell === cell).map(each => [JSON.stringify(each.place), each.id]),
      )
      const spots = spotsIn(shownBy(results.value[0]), find)
      return ok(spots.map(spot => ({ ...spot, figure: pinned.get(JSON.stringify(spot.place)) ?? null })))
    },
    async pin(who, request) {
      const results = await conversations.results(who, request.path, [request.cell])
      if (!results.ok) return results
      if (!findPlace(shownBy(results.value[0]), request.place)) return nothingThere
      return conversations.pin(who, request)
    },
    unpin: (who, request) => conversations.unpin(who, request),
    rename: (who, request) => conversations.renamePin(who, request),
    move: (who, request) => conversations.movePin(who, request),
    compare: (who, request) => compareFigures(conversations, who, request),
    report: (who, request, progress) => reportOf(options, who, request, progress),
    async lineage(who, { path, figure: id }) {
      const read = await readFigures(conversations, who, path)
      if (!read.ok) return read
      const found = read.value.find(({ figure }) => figure.id === id)
      if (!found) return fail('not-found', 'This figure is not pinned on this path.', 'It may have been unpinned.')
      return ok(await lineageOf(options, who, found))
    },
  }
}

const nothingThere = fail(
  'figure.gone',
  'There is nothing in the output of this cell under that name.',
  'The cell may have run again meanwhile: look at what it shows now.',
)

/** A figure with the result that it was read from; null where its cell is not on the path. */
export interface ReadFigure {
  readonly figure: Figure
  readonly result: CellResult | null
  /** Each value that its cell gave it, newest first. */
  readonly history: readonly FigureReading[]
}

export async function readFigures(
  conversations: Pick<Conversations, 'pins' | 'results'>,
  who: Caller,
  path: PathId,
): Promise<Outcome<ReadFigure[]>> {
  const pins = await conversations.pins(who, path)
  if (!pins.ok) return pins
  const results = await conversations.results(
    who,
    path,
    pins.value.map(pin => pin.cell),
  )
  if (!results.ok) return results
  const byCell = new Map(results.value.map(result => [result.cell, result]))
  return ok(pins.value.map(pin => readFigure(pin, byCell.get(pin.cell) ?? null)))
}

function readFigure({ cell, ...pin }: Pin, result: CellResult | null): ReadFigure {
  const history = historyOf(pin.place, result)
  const state = stateOf(pin.place, result, history)
  return { figure: { ...pin, cell: cell as CellId, state }, result, history }
}

/** What a path shows in a place of a cell now. */
export function stateOf(
  place: Pin['place'],
  result: CellResult | null,
  history: readonly FigureReading[] = historyOf(place, result),
): FigureState {
  if (!result) return { kind: 'gone', why: 'cell', sentence: 'Its cell is not on this path any more.' }
  const [run] = result.runs
  if (!run) return { kind: 'gone', why: 'output', sentence: 'Its cell has no output. Run it to have the figure again.' }
  const [now, ...earlier] = history
  if (!now || now.run !== run.run || now.at !== run.at)
    return { kind: 'gone', why: 'place', sentence: 'The last run of its cell shows nothing under its name.' }
  const before = earlier.find(each => !isSame(each.value, now.value)) ?? null
  return { kind: 'shown', ...now, stale: result.stale, before }
}

function historyOf(place: Pin['place'], result: CellResult | null): FigureReading[] {
  return (result?.runs ?? []).flatMap(({ outputs, run, at, ranOn }) => {
    const value = findPlace(contentsOf(outputs), place)
    return value ? { value, run, at, ranOn } : []
  })
}

/** Charts and tables of two runs are different outputs, whatever they show. */
const isSame = (one: FigureValue, other: FigureValue): boolean => JSON.stringify(one) === JSON.stringify(other)

const nothing: Contents = { numbers: [], tables: [], charts: [] }
const shownBy = (result: CellResult | undefined): Contents =>
  result?.runs[0] ? contentsOf(result.runs[0].outputs) : nothing
