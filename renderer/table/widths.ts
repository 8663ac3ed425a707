import { useCallback, useMemo, useState } from 'react'
import { narrowest, naturalWidth } from './format.ts'
import type { TableSource } from './source.ts'

/** How wide each column is: as wide as its values want, until a person says otherwise. */
export function useColumnWidths(source: TableSource) {
  const natural = useMemo(() => source.columns.map((_, index) => naturalWidth(source, index)), [source])
  const [chosen, setChosen] = useState<ReadonlyMap<number, number>>(new Map())
  const edges = useMemo(() => {
    const sums = [0]
    for (const [index, width] of natural.entries()) sums.push((sums[index] ?? 0) + (chosen.get(index) ?? width))
    return sums
  }, [natural, chosen])
  const resize = useCallback(
    (column: number, by: number) =>
      setChosen(before => {
        const width = before.get(column) ?? natural[column] ?? narrowest
        return new Map(before).set(column, Math.max(narrowest, width + by))
      }),
    [natural],
  )
  const fit = useCallback(
    (column: number) =>
      setChosen(before => {
        const next = new Map(before)
        next.delete(column)
        return next
      }),
    [],
  )
  return { edges, resize, fit }
}
