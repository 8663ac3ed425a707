export type Json = string | number | boolean | null | Json[] | { [key: string]: Json }

/** One line of a JSON tree. */
export interface JsonRow {
  /** Where the value stands; unique in the tree. */
  readonly path: string
  readonly depth: number
  /** Name, index or range; `null` for the root. */
  readonly name: string | null
  /** The value, or for a range of a long list the part that it stands for. */
  readonly value: Json
  /** How many children it has; `null` when it is a plain value. */
  readonly size: number | null
  readonly open: boolean
  readonly range: boolean
}

/** A list longer than this is shown in ranges, so that opening it never makes a million lines. */
const longest = 1000

interface Node extends Omit<JsonRow, 'open' | 'size'> {
  readonly entries: (() => Node[]) | null
  readonly size: number | null
}

/** The lines of a tree whose nodes at `open` are open. Without recursion: hostile JSON is a hundred thousand deep. */
export function jsonRows(value: Json, open: ReadonlySet<string>): JsonRow[] {
  const rows: JsonRow[] = []
  const stack: Node[] = [node(value, '$', 0, null)]
  for (let next = stack.pop(); next; next = stack.pop()) {
    const isOpen = next.entries !== null && open.has(next.path)
    const { entries, ...row } = next
    rows.push({ ...row, open: isOpen })
    if (isOpen && entries) stack.push(...entries().reverse())
  }
  return rows
}

function node(value: Json, path: string, depth: number, name: string | null): Node {
  if (typeof value !== 'object' || value === null) {
    return { path, depth, name, value, size: null, range: false, entries: null }
  }
  const keys = Array.isArray(value) ? null : Object.keys(value)
  const size = keys ? keys.length : (value as Json[]).length
  const entries = () => children(value, keys, path, depth + 1, 0, size)
  return { path, depth, name, value, size, range: false, entries }
}

function children(whole: object, keys: string[] | null, path: string, depth: number, from: number, to: number): Node[] {
  const step = stepFor(to - from)
  if (step === 1) {
    return Array.from({ length: to - from }, (_, offset) => {
      const key = keys ? (keys[from + offset] ?? '') : String(from + offset)
      const value = (whole as Record<string, Json>)[key] ?? null
      return node(value, `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`, depth, key)
    })
  }
  return Array.from({ length: Math.ceil((to - from) / step) }, (_, index) => {
    const start = from + index * step
    const end = Math.min(to, start + step)
    return {
      path: `${path}/${start}…${end}`,
      depth,
      name: `${start} … ${end - 1}`,
      value: null,
      size: end - start,
      range: true,
      entries: () => children(whole, keys, path, depth + 1, start, end),
    }
  })
}

/** The size of a range, a power of the longest list, such that there are at most that many ranges. */
function stepFor(count: number): number {
  let step = 1
  while (count / step > longest) step *= longest
  return step
}

/** The nodes that stand open at first: as many as fit on a screen. */
export function openAtFirst(value: Json, most = 24): Set<string> {
  let open = new Set(['$'])
  let rows = jsonRows(value, open)
  while (rows.length < most) {
    const wider = new Set([...open, ...rows.filter(row => row.size && !row.open && !row.range).map(row => row.path)])
    if (wider.size === open.size) break
    const more = jsonRows(value, wider)
    if (more.length > most) break
    open = wider
    rows = more
  }
  return rows.length > most * 20 ? new Set() : open
}
