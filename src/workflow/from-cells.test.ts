import { describe, expect, it } from 'vitest'
import { graphFromCells } from './from-cells.ts'
import { parseGraph } from './graph.ts'

const cell = (reads: string[], writes: string[], unknown = false) => ({
  language: 'python' as const,
  code: `# reads ${reads}\nx = "it's: #1"\n`,
  reads,
  writes,
  unknown,
})
const layersOf = (source: string) => {
  const parsed = parseGraph(source)
  if ('faults' in parsed) throw new Error(JSON.stringify(parsed.faults))
  return parsed.graph.layers
}

describe('a graph made from cells', () => {
  it('has an edge where one reads what another writes', () => {
    const source = graphFromCells('x', [cell([], ['a']), cell(['a'], ['b']), cell(['a'], ['c']), cell(['b', 'c'], [])])
    expect(layersOf(source)).toEqual([['cell_1'], ['cell_2', 'cell_3'], ['cell_4']])
  })

  it('keeps the order of two that write the same', () => {
    expect(layersOf(graphFromCells('x', [cell([], ['a']), cell([], ['a'])]))).toEqual([['cell_1'], ['cell_2']])
  })

  it('does not move a write before a read', () => {
    expect(layersOf(graphFromCells('x', [cell(['a'], []), cell([], ['a'])]))).toEqual([['cell_1'], ['cell_2']])
  })

  it('takes what is not known for needed', () => {
    expect(layersOf(graphFromCells('x', [cell([], ['a']), cell([], [], true), cell([], ['c'])]))).toHaveLength(3)
  })

  it('carries the code unchanged', () => {
    const parsed = parseGraph(graphFromCells('x', [cell([], ['a'])]))
    expect('graph' in parsed && parsed.graph.spec.tasks.cell_1).toMatchObject({ code: cell([], ['a']).code })
  })
})
