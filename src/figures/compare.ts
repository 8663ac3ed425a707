import type { CompareFigures, FigureComparison, FigurePlace, FigureState } from '../contract/figures.ts'
import type { CellId, PathId } from '../contract/ids.ts'
import { fail, type Outcome, ok } from '../contract/problem.ts'
import type { Caller, CellResult, Conversations, Pin } from '../conversations/conversations.ts'
import { stateOf } from './figures.ts'

type Source = Pick<Conversations, 'pins' | 'results' | 'tree' | 'locate'>

/**
 * Every figure that one of the paths has pinned, as each of them shows it: a branch from before the pinning has the
 * same cell, and so the same figure.
 */
export async function compareFigures(
  conversations: Source,
  who: Caller,
  { paths }: CompareFigures,
): Promise<Outcome<FigureComparison>> {
  const names = await namesOf(conversations, who, paths)
  if (!names.ok) return names
  const pins = new Map<PathId, readonly Pin[]>()
  for (const path of paths) {
    const read = await conversations.pins(who, path)
    if (!read.ok) return read
    pins.set(path, read.value)
  }
  const wanted = new Map([...pins.values()].flat().map(pin => [keyOf(pin), pin]))
  const cells = [...new Set([...wanted.values()].map(pin => pin.cell))]
  const columns: ((pin: Pin) => FigureComparison['rows'][number]['states'][number])[] = []
  for (const path of paths) {
    const results = await conversations.results(who, path, cells)
    if (!results.ok) return results
    const byCell = new Map<string, CellResult>(results.value.map(result => [result.cell, result]))
    const own = new Map((pins.get(path) ?? []).map(pin => [keyOf(pin), pin.id]))
    columns.push(pin => ({
      figure: own.get(keyOf(pin)) ?? null,
      state: stateOf(pin.place, byCell.get(pin.cell) ?? null),
    }))
  }
  const rows = [...wanted.values()].map(pin => {
    const states = columns.map(column => column(pin))
    return { cell: pin.cell as CellId, place: pin.place, name: pin.name, unit: unitOf(pin.place, states), states }
  })
  return ok({ paths: names.value, rows })
}

const keyOf = ({ cell, place }: Pin): string => `${cell} ${JSON.stringify(place)}`

function unitOf(place: FigurePlace, states: readonly { state: FigureState }[]): string {
  if (place.kind === 'number') return place.unit
  const shown = states.flatMap(({ state }) => (state.kind === 'shown' ? state.value : []))
  return shown.flatMap(value => (value.kind === 'number' ? value.unit : []))[0] ?? ''
}

async function namesOf(conversations: Source, who: Caller, paths: readonly PathId[]) {
  const found: { id: PathId; name: string }[] = []
  let of: string | null = null
  for (const path of paths) {
    const conversation = await conversations.locate(who, path)
    if (!conversation.ok) return conversation
    if (of !== null && of !== conversation.value)
      return fail('request.invalid', 'These paths belong to two conversations.', 'Choose paths of one conversation.')
    of = conversation.value
    const tree = await conversations.tree(who, conversation.value)
    if (!tree.ok) return tree
    const summary = tree.value.paths.find(each => each.id === path)
    if (!summary) return fail('not-found', 'This path does not exist.', 'It may have been deleted.')
    found.push({ id: path, name: summary.name })
  }
  return ok(found)
}
