import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Output } from '../../contract/run.ts'
import { temporaryHome } from '../testing.ts'
import { Recorder } from './recorder.ts'

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
        const shown: Output[] = []
        const file = join(home.home, `${round++}.txt`)
        const recorder = new Recorder(output => void shown.push(output), limit, file)
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
    const recorder = new Recorder(() => undefined, 3, join(home.home, 'half.txt'))
    await recorder.stream('stdout', Buffer.from('ab😀'))
    expect((await recorder.end()).stdout).toBe('ab')
  })

  it('holds the sandbox back while the sink is busy', () => {
    const busy = new Promise<void>(() => undefined)
    const recorder = new Recorder(() => busy, 100, join(home.home, 'busy.txt'))
    expect(recorder.stream('stdout', Buffer.from('x'))).toBeInstanceOf(Promise)
  })

  it('leaves out displays that no kernel of ours would send', () => {
    const shown: Output[] = []
    const recorder = new Recorder(output => void shown.push(output), 100, join(home.home, 'odd.txt'))
    recorder.output({ type: 'result', data: 5 })
    recorder.output({ type: 'launch', data: {} })
    recorder.output({ type: 'result', data: { 'text/plain': 'x'.repeat(17 * 1024 * 1024) } })
    expect(shown.map(output => output.type)).toEqual(['notice'])
  })
})
