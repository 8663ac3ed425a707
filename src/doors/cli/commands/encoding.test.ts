import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { call, folder } from './call.testing.ts'
import { TextCodec } from './encoding.ts'
import { command as redact } from './redact.ts'
import { command as scan } from './scan.ts'

const utf16le = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')
const utf16be = (text: string) => utf16le(text).swap16()

describe('text in other encodings', () => {
  it.each([
    ['little', utf16le],
    ['big', utf16be],
  ])('is UTF-16 when its mark says so, and stays so: %s end first', async (_name, encode) => {
    const cwd = folder()
    const bytes = encode('mail zoë@bank.ie 😀 now')
    expect(JSON.parse((await call(scan, { json: true }, ['-'], bytes)).out).spans).toMatchObject([
      { start: 6, end: 17, type: 'EMAIL' },
    ])
    const redacted = await call(redact, { map: 'x.map' }, ['-'], bytes, cwd)
    expect(redacted.bytes).toEqual(encode('mail [EMAIL_1] 😀 now'))
    const back = await call(redact, { map: 'x.map', restore: true }, ['-'], redacted.bytes, cwd)
    expect(back.bytes).toEqual(bytes)
  })

  it('comes back byte for byte when it is no UTF-8, also inside a value', async () => {
    const cwd = folder()
    const bytes = Buffer.concat([
      Buffer.from('caf\xe9 jane@bank.ie, password="abc\xffdef12345" ', 'latin1'),
      Buffer.from([0xc3, 0x28, 0xed, 0xa0, 0x80, 0xf0, 0x9f]),
    ])
    const redacted = await call(redact, { map: 'x.map' }, ['-'], bytes, cwd)
    expect(redacted.bytes.toString('latin1')).toContain('caf\xe9 [EMAIL_1]')
    const back = await call(redact, { map: 'x.map', restore: true }, ['-'], redacted.bytes, cwd)
    expect(back.bytes).toEqual(bytes)
  })

  it('is decoded and encoded exactly, wherever it is cut', () => {
    const pieces = fc.oneof(
      fc.uint8Array({ maxLength: 6 }),
      fc.string({ unit: 'binary', maxLength: 4 }).map(text => new Uint8Array(Buffer.from(text))),
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), fc.integer({ min: 1, max: 5 }), (list, size) => {
        const bytes = Buffer.concat([Buffer.from('x'), ...list])
        const codec = new TextCodec(true)
        const out: Buffer[] = []
        for (let at = 0; at < bytes.length; at += size)
          out.push(codec.encode(codec.decode(bytes.subarray(at, at + size))))
        out.push(codec.encode(codec.decode(Buffer.alloc(0), true)))
        expect(Buffer.concat(out)).toEqual(bytes)
      }),
      { numRuns: 500 },
    )
  })
})
