import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { main } from '../main.ts'
import { call, ioFor } from './call.testing.ts'
import { command as scan } from './scan.ts'

describe('countersign scan', () => {
  it('prints one JSON document with exact spans and exits 1 when something was found', async () => {
    const { code, out } = await call(scan, { json: true }, ['-'], 'mail jane@bank.ie now')
    expect(JSON.parse(out)).toEqual({
      id: '-',
      spans: [{ start: 5, end: 17, type: 'EMAIL', rule: 'email', score: 0.95 }],
    })
    expect(code).toBe(1)
  })

  it('answers each line of JSON in order, keeps its id, and exits 0 when nothing was found', async () => {
    const lines = ['{"id":"b","text":"nothing"}', '{"id":2,"text":""}', '{"id":[1],"text":"v1.2.3"}']
    const { code, out } = await call(scan, { jsonl: true }, ['-'], lines.join('\n'))
    expect(
      out
        .trim()
        .split('\n')
        .map(line => JSON.parse(line)),
    ).toEqual([
      { id: 'b', spans: [] },
      { id: 2, spans: [] },
      { id: [1], spans: [] },
    ])
    expect(code).toBe(0)
  })

  it('answers a line that is no JSON with an error in its place and exits 2', async () => {
    const { code, out } = await call(scan, { jsonl: true }, ['-'], 'oops\n{"id":1,"text":"a@b.ie"}\n')
    const [first, second] = out
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    expect(first.error.code).toBe('request.invalid')
    expect(second.spans).toHaveLength(1)
    expect(code).toBe(2)
  })

  it('takes content or input for text, keeps the id of a line that has neither, and a mark before the first line', async () => {
    const lines = '\ufeff{"id":1,"content":"a@b.ie"}\r\n{"id":2,"input":"a@b.ie"}\n{"id":3}\n'
    const { code, out } = await call(scan, { jsonl: true }, ['-'], lines)
    const [first, second, third] = out
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    expect([first.id, first.spans.length, second.id, second.spans.length]).toEqual([1, 1, 2, 1])
    expect(third).toMatchObject({ id: 3, error: { code: 'request.invalid' } })
    expect(code).toBe(2)
  })

  it('reads the columns of a table in a file', async () => {
    const { out } = await call(scan, { json: true }, ['-'], 'id,first_name\n1,Aoife\n2,Bo\n')
    expect(JSON.parse(out).spans).toMatchObject([
      { start: 16, end: 21, type: 'PERSON', rule: 'sensitive-column' },
      { start: 24, end: 26, type: 'PERSON', rule: 'sensitive-column' },
    ])
  })

  it('counts code points when asked, also where a stream is cut', async () => {
    const text = `${'😀 word '.repeat(2000)}jane@bank.ie`
    const { out } = await call(scan, { json: true, 'code-points': true }, ['-'], text)
    expect(JSON.parse(out).spans).toEqual([{ start: 14_000, end: 14_012, type: 'EMAIL', rule: 'email', score: 0.95 }])
  })

  it('finds a value whose bytes come one at a time, and survives bytes that are no UTF-8', async () => {
    const bytes = Buffer.concat([
      Buffer.from([0xff, 0xfd, 0x20]),
      Buffer.from('zoë@bänk.ie'),
      Buffer.from([0x20, 0xc3]),
    ])
    const { out } = await call(scan, { json: true }, ['-'], Readable.from([...bytes].map(byte => Buffer.from([byte]))))
    expect(JSON.parse(out).spans).toMatchObject([{ start: 3, end: 14, type: 'EMAIL' }])
  })

  it('lists findings for people with line and column, masked', async () => {
    const { out, err } = await call(scan, {}, ['-'], 'first\n  jane@bank.ie\n')
    expect(out).toBe('-:2:3  EMAIL  ja········ie  (email, 0.95)\n')
    expect(err).toBe('1 found: 1 EMAIL\n')
  })

  it('writes what it finds in pieces, not one by one', async () => {
    const { io, out } = ioFor('jane@bank.ie '.repeat(5000))
    expect(await scan.run({ values: { json: true }, positionals: ['-'] }, io)).toBe(1)
    expect(JSON.parse(out.join('')).spans).toHaveLength(5000)
    expect(out.length).toBeLessThan(50)
  })

  it('says in a sentence that a file is not there', async () => {
    const { io, err } = ioFor()
    // Not 1, which says that something was found.
    expect(await main(['scan', 'nowhere.txt'], io)).toBe(2)
    expect(err.join('')).toContain('there is no such file')
  })
})
