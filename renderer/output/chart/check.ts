import type { MimeBundle } from '../../../src/contract/run.ts'

type Json = MimeBundle[string]
type Spec = { [key: string]: Json }

const isSpec = (value: Json | undefined): value is Spec =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Data made out of nothing beyond this holds up the window for seconds. */
const mostPoints = 1_000_000
const deepest = 200

/**
 * Reads a chart's specification and refuses what would hang the window. Charts without a size of their own take the
 * width that there is.
 */
export function checkSpec(value: Json, width: number): Spec {
  const spec = typeof value === 'string' ? (JSON.parse(value) as Json) : value
  if (!isSpec(spec)) throw new Error('its specification is not an object')
  const stack: { value: Json; depth: number }[] = [{ value: spec, depth: 0 }]
  for (let next = stack.pop(); next; next = stack.pop()) {
    if (next.depth > deepest) throw new Error('its specification is nested too deeply')
    if (typeof next.value !== 'object' || next.value === null) continue
    if (isSpec(next.value) && isSpec(next.value.sequence)) checkSequence(next.value.sequence)
    for (const child of Object.values(next.value))
      if (typeof child === 'object') stack.push({ value: child, depth: next.depth + 1 })
  }
  // `usermeta` speaks to embedding tools, and could change how they load things.
  const { usermeta: _, ...rest } = spec
  const isSingle = 'mark' in rest || 'layer' in rest
  return isSingle && !('width' in rest)
    ? { ...rest, width: fitting(width), autosize: { type: 'fit', contains: 'padding' } }
    : rest
}

const fitting = (width: number) => Math.max(240, Math.min(width || 640, 720))

function checkSequence({ start, stop, step }: Spec): void {
  const points = (Number(stop ?? 0) - Number(start ?? 0)) / Number(step ?? 1)
  if (!(Math.abs(points) <= mostPoints)) throw new Error('it would make more than a million points')
}
