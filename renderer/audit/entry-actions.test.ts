import { describe, expect, it } from 'vitest'
import { CellId, ConversationId, PathId, RequestId, RunId } from '../../src/contract/ids.ts'
import { useView } from '../state/view.ts'
import { entryActions } from './entry-actions.tsx'

const id = '01900000-0000-7000-8000-000000000001'
const about = {
  conversation: ConversationId.parse(id),
  path: PathId.parse(id),
  cell: CellId.parse(id),
  run: RunId.parse(id),
  request: RequestId.parse(id),
}

describe('the actions of an entry', () => {
  it('lead to all that it speaks of, and to nothing else', () => {
    expect(entryActions(about).map(each => each.label)).toEqual([
      'Go to the cell',
      'Go to the approval',
      'All of this run',
      'All of this conversation',
    ])
    const { cell: _, request: __, run: ___, ...path } = about
    expect(entryActions(path).map(each => each.label)).toEqual(['Go to the path', 'All of this conversation'])
    expect(entryActions({})).toEqual([])
  })

  it('open the request that was decided', () => {
    entryActions({ request: about.request })[0]?.onSelect()
    expect(useView.getState()).toMatchObject({ place: 'review', request: about.request })
  })
})
