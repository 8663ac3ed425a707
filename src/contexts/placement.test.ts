import { describe, expect, it } from 'vitest'
import { SandboxFacts } from '../contract/placement.ts'
import { fail, ok } from '../contract/problem.ts'
import { Limits } from '../contract/run.ts'
import { analyst, codeOf, harness, jail, must, newPath, placed, runOf } from './testing.ts'

const facts = { image: null, environment: null, mounts: [] }
const lies = {
  kind: { kind: 'docker' },
  isolation: { isolation: 'unconfined' },
  image: { facts: { ...facts, image: 'sha256:other' } },
  environment: { facts: { ...facts, environment: { name: 'another', digest: 'sha256:other' } } },
  mounts: { facts: { ...facts, mounts: [{ source: '/home', target: '/in', writable: true }] } },
  limits: { limits: Limits.parse({ memoryBytes: 2 ** 40 }) },
} satisfies Record<keyof SandboxFacts | 'limits', object>

describe('a sandbox that is not what was meant', () => {
  it.each(Object.entries(lies))('in its %s is closed at once, and nothing runs', async (_, lie) => {
    const { run, local, contexts, entries, rows } = await harness()
    local.lies = lie
    const path = newPath()
    const outcome = await run(path, 'set a 1')
    expect(codeOf(outcome)).toBe('sandbox.mismatch')
    expect(local.last).toMatchObject({ ran: [], closedFor: 'error' })
    expect(await rows()).toMatchObject([{ state: 'error', reason: 'error' }])
    expect(entries.map(entry => entry.action)).toEqual(['context.ended'])
    expect(contexts.facts(path)).toBeNull()
  })

  it('is not filled with files either', async () => {
    const { contexts, local } = await harness()
    local.lies = lies.mounts
    expect(codeOf(await contexts.files(newPath(), analyst).write('a.csv', Buffer.from('1')))).toBe('sandbox.mismatch')
    expect(local.last.filesNow.size).toBe(0)
  })
})

describe('the handover', () => {
  const signal = new AbortController().signal

  it('is asked with what the sandbox says of itself, for every run', async () => {
    const { contexts, local } = await harness()
    const path = newPath()
    const seen: SandboxFacts[] = []
    const start = (code: string) => {
      const run = runOf(path, code)
      const handover = async (place: SandboxFacts) => {
        seen.push(SandboxFacts.parse(place))
        return ok(run)
      }
      return contexts.run(run, () => undefined, signal, { handover })
    }
    must(await start('set a 1'))
    local.last.facts = { ...facts, image: 'sha256:other' }
    must(await start('get a'))
    expect(seen).toEqual([SandboxFacts.parse(jail), { ...SandboxFacts.parse(jail), image: 'sha256:other' }])
  })

  it('that is refused runs nothing, and leaves the sandbox as it is', async () => {
    const { contexts, local } = await harness()
    const path = newPath()
    const handover = async () => fail('approval.mismatch', 'It differs.', '')
    const outcome = await contexts.run(runOf(path, 'set a 1'), () => undefined, signal, { handover })
    expect(codeOf(outcome)).toBe('approval.mismatch')
    expect(local.last).toMatchObject({ ran: [], closedFor: null })
  })

  it('hands over what was verified, not what was offered', async () => {
    const { contexts, local } = await harness()
    const path = newPath()
    const verified = runOf(path, 'set a 1')
    await contexts.run(runOf(path, 'set a 2'), () => undefined, signal, { handover: async () => ok(verified) })
    expect(local.last.ran).toEqual(['set a 1'])
  })
})

describe('the record of a context', () => {
  it('says what its sandbox was to be', async () => {
    const { run, docker, entries, rows } = await harness()
    const contained = { kind: 'docker', isolation: 'container', image: 'sha256:abc' } as const
    docker.lies = { facts: { ...facts, image: 'sha256:abc' } }
    must(await run(newPath(), 'set a 1', placed(contained)))
    expect(docker.openOptions?.placement).toMatchObject(contained)
    expect(entries[0]).toMatchObject({ action: 'context.created', details: { placement: contained } })
    expect(JSON.parse((await rows())[0]?.placement ?? '')).toEqual({ ...SandboxFacts.parse(jail), ...contained })
  })
})
