/** A place in a cell that a traceback speaks of. */
export interface CellLink {
  readonly from: number
  readonly to: number
  readonly line: number
  /** The number of the run whose code it is, where the text says so. */
  readonly execution?: number
}

// `File "<cell 3>", line 7`, `<cell>:7:12`, `Cell In[3], line 7`, `Cell line 7`, `<cell 3>: line 7: …`.
const place =
  /(?:File "?)?(?:<cell(?:[ -](\d{1,7}))?>|\bCell(?: In ?\[(\d{1,7})\])?)"?(?:[,:]? {0,2}line {1,2}|:)(\d{1,7})(?::\d{1,7})?/gi

export function findCellLinks(text: string): CellLink[] {
  return Array.from(text.matchAll(place), match => {
    const execution = match[1] ?? match[2]
    return {
      from: match.index,
      to: match.index + match[0].length,
      line: Number(match[3]),
      ...(execution !== undefined && { execution: Number(execution) }),
    }
  }).filter(link => link.line > 0)
}
