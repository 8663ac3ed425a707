import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isolations, sandboxKinds } from '../contract/run.ts'
import { chooseSandbox, sandboxTypes, securityLevels } from './registry.ts'

const jail = { kind: 'local', isolation: 'jail' } as const
const open = { kind: 'local', isolation: 'unconfined' } as const
const docker = { kind: 'docker', isolation: 'container' } as const
const cloud = { kind: 'e2b', isolation: 'cloud' } as const

describe('choosing a sandbox', () => {
  it.each([
    ['low', [jail, docker], 'local'],
    ['moderate', [jail, docker], 'local'],
    ['high', [jail, docker], 'docker'],
    ['maximum', [jail, docker, cloud], 'e2b'],
  ] as const)('takes the back end of level %s when it is there', (level, available, kind) => {
    expect(chooseSandbox('auto', level, available)).toMatchObject({ ok: true, value: { kind } })
  })

  it('says nothing when the back end that was meant is used', () => {
    expect(chooseSandbox('auto', 'moderate', [jail])).toMatchObject({ ok: true, value: { warnings: [] } })
  })

  it('refuses rather than run high-risk code in something weaker than the policy allows', () => {
    expect(chooseSandbox('auto', 'high', [jail])).toMatchObject({ ok: false, problem: { code: 'sandbox.unavailable' } })
    expect(chooseSandbox('docker', 'high', [jail])).toMatchObject({ ok: false })
    expect(chooseSandbox('auto', 'moderate', [open])).toMatchObject({ ok: false })
  })

  it('stands in with a warning where the policy allows it', () => {
    const choice = chooseSandbox('auto', 'high', [jail], 'jail')
    expect(choice).toMatchObject({ ok: true, value: { kind: 'local' } })
    expect(choice.ok && choice.value.warnings.join()).toContain('isolates less')
  })

  it('never gives less isolation than allowed, and never another back end without a word', () => {
    const found = fc.record({ kind: fc.constantFrom(...sandboxKinds), isolation: fc.constantFrom(...isolations) })
    fc.assert(
      fc.property(
        fc.constantFrom(...sandboxTypes),
        fc.constantFrom(...securityLevels),
        fc.uniqueArray(found, { selector: one => one.kind }),
        fc.constantFrom(...isolations),
        (type, level, available, weakest) => {
          const choice = chooseSandbox(type, level, available, weakest)
          if (!choice.ok) return
          expect(isolations.indexOf(choice.value.isolation)).toBeGreaterThanOrEqual(isolations.indexOf(weakest))
          expect(available).toContainEqual({ kind: choice.value.kind, isolation: choice.value.isolation })
          if (type !== 'auto' && choice.value.kind !== type) expect(choice.value.warnings.length).toBeGreaterThan(0)
        },
      ),
    )
  })
})
