import { describe, expect, it } from 'vitest'
import { nameOf, packagesIn } from './words.ts'

describe('the names of packages that somebody typed', () => {
  it('are told apart by spaces, commas and lines, without comments and doubles', () => {
    expect(packagesIn('python3-xlrd, jq\n# for dates\npython3-dateutil jq  # again')).toEqual([
      'python3-xlrd',
      'jq',
      'python3-dateutil',
    ])
    expect(packagesIn(' \n ')).toEqual([])
  })
})

describe('the name of a sandbox', () => {
  it('is that of its path, also where the conversation is gone', () => {
    expect(nameOf({ conversation: 'Q3', path: 'main' })).toBe('Q3 › main')
    expect(nameOf({ conversation: '', path: '' })).toBe('this path')
  })
})
