import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Subject } from '../contract/approval.ts'
import { Placement } from '../contract/placement.ts'
import { canonicalJson } from './canonical.ts'
import { differences, hashSubject, matterOf, subjectOf } from './subject.ts'
import { analyst, aRun, inspection, jail, violation } from './testing.ts'

const occasion = {
  policy: 'a'.repeat(64),
  nonce: 'b'.repeat(32),
  expiresAt: 1_000_000,
  reasons: [
    { kind: 'risk' as const, action: 'approve' as const, text: 'Code of high risk needs an approval.', lines: [1] },
  ],
  authors: [analyst],
}
/** With something in each field, so that there is something to change: a field that is new does not compile without. */
const placement: Required<Placement> = {
  ...jail,
  image: 'sha256:1',
  environment: { name: 'default', version: '3.11.2', digest: 'sha256:2' },
  mounts: [{ source: '/data', target: '/in', writable: false }],
  network: ['example.org:443'],
  tools: [
    {
      server: 'ledger',
      tool: 'list_entries',
      calledAs: { server: 'ledger', tool: 'list_entries' },
      hash: 'c'.repeat(64),
      description: 'Lists entries.',
      effect: 'reads',
    },
  ],
  reasons: ['It was asked for.'],
  warnings: ['The environment is of this machine.'],
}
const run = aRun({
  args: ['--quarter', '3'],
  env: { REGION: 'IE', YEAR: '2026' },
  placement,
  inspection: inspection({ risk: 'high', violations: [violation('deletion'), violation('network', 'medium', 4)] }),
})
const subject = subjectOf(run, occasion)

type Path = readonly (string | number)[]

/** Every place in the subject that holds a plain value. */
function places(value: unknown, path: Path = []): Path[] {
  if (value === null || typeof value !== 'object') return [path]
  return Object.entries(value).flatMap(([key, part]) =>
    places(part, [...path, Array.isArray(value) ? Number(key) : key]),
  )
}

function replaced(value: unknown, [key, ...rest]: Path, change: (old: unknown) => unknown): unknown {
  if (key === undefined) return change(value)
  const copy = structuredClone(value) as Record<string | number, unknown>
  copy[key] = replaced(copy[key], rest, change)
  return copy
}

/** Some other value of the same type. */
const otherThan = (old: unknown, seed: number): unknown => {
  if (typeof old === 'string') return seed % 2 ? `${old}x` : old.slice(0, -1) + String.fromCharCode(33 + (seed % 90))
  if (typeof old === 'number') return old + 1 + seed
  if (typeof old === 'boolean') return !old
  return 'something'
}

describe('a subject', () => {
  it('has a place for everything that a decision is bound to', () => {
    expect(Object.keys(subject).sort()).toEqual(Object.keys(Subject.shape).sort())
    const names = places(subject).map(path => path.join('.'))
    for (const field of Object.keys(Placement.shape))
      expect(names.filter(name => new RegExp(`^placement\\.${field}(\\.|$)`).test(name))).not.toEqual([])
    for (const name of [
      'code',
      'args.1',
      'env.REGION',
      'placement.mounts.0.writable',
      'placement.limits.memoryBytes',
      'placement.network.0',
      'placement.environment.digest',
      'findings.1.line',
      'impact.blastRadius',
      'inspection',
      'reasons.0.action',
      'authors.0',
    ]) {
      expect(names).toContain(name)
    }
  })

  it('hashes differently when any single value of it changes', () => {
    const isTold = (path: Path, seed: number) => {
      const changed = replaced(subject, path, old => otherThan(old, seed)) as Subject
      if (canonicalJson(changed) === canonicalJson(subject)) return
      expect(hashSubject(changed)).not.toBe(hashSubject(subject))
      expect(differences(subject, changed), path.join('.')).toHaveLength(1)
    }
    const all = places(subject)
    for (const path of all) isTold(path, 1)
    fc.assert(fc.property(fc.constantFrom(...all), fc.nat(1000), isTold), { numRuns: 500 })
  })

  it('hashes differently when something is added, left out or moved', () => {
    const variants = [
      subject,
      { ...subject, args: [...subject.args, ''] },
      { ...subject, args: [...subject.args].reverse() },
      { ...subject, args: [subject.args.join(' ')] },
      { ...subject, env: { ...subject.env, MORE: '' } },
      { ...subject, env: { REGION: 'IE' } },
      { ...subject, placement: { ...subject.placement, network: [] } },
      { ...subject, findings: subject.findings.slice(1) },
      { ...subject, findings: [...subject.findings].reverse() },
      { ...subject, placement: { ...subject.placement, mounts: [] } },
    ]
    expect(new Set(variants.map(hashSubject)).size).toBe(variants.length)
  })

  it('hashes the same whatever the order of fields, and after a journey through JSON', () => {
    const turned = Object.fromEntries(Object.entries(subject).reverse()) as Subject
    expect(hashSubject(turned)).toBe(hashSubject(subject))
    expect(hashSubject(Subject.parse(JSON.parse(canonicalJson(subject))))).toBe(hashSubject(subject))
    const again = subjectOf({ ...run, placement: Placement.parse({ ...run.placement }), id: aRun().id }, occasion)
    expect(hashSubject(again)).toBe(hashSubject(subject))
  })

  it('binds every byte of the code', () => {
    const hashes = new Set(
      [run.code, `${run.code} `, `${run.code}\n`, `${run.code}\r\n`, 'rm -r out\u200b/', 'rm -r οut/'].map(
        code => subjectOf({ ...run, code }, occasion).code,
      ),
    )
    expect(hashes.size).toBe(6)
  })
})

describe('the matter', () => {
  it('is the same for every asking and differs for every other thing', () => {
    const asked = { ...occasion, nonce: 'c'.repeat(32), expiresAt: 5, policy: 'd'.repeat(64) }
    expect(matterOf(subjectOf(run, asked))).toBe(matterOf(subject))
    expect(matterOf(subjectOf({ ...run, code: 'ls' }, asked))).not.toBe(matterOf(subject))
  })
})
