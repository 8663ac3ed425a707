import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Shown } from '../../contract/shown.ts'
import { temporaryHome } from '../testing.ts'
import { Recorder } from './recorder.ts'

const anywhere = async (_: string, at: number) => at

describe('what is kept of a run’s output', () => {
  let home: Awaited<ReturnType<typeof temporaryHome>>
  beforeAll(async () => {
    home = await temporaryHome()
  })
  afterAll(() => home.remove())

  it('is its beginning, while the sink and the file get all of it', async () => {
    let round = 0
    const piece = fc.tuple(
      fc.constantFrom('stdout' as const, 'stderr' as const),
      fc.string({ unit: 'grapheme', maxLength: 40 }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(piece), fc.integer({ min: 1, max: 60 }), async (pieces, limit) => {
        const shown: Shown[] = []
        const file = join(home.home, `${round++}.txt`)
        const recorder = new Recorder(output => void shown.push(output), limit, file, anywhere)
        for (const [name, text] of pieces) await recorder.stream(name, Buffer.from(text))
        const kept = await recorder.end()
        const all = pieces.map(([, text]) => text).join('')
        expect(shown.map(output => (output.type === 'stream' ? output.text : '')).join('')).toBe(all)
        expect(kept.stdout.length + kept.stderr.length).toBeLessThanOrEqual(limit)
        expect(recorder.truncated).toBe(all.length > limit)
        expect(kept.outputs.map(output => (output.type === 'stream' ? output.text : '')).join('').length).toBe(
          kept.stdout.length + kept.stderr.length,
        )
        if (recorder.truncated) expect(readFileSync(file, 'utf8')).toBe(all)
      }),
      { numRuns: 60 },
    )
  })

  it('never ends in half a character', async () => {
    const recorder = new Recorder(() => undefined, 3, join(home.home, 'half.txt'), anywhere)
    await recorder.stream('stdout', Buffer.from('ab😀'))
    expect((await recorder.end()).stdout).toBe('ab')
  })

  it('ends before a value that only what follows makes known, in each stream', async () => {
    const beforeValue = async (text: string, at: number) => {
      const value = text.indexOf('IE29 AIBK')
      return value >= 0 && value < at ? value : at
    }
    const recorder = new Recorder(() => undefined, 12, join(home.home, 'value.txt'), beforeValue)
    const printed = [
      ['stdout', 'account IE2'],
      ['stderr', 'a line\n'],
      ['stdout', '9 AI'],
      ['stdout', 'BK and more'],
    ] as const
    for (const [name, text] of printed) await recorder.stream(name, Buffer.from(text))
    expect(await recorder.end()).toMatchObject({
      stdout: 'account ',
      stderr: 'a',
      outputs: [
        { type: 'stream', name: 'stdout', text: 'account ' },
        { type: 'stream', name: 'stderr', text: 'a' },
        { type: 'notice', cut: true },
      ],
    })
  })

  it('holds the sandbox back while the sink is busy', () => {
    const busy = new Promise<void>(() => undefined)
    const recorder = new Recorder(() => busy, 100, join(home.home, 'busy.txt'), anywhere)
    expect(recorder.stream('stdout', Buffer.from('x'))).toBeInstanceOf(Promise)
  })

  it('leaves out displays that no kernel of ours would send', () => {
    const shown: Shown[] = []
    const recorder = new Recorder(output => void shown.push(output), 100, join(home.home, 'odd.txt'), anywhere)
    recorder.output({ type: 'result', data: 5 })
    recorder.output({ type: 'launch', data: {} })
    recorder.output({ type: 'result', data: { 'text/plain': 'x'.repeat(17 * 1024 * 1024) } })
    expect(shown.map(output => output.type)).toEqual(['notice'])
  })
})

