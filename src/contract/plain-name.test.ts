import { describe, expect, it } from 'vitest'
import { NewIdentity } from './approval.ts'
import { Name } from './conversations.ts'

describe('a name that people read', () => {
  it.each([
    ['ends the line', 'Rates\nApproved by Bea', 'Rates Approved by Bea'],
    ['moves the cursor', 'Rates\x1b[2Kx', 'Rates [2Kx'],
    ['turns around', 'report\u202excod.exe', 'report xcod.exe'],
    ['is one line already', '  Séan’s 利率 👩‍💻 ', 'Séan’s 利率 👩‍💻'],
  ])('that %s is one line that reads from its start', (_, name, plain) => {
    expect(Name.parse(name)).toBe(plain)
  })

  it('of a person hides nothing, so that two of them can be told apart', () => {
    expect(NewIdentity.safeParse({ name: 'Bea' }).success).toBe(true)
    for (const name of ['Bea\u200b', 'Be\u00ada', 'Bea\u2060', '\ufeffBea\ufe0f'])
      expect(NewIdentity.safeParse({ name }).success, JSON.stringify(name)).toBe(false)
  })
})
