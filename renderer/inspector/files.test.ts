import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'

vi.mock('../state/connection.ts', () => ({ client: {} }))
vi.mock('../state/queries.ts', () => ({ rpc: {}, queryClient: {} }))
const { safeName, visible } = await import('./files.tsx')

describe('file names', () => {
  it.each([
    ['../../etc/passwd', '__.._etc_passwd'],
    ['data\u0000.csv', 'data_.csv'],
    ['invoice\u202Efdp.exe', 'invoice_fdp.exe'],
    ['C:\\data\\x.csv', 'C__data_x.csv'],
    ['', 'file'],
  ])('takes %j in as %j', (name, safe) => {
    expect(safeName(name)).toBe(safe)
  })

  it('never lets a name leave the folder or hide a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), name => {
        const safe = safeName(name)
        expect(safe).not.toMatch(/[/\\\p{Cc}\p{Cf}]/u)
        expect(['.', '..', '']).not.toContain(safe)
      }),
    )
  })

  it('shows what a name made by code would hide', () => {
    expect(visible('a\u202Eb\n')).toBe('a\\u{202e}b\\u{a}')
  })
})
