import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Command, Io } from '../command.ts'
import { command as redact } from './redact.ts'
import { command as scan } from './scan.ts'

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'countersign-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

async function call(
  command: Command,
  values: Record<string, string | boolean>,
  positionals: string[],
  input: string | Readable = '',
  cwd = folder(),
) {
  const out: string[] = []
  const err: string[] = []
  const collect = (into: string[]) =>
    new Writable({
      write(chunk, _encoding, done) {
        into.push(String(chunk))
        done()
      },
    })
  const io: Io = {
    stdin: typeof input === 'string' ? Readable.from([Buffer.from(input)]) : input,
    stdout: collect(out),
    stderr: collect(err),
    env: { COUNTERSIGN_HOME: cwd },
    cwd,
    signal: new AbortController().signal,
  }
  const code = await command.run({ values, positionals }, io)
  return { code, out: out.join(''), err: err.join(''), cwd }
}

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
      Buffer.from([0xff, 0xfe, 0x20]),
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

  it('says in a sentence that a file is not there', async () => {
    await expect(call(scan, {}, ['nowhere.txt'])).rejects.toThrow('there is no such file')
  })
})

describe('countersign redact', () => {
  it('replaces, keeps an encrypted map, and puts everything back', async () => {
    const cwd = folder()
    const text = 'Dear Jane, [EMAIL_1] is not jane@bank.ie; card 4111 1111 1111 1111.\n'
    const { out } = await call(redact, { map: 'x.map' }, ['-'], text, cwd)
    expect(out).toBe('Dear [PERSON_1], [LITERAL_1] is not [EMAIL_1]; card [CREDIT_CARD_1].\n')
    expect(readFileSync(join(cwd, 'x.map'), 'latin1')).not.toContain('jane')
    expect((await call(redact, { restore: true, map: 'x.map' }, ['-'], out, cwd)).out).toBe(text)
  })

  it('opens a map with its passphrase and with no other', async () => {
    const cwd = folder()
    writeFileSync(join(cwd, 'right'), 'correct horse\n')
    writeFileSync(join(cwd, 'wrong'), 'battery staple\n')
    const { out } = await call(redact, { map: 'x.map', 'passphrase-file': 'right' }, ['-'], 'jane@bank.ie', cwd)
    expect((await call(redact, { restore: true, map: 'x.map', 'passphrase-file': 'right' }, ['-'], out, cwd)).out).toBe(
      'jane@bank.ie',
    )
    await expect(
      call(redact, { restore: true, map: 'x.map', 'passphrase-file': 'wrong' }, ['-'], out, cwd),
    ).rejects.toThrow('cannot be opened')
  })

  it('needs constant memory for an endless line', async () => {
    const chunk = 'a1b2c3 4111111111111111 '.repeat(4096)
    async function* endless() {
      for (let count = 0; count < 60; count++) yield Buffer.from(count % 3 === 0 ? '9'.repeat(100_000) : chunk)
    }
    const before = process.memoryUsage().heapUsed
    let written = 0
    const counting = new Writable({
      highWaterMark: 1024,
      write(part, _encoding, done) {
        written += part.length
        setImmediate(done)
      },
    })
    const io: Io = {
      stdin: Readable.from(endless(), { objectMode: false }),
      stdout: counting,
      stderr: new Writable({ write: (_part, _encoding, done) => done() }),
      env: {},
      cwd: '/',
      signal: new AbortController().signal,
    }
    expect(await redact.run({ values: {}, positionals: ['-'] }, io)).toBe(0)
    expect(counting.listenerCount('error')).toBeLessThan(2)
    expect(written).toBeGreaterThan(4_000_000)
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(100_000_000)
  })
})