describe('outputs that the code takes back or changes', () => {
  let home: Awaited<ReturnType<typeof temporaryHome>>
  beforeAll(async () => {
    home = await temporaryHome()
  })
  afterAll(() => home.remove())

  const plain = (text: string) => ({ data: { 'text/plain': text } })
  const recording = (limit = 100) => {
    const shown: Shown[] = []
    return {
      shown,
      recorder: new Recorder(output => void shown.push(output), limit, join(home.home, 'changed.txt'), anywhere),
    }
  }
  const print = (recorder: Recorder, text: string) => recorder.stream('stdout', Buffer.from(text))

  it('are kept as they are in the end, and what was printed is kept as well', async () => {
    const { shown, recorder } = recording()
    await print(recorder, 'one\n')
    recorder.output({ type: 'clear', wait: false })
    await print(recorder, 'two\n')
    expect(await recorder.end()).toEqual({
      stdout: 'one\ntwo\n',
      stderr: '',
      outputs: [{ type: 'stream', name: 'stdout', text: 'two\n' }],
    })
    expect(shown.map(each => each.type)).toEqual(['stream', 'clear', 'stream'])
  })

  it('wait for what replaces them where the code asks for that', async () => {
    const { shown, recorder } = recording()
    await print(recorder, 'one')
    recorder.output({ type: 'clear', wait: true })
    expect(shown.map(each => each.type)).toEqual(['stream'])
    recorder.output({ type: 'display', ...plain('two') })
    expect(shown.map(each => each.type)).toEqual(['stream', 'clear', 'display'])
    recorder.output({ type: 'clear', wait: true })
    expect((await recorder.end()).outputs).toEqual([{ type: 'display', ...plain('two') }])
  })

  it('are replaced by the error of a run too, where they waited for something, as in Jupyter', async () => {
    const { shown, recorder } = recording()
    const error = { kind: 'runtime', name: 'ZeroDivisionError', message: '', traceback: [] } as const
    await print(recorder, 'one')
    recorder.output({ type: 'clear', wait: true })
    const { outputs } = await recorder.end()
    expect(await recorder.fail({ ...error, traceback: [] }, outputs)).toEqual([{ type: 'error', error }])
    expect(shown.map(each => each.type)).toEqual(['stream', 'clear', 'error'])
  })

  it('have room again for as much text as at the beginning', async () => {
    const { recorder } = recording(10)
    for (let n = 0; n < 10; n++) {
      recorder.output({ type: 'clear', wait: true })
      await print(recorder, `round ${n}\n`)
    }
    const { stdout, outputs } = await recorder.end()
    expect(stdout).toBe('round 0\nro')
    expect(outputs).toEqual([{ type: 'stream', name: 'stdout', text: 'round 9\n' }])
    expect(recorder.truncated).toBe(true)
  })

  it('show what the last update brought, wherever they stand, without a name', async () => {
    const { recorder } = recording()
    recorder.output({ type: 'display', displayId: 'bar', ...plain('0 %') })
    await print(recorder, 'between')
    recorder.output({ type: 'display', displayId: 'bar', ...plain('10 %') })
    recorder.output({ type: 'update', displayId: 'bar', ...plain('20 %') })
    const { outputs } = await recorder.end()
    expect(outputs).toEqual([
      { type: 'display', ...plain('20 %') },
      { type: 'stream', name: 'stdout', text: 'between' },
      { type: 'display', ...plain('20 %') },
    ])
  })

  it('are shown where they are updated when an earlier run displayed them, and not at all when they were cleared', async () => {
    const { shown, recorder } = recording()
    recorder.output({ type: 'update', displayId: 'earlier', ...plain('1') })
    recorder.output({ type: 'update', displayId: 'earlier', ...plain('2') })
    expect(shown.map(each => each.type)).toEqual(['display', 'update'])
    recorder.output({ type: 'clear', wait: false })
    recorder.output({ type: 'update', displayId: 'earlier', ...plain('3') })
    expect((await recorder.end()).outputs).toEqual([])
  })

  it('count only as much as is shown, however often they change', async () => {
    const { shown, recorder } = recording()
    const large = plain('x'.repeat(5 * 1024 * 1024))
    recorder.output({ type: 'display', displayId: 'film', ...large })
    for (let n = 0; n < 6; n++) recorder.output({ type: 'update', displayId: 'film', ...large })
    expect(recorder.truncated).toBe(false)
    expect(recorder.written).toBeGreaterThan(35 * 1024 * 1024)
    for (let n = 0; n < 5; n++) recorder.output({ type: 'display', displayId: 'film', ...large })
    expect(shown.filter(each => each.type === 'notice')).toHaveLength(1)
    expect((await recorder.end()).outputs).toHaveLength(3)
  })
})
