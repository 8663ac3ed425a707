import { describe, expect, it } from 'vitest'
import type { Person, RequestState } from '../../src/contract/approval.ts'
import { UserId } from '../../src/contract/ids.ts'
import { closedWhy } from './words.ts'

const rea: Person = { id: UserId.parse('01900000-0000-7000-8000-000000000001'), name: 'Rea' }
const asked = (state: RequestState) => ({ state, reviewer: rea, note: '' })

describe('a request that was used', () => {
  it('says what came of the run, and claims no more than the record tells', () => {
    expect(closedWhy(asked('used'), 'failure')).toBe('Approved by Rea. The run failed. An approval counts for one run.')
    expect(closedWhy(asked('used'), 'success')).toContain('The run succeeded.')
    expect(closedWhy(asked('used'))).toContain('The run was started.')
  })

  it('can no longer be answered, unlike one that waits', () => {
    expect(closedWhy(asked('waiting'))).toBeNull()
    expect(closedWhy(asked('saved'))).toBeNull()
  })
})
