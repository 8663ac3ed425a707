import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeFrame, FrameDecoder } from './frames.ts'

describe('frames', () => {
  it('come out as they went in, however the bytes are cut', () => {
    const frame = fc.record({ text: fc.string({ unit: 'binary' }), payload: fc.uint8Array({ maxLength: 300 }) })
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 6 }), fc.integer({ min: 1, max: 97 }), (sent, step) => {
        const bytes = Buffer.concat(sent.map(({ text, payload }) => encodeFrame({ type: 'x', text }, payload)))
        const decoder = new FrameDecoder()
        const received = []
        for (let at = 0; at < bytes.length; at += step) received.push(...decoder.feed(bytes.subarray(at, at + step)))
        expect(
          received.map(({ header, payload }) => ({ text: header.text, payload: new Uint8Array(payload) })),
        ).toEqual(sent.map(({ text, payload }) => ({ text: JSON.parse(JSON.stringify(text)), payload })))
      }),
    )
  })

  it.each([
    ['a length that nobody could mean', Buffer.from('ffffffff00000000', 'hex')],
    ['a header that is no JSON', Buffer.concat([Buffer.from('0300000000000000', 'hex'), Buffer.from('{{{')])],
    ['a header without a type', Buffer.concat([Buffer.from('0200000000000000', 'hex'), Buffer.from('{}')])],
  ])('refuse %s', (_, bytes) => {
    expect(() => new FrameDecoder().feed(bytes)).toThrow()
  })
})
