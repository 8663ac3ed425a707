import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PathSummary } from '../../src/contract/conversations.ts'
import type { PathId } from '../../src/contract/ids.ts'
import { layOut } from './layout.ts'

const path = (id: string, under: string | null) => ({ id, shownUnder: under }) as unknown as PathSummary
const drawn = (paths: PathSummary[], folded: string[] = []) =>
  layOut(paths, new Set(folded as PathId[])).map(row => `${'·'.repeat(row.level)}${row.path.id}`)

describe('the tree', () => {
  const paths = [path('main', null), path('a', 'main'), path('b', 'main'), path('a1', 'a')]

  it('draws each path under the one that it branches from', () => {
    expect(drawn(paths)).toEqual(['main', '·a', '··a1', '·b'])
  })

  it('keeps the children of a folded path to itself', () => {
    expect(drawn(paths, ['a'])).toEqual(['main', '·a', '·b'])
  })

  it('passes a line by for a later sibling', () => {
    const rows = layOut(paths, new Set())
    expect(rows.find(row => row.path.id === ('a1' as PathId))?.guides).toEqual([false, true])
  })

  it('shows every path once, parents first, however they hang together', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 60 }), parents => {
        const all = [
          path('0', null),
          ...parents.map((parent, index) => path(String(index + 1), String(parent % (index + 1)))),
        ]
        const order = layOut(all, new Set()).map(row => row.path)
        expect(new Set(order)).toEqual(new Set(all))
        for (const [index, each] of order.entries()) {
          expect(order.findIndex(other => other.id === each.shownUnder)).toBeLessThan(index)
        }
      }),
    )
  })
})
