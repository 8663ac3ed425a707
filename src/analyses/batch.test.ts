import { expect, it } from 'vitest'
import { TenantId, UserId } from '../contract/ids.ts'
import { fail, type Outcome, ok } from '../contract/problem.ts'
import { testIds } from '../sandbox/testing.ts'
import { Batch, type BatchDeps, type Case, readResults } from './batch.ts'

it('reads results to their end, and gives up on a file that other code makes longer and longer', async () => {
  const whole = Buffer.from('{"output":{}}\n'.repeat(400_000))
  const read = async (_: string, range = { offset: 0, length: whole.length }) =>
    ok(whole.subarray(range.offset, range.offset + range.length))
  expect(await readResults({ read }, 'results')).toBe(whole.toString())

  const piece = new Uint8Array(4_000_000)
  let asked = 0
  const endless = async () => {
    asked++
    return ok(piece)
  }
  expect(await readResults({ read: endless }, 'results')).toBeNull()
  expect(asked).toBeLessThan(50)
})

/** A batch over a folder in memory, whose runs answer every case with its own input. */
function batchIn(write?: (bytes: Uint8Array) => Outcome<void>) {
  const kept = new Map<string, Buffer>()
  const files = {
    write: async (name: string, bytes: Uint8Array) => {
      kept.set(name, Buffer.from(bytes))
      return write?.(bytes) ?? ok(undefined)
    },
    read: async (name: string) => ok(kept.get(name) ?? Buffer.alloc(0)),
  }
  /** From the file as it is when the run begins. */
  const calculate = async () => {
    await Promise.resolve()
    const [, ...cases] = (kept.get('analysis-cases.jsonl') ?? '').toString().trim().split('\n')
    const lines = cases.map(line => JSON.stringify({ output: JSON.parse(line).inputs }))
    kept.set('analysis-results.jsonl', Buffer.from(`${lines.join('\n')}\n`))
    return { state: 'finished' }
  }
  const deps = {
    runs: { start: async () => ok({ rest: calculate() }) },
    contexts: { files: () => files, end: async () => undefined },
    ids: testIds,
  } as unknown as BatchDeps
  return new Batch(deps, { tenant: testIds.make(TenantId), user: testIds.make(UserId) })
}

const prepared = { analysis: 'a', version: '1.0.0', sha256: '', code: '', own: false, parameters: {}, asOf: '' }
const one = (n: number) => ({ prepared: { ...prepared, inputs: { n } } }) as unknown as Case

it('answers each of two that run at once with its own results', async () => {
  const batch = batchIn()
  const answers = await Promise.all([1, 2, 3].map(n => batch.run([one(n)])))
  expect(answers).toEqual([[{ output: { n: 1 } }], [{ output: { n: 2 } }], [{ output: { n: 3 } }]])
})

it('opens its sandbox once more when a package was installed between placing and opening, and not a third time', async () => {
  const other = fail('sandbox.mismatch', 'Its packages differ.', 'Run it again.')
  const once = [other]
  expect(await batchIn(() => once.pop() ?? ok(undefined)).run([one(1)])).toEqual([{ output: { n: 1 } }])

  let tries = 0
  const never = batchIn(() => {
    tries++
    return other
  })
  expect(await never.run([one(1)])).toMatchObject([{ error: { code: 'sandbox.mismatch' } }])
  expect(tries).toBe(2)
})
