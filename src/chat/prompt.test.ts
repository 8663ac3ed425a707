import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ItemId, Message } from '../contract/conversations.ts'
import type { MessageId } from '../contract/ids.ts'
import { FieldReader } from './arguments.ts'
import { firstThatCouldFit, fitToWindow, type Piece } from './prompt.ts'

const piece = (id: string, chars: number): Piece => ({
  item: id as ItemId,
  messages: [{ role: 'user', content: [{ type: 'text', text: id.repeat(chars) }] }],
  chars,
})

const message = (id: string, text: string): Message => ({
  ...{ kind: 'message', author: 'analyst', id: id as MessageId, text },
  ...{ revision: 0, inherited: false, changedAt: 0 },
})

describe('fitting to a window', () => {
  const pieces = [piece('a', 3000), piece('b', 3000), piece('c', 3000), piece('q', 300)]

  it('leaves out the oldest, counts them and tells the model', () => {
    const fitted = fitToWindow({ system: 'system', pieces, skipped: 0 }, 'q' as ItemId, 4000, 1000)
    expect(fitted?.leftOut).toBe(1)
    expect(JSON.stringify(fitted?.prompt)).toContain('1 earlier items of this notebook are left out')
    expect(fitToWindow({ system: 'system', pieces, skipped: 0 }, 'q' as ItemId, 40_000, 1000)?.leftOut).toBe(0)
  })

  it('looks only at the end of a long path, and counts the rest as left out', () => {
    const items = Array.from({ length: 1000 }, (_, at) => message(`m${at}`, 'word '.repeat(20)))
    const first = firstThatCouldFit(items, 'm999' as ItemId, 1000)
    // Ten of a hundred characters each fit; the question itself always goes.
    expect(first).toBe(989)
    expect(firstThatCouldFit(items, 'm999' as ItemId, 1_000_000)).toBe(0)
    const fitted = fitToWindow({ system: '', pieces, skipped: 500 }, 'q' as ItemId, 4000, 1000)
    expect(fitted?.leftOut).toBe(501)
  })

  it('never leaves out the question or what came after it', () => {
    expect(
      fitToWindow({ system: 'system', pieces: [...pieces, piece('r', 90_000)], skipped: 0 }, 'q' as ItemId, 4000, 1000),
    ).toBeNull()
  })
})

describe('arguments that stream in', () => {
  it('give the field as it is, however they are cut', () => {
    const text = fc.string({ unit: 'binary', maxLength: 60 }).filter(each => each.isWellFormed())
    fc.assert(
      fc.property(text, text, fc.integer({ min: 1, max: 9 }), (code, other, size) => {
        const json = JSON.stringify({ other, nested: { code: 'no', list: ['code', other] }, code, language: 'python' })
        const escaped = json.replace(
          /[\u0080-\uffff]/g,
          sign => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
        )
        for (const form of [json, escaped]) {
          const reader = new FieldReader('code')
          let read = ''
          for (let at = 0; at < form.length; at += size) read += reader.push(form.slice(at, at + size))
          expect(read).toBe(code)
        }
      }),
    )
  })
})
