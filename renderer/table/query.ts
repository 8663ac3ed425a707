import { type Condition, order, sortKey, tester } from './filter.ts'
import { cellText, type TableSource } from './source.ts'

export interface Query {
  readonly sort?: { readonly column: number; readonly descending: boolean }
  /** Text to be found in any column. */
  readonly search?: string
  readonly conditions?: ReadonlyMap<number, Condition>
}

/** The rows that a query asks for, in its order, as indexes into the source. Rows that compare equal keep their order. */
export function query(source: TableSource, asked: Query): Int32Array {
  const steps = querySteps(source, asked)
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

/**
 * The same in slices of a few milliseconds, so that a million rows never hold up the window. Resolves to `null` when it
 * was called off.
 */
export async function queryInSlices(
  source: TableSource,
  asked: Query,
  signal: AbortSignal,
): Promise<Int32Array | null> {
  const steps = querySteps(source, asked)
  for (;;) {
    const until = performance.now() + 8
    do {
      const step = steps.next()
      if (step.done) return step.value
    } while (performance.now() < until)
    await new Promise<void>(resume => setTimeout(resume))
    if (signal.aborted) return null
  }
}

const rowsPerStep = 4096

function* querySteps(source: TableSource, asked: Query): Generator<void, Int32Array> {
  const rows = yield* matching(source, asked)
  return asked.sort ? yield* sorted(source, rows, asked.sort.column, asked.sort.descending) : rows
}

function* matching(source: TableSource, asked: Query): Generator<void, Int32Array> {
  const rows = new Int32Array(source.rowCount)
  const tests = Array.from(asked.conditions ?? [], ([index, condition]) => {
    const column = source.columns[index]
    return column && { index, holds: tester(column, condition) }
  }).filter(test => test !== undefined)
  const wanted = asked.search?.trim().toLowerCase() ?? ''
  const found = (row: number) =>
    wanted === '' ||
    source.columns.some((_, index) => cellText(source.value(row, index)).toLowerCase().includes(wanted))
  let kept = 0
  for (let row = 0; row < source.rowCount; row++) {
    if (tests.every(test => test.holds(source.value(row, test.index))) && found(row)) rows[kept++] = row
    if (row % rowsPerStep === rowsPerStep - 1) yield
  }
  return rows.subarray(0, kept)
}

const collator = new Intl.Collator('en')

function* sorted(
  source: TableSource,
  rows: Int32Array,
  index: number,
  descending: boolean,
): Generator<void, Int32Array> {
  const column = source.columns[index]
  if (!column) return rows
  const key = sortKey(column)
  const numbers = new Float64Array(source.rowCount)
  const texts: string[] = []
  const present = new Int32Array(rows.length)
  const missing: number[] = []
  let count = 0
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at] ?? 0
    const value = key(source.value(row, index))
    if (value === null) missing.push(row)
    else {
      present[count++] = row
      if (typeof value === 'number') numbers[row] = value
      else texts[row] = value
    }
    if (at % rowsPerStep === rowsPerStep - 1) yield
  }
  // Equal texts are compared once, not once a pair: a column of a million rows has often a few hundred values.
  if (texts.length > 0) yield* rankTexts(texts, present.subarray(0, count), numbers)
  const compare = descending
    ? (a: number, b: number) => order(numbers[b] ?? 0, numbers[a] ?? 0)
    : (a: number, b: number) => order(numbers[a] ?? 0, numbers[b] ?? 0)
  const ordered = yield* mergeSort(present.subarray(0, count), compare)
  const all = new Int32Array(rows.length)
  all.set(ordered)
  // What is missing stands last in both directions: it is neither small nor large.
  all.set(missing, count)
  return all
}

function* rankTexts(texts: readonly string[], rows: Int32Array, ranks: Float64Array): Generator<void> {
  const ids = new Map<string, number>()
  const words: string[] = []
  for (let at = 0; at < rows.length; at++) {
    const word = texts[rows[at] ?? 0] ?? ''
    if (!ids.has(word)) {
      ids.set(word, words.length)
      words.push(word)
    }
    if (at % rowsPerStep === rowsPerStep - 1) yield
  }
  const ordered = yield* mergeSort(Int32Array.from(words.keys()), (a, b) =>
    collator.compare(words[a] ?? '', words[b] ?? ''),
  )
  const rank = new Float64Array(words.length)
  for (let at = 0; at < ordered.length; at++) rank[ordered[at] ?? 0] = at
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at] ?? 0
    ranks[row] = rank[ids.get(texts[row] ?? '') ?? 0] ?? 0
    if (at % rowsPerStep === rowsPerStep - 1) yield
  }
}

/** Stable, bottom up, and willing to pause: the one sort of the platform can do neither of the last two. */
function* mergeSort(items: Int32Array, compare: (a: number, b: number) => number): Generator<void, Int32Array> {
  let from = items.slice()
  let to = new Int32Array(items.length)
  let worked = 0
  for (let width = 1; width < from.length; width *= 2) {
    for (let low = 0; low < from.length; low += width * 2) {
      const middle = Math.min(low + width, from.length)
      const high = Math.min(low + width * 2, from.length)
      let left = low
      let right = middle
      for (let at = low; at < high; at++) {
        const takeLeft = right >= high || (left < middle && compare(from[left] ?? 0, from[right] ?? 0) <= 0)
        to[at] = (takeLeft ? from[left++] : from[right++]) ?? 0
        if (++worked % rowsPerStep === 0) yield
      }
    }
    ;[from, to] = [to, from]
  }
  return from
}
