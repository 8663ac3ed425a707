/** Size of a task in a drawing, and what lies between two of them. */
const box = { width: 190, height: 56 }
const gap = { along: 40, across: 18 }

export interface Frame {
  readonly width: number
  readonly height: number
}

export interface Layout {
  /** Which way the layers follow each other. */
  readonly direction: 'right' | 'down'
  readonly positions: ReadonlyMap<string, { readonly x: number; readonly y: number }>
}

/** Layers from left to right or from top to bottom, whichever can be drawn larger in the frame. */
export function layoutOf(tasks: readonly { readonly name: string; readonly layer: number }[], frame: Frame): Layout {
  const places = new Map<string, { layer: number; row: number }>()
  const rows = new Map<number, number>()
  for (const { name, layer } of tasks) {
    const row = rows.get(layer) ?? 0
    rows.set(layer, row + 1)
    places.set(name, { layer, row })
  }
  const layers = Math.max(0, ...rows.keys()) + 1
  const widest = Math.max(1, ...rows.values())
  const across = (count: number, size: number, between: number) => count * (size + between) - between
  const zoom = (width: number, height: number) => Math.min(1, frame.width / width, frame.height / height)
  const toTheRight = zoom(across(layers, box.width, gap.along), across(widest, box.height, gap.across))
  const downwards = zoom(across(widest, box.width, gap.across), across(layers, box.height, gap.along))
  const direction = downwards > toTheRight ? 'down' : 'right'
  const at = ({ layer, row }: { layer: number; row: number }) => {
    // In the middle of the widest layer, so that edges are short.
    const place = row + (widest - (rows.get(layer) ?? 0)) / 2
    return direction === 'right'
      ? { x: layer * (box.width + gap.along), y: place * (box.height + gap.across) }
      : { x: place * (box.width + gap.across), y: layer * (box.height + gap.along) }
  }
  return { direction, positions: new Map(Array.from(places, ([name, place]) => [name, at(place)])) }
}
