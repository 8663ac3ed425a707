import type { Root } from 'hast'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { isQuick, parseMarkdown } from './parse.ts'
import { MarkdownParser, type ParserWorker } from './parser.ts'

describe('parsing', () => {
  it('keeps HTML as the text that it is', () => {
    const json = JSON.stringify(parseMarkdown('a <script>x</script>\n\n<img src=x onerror=y>'))
    expect(json).not.toContain('"raw"')
    expect(json).not.toContain('"tagName":"img"')
    expect(json).toContain('"value":"<img src=x onerror=y>"')
  })

  it('gives up on what nobody could read', () => {
    expect(parseMarkdown(`${'>'.repeat(150)} x`)).toBeNull()
    expect(parseMarkdown('- a\n'.repeat(100), 200)).toBeNull()
    expect(parseMarkdown('- a\n'.repeat(10), 200)).not.toBeNull()
  })

  it('is done at once only for short and shallow texts', () => {
    expect(isQuick('# A **title**\n\n- one\n- two')).toBe(true)
    expect(isQuick('x'.repeat(5000))).toBe(false)
    expect(isQuick(`${'> '.repeat(30)}x`)).toBe(false)
    expect(isQuick(`ok\n${'- '.repeat(30)}x`)).toBe(false)
  })
})

describe('the parser in a worker', () => {
  const started: (ParserWorker & { given: string[]; ended: boolean })[] = []
  const parser = () =>
    new MarkdownParser(() => {
      const worker = {
        onmessage: null,
        given: [] as string[],
        ended: false,
        postMessage: (text: string) => void worker.given.push(text),
        terminate: () => {
          worker.ended = true
        },
      }
      started.push(worker)
      return worker
    })
  const tree: Root = { type: 'root', children: [] }
  const answer = () => started.at(-1)?.onmessage?.({ data: tree } as MessageEvent<Root>)

  beforeEach(() => {
    started.length = 0
    vi.useFakeTimers()
  })
  afterEach(() => void vi.useRealTimers())

  it('takes one text after another and drops what was withdrawn', () => {
    const one = parser()
    const got: string[] = []
    one.parse('a', () => got.push('a'))
    one.parse('b', () => got.push('b'))()
    one.parse('c', () => got.push('c'))
    answer()
    answer()
    expect(got).toEqual(['a', 'c'])
    expect(started).toHaveLength(1)
    expect(started[0]?.given).toEqual(['a', 'c'])
  })

  it('ends a worker that takes too long and goes on with another', () => {
    const one = parser()
    const got: unknown[] = []
    one.parse('slow', result => got.push(result))
    one.parse('next', result => got.push(result))
    vi.advanceTimersByTime(5000)
    expect(started[0]?.ended).toBe(true)
    answer()
    expect(got).toEqual([null, tree])
  })

  it('answers where there are no workers', () => {
    const got: unknown[] = []
    const none = new MarkdownParser(() => {
      throw new ReferenceError('Worker is not defined')
    })
    none.parse('x', result => got.push(result))
    expect(got).toEqual([null])
  })
})
