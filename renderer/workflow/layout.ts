/** Of a task in a drawing. */
export const size = { width: 190, height: 56 }
/** What lies between two of them. */
const gap = { along: 40, across: 18 }

export interface Frame {
  readonly width: number
  readonly height: number
}

interface Point {
  readonly x: number
  readonly y: number
}

export interface Layout {
  /** Which way the layers follow each other. */
  readonly direction: 'right' | 'down'
  readonly positions: ReadonlyMap<string, Point>
  /** How large it is drawn where all of it is to be seen. */
  readonly zoom: number
}

interface Drawn {
  readonly name: string
  readonly layer: number
  readonly needs: readonly string[]
}

/** Layers from left to right or from top to bottom, whichever can be drawn larger in the frame. */
export function layoutOf(tasks: readonly Drawn[], frame: Frame): Layout {
  const { places, rows } = rowsOf(tasks)
  const layers = Math.max(0, ...rows.keys()) + 1
  const widest = Math.max(1, ...rows.values())
  const across = (count: number, each: number, between: number) => count * (each + between) - between
  const zoom = (width: number, height: number) => Math.min(1, frame.width / width, frame.height / height)
  const toTheRight = zoom(across(layers, size.width, gap.along), across(widest, size.height, gap.across))
  const downwards = zoom(across(widest, size.width, gap.across), across(layers, size.height, gap.along))
  const direction = downwards > toTheRight ? 'down' : 'right'
  const at = ({ layer, row }: { layer: number; row: number }) => {
    // In the middle of the widest layer, so that edges are short.
    const place = row + (widest - (rows.get(layer) ?? 0)) / 2
    return direction === 'right'
      ? { x: layer * (size.width + gap.along), y: place * (size.height + gap.across) }
      : { x: place * (size.width + gap.across), y: layer * (size.height + gap.along) }
  }
  const positions = new Map(Array.from(places, ([name, place]) => [name, at(place)]))
  return { direction, positions, zoom: Math.max(downwards, toTheRight) }
}

/** Each task stands near those that it needs, so that few lines cross. */
function rowsOf(tasks: readonly Drawn[]) {
  const layers = new Map<number, Drawn[]>()
  for (const task of tasks) layers.set(task.layer, [...(layers.get(task.layer) ?? []), task])
  const places = new Map<string, { layer: number; row: number }>()
  const rows = new Map<number, number>()
  for (const [layer, members] of [...layers].sort(([a], [b]) => a - b)) {
    const middle = (count: number) => (count - 1) / 2
    const nearTo = ({ needs }: Drawn) => {
      const known = needs.flatMap(name => places.get(name) ?? [])
      const off = known.map(place => place.row - middle(rows.get(place.layer) ?? 0))
      return off.length === 0 ? 0 : off.reduce((sum, each) => sum + each, 0) / off.length
    }
    const wished = new Map(members.map(task => [task, nearTo(task)]))
    const sorted = members.toSorted(
      (a, b) => (wished.get(a) ?? 0) - (wished.get(b) ?? 0) || a.name.localeCompare(b.name, 'en', { numeric: true }),
    )
    for (const [row, { name }] of sorted.entries()) places.set(name, { layer, row })
    rows.set(layer, members.length)
  }
  return { places, rows }
}

/** The middle of a task's box. */
export const middleOf = ({ x, y }: Point): Point => ({ x: x + size.width / 2, y: y + size.height / 2 })

const steps = {
  right: { ArrowRight: ['layer', 1], ArrowLeft: ['layer', -1], ArrowDown: ['row', 1], ArrowUp: ['row', -1] },
  down: { ArrowDown: ['layer', 1], ArrowUp: ['layer', -1], ArrowRight: ['row', 1], ArrowLeft: ['row', -1] },
} as const

/** The task that an arrow key leads to: the next of its layer, or the nearest of the next layer. */
export function neighbourOf(
  tasks: readonly Drawn[],
  { direction, positions }: Layout,
  name: string,
  key: string,
): string | null {
  const [how, by] = (steps[direction] as Record<string, readonly ['layer' | 'row', 1 | -1]>)[key] ?? []
  const here = tasks.find(task => task.name === name)
  if (!here || !how || !by) return null
  const across = (task: Drawn) => positions.get(task.name)?.[direction === 'right' ? 'y' : 'x'] ?? 0
  const off = (task: Drawn) => across(task) - across(here)
  const possible = tasks.filter(task =>
    how === 'layer' ? task.layer === here.layer + by : task.layer === here.layer && off(task) * by > 0,
  )
  const [nearest] = possible.toSorted((a, b) => Math.abs(off(a)) - Math.abs(off(b)))
  return nearest?.name ?? null
}
