import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Policy } from '../contract/policy.ts'
import { createApproval } from './approval.ts'
import {
  defaultPolicy,
  parsePolicy,
  policySchema,
  policyVersion,
  renderPolicy,
  strictPolicy,
  updateText,
} from './policy-text.ts'
import { anApproval, analyst, aRun, codeOf, inspection, must } from './testing.ts'

const version = policyVersion

describe('the policy file', () => {
  it('is not needed: without it the defaults are in force', async () => {
    const { approval, parts } = await anApproval()
    expect(await approval.policy.current()).toMatchObject({ source: 'default', policy: defaultPolicy, problem: null })
    expect(existsSync(parts.policyFile)).toBe(false)
    expect(must(parsePolicy(await approval.policy.text()))).toEqual(defaultPolicy)
  })

  it('can be YAML or JSON, and its change is seen at the next question and recorded with before and after', async () => {
    const { approval, parts, entries } = await anApproval()
    const run = aRun({ inspection: inspection() })
    expect((await approval.decide(run)).kind).toBe('cleared')
    writeFileSync(parts.policyFile, 'forceApproval: true # for the audit season\n')
    expect((await approval.decide(run)).kind).toBe('waiting')
    writeFileSync(parts.policyFile, '{"thresholds": {"low": "block"}}')
    expect((await approval.decide(run)).kind).toBe('refused')
    expect(entries.filter(entry => entry.action === 'policy.changed')).toMatchObject([
      { actor: null, details: { changes: { forceApproval: { before: 'false', after: 'true' } } } },
      {
        details: {
          changes: {
            forceApproval: { before: 'true', after: 'false' },
            'thresholds.low': { before: '"auto"', after: '"block"' },
          },
        },
      },
    ])
  })

  it('records a change that was made while the application was closed', async () => {
    const kit = await anApproval({ policy: { forceApproval: true } })
    await kit.approval.close()
    writeFileSync(kit.parts.policyFile, 'thresholds: { high: auto }')
    const next = createApproval(kit.parts)
    expect((await next.policy.current()).policy.thresholds.high).toBe('auto')
    expect(kit.entries.at(-1)).toMatchObject({ action: 'policy.changed', actor: null })
    const count = kit.entries.length
    await next.close()
    await createApproval(kit.parts).policy.current()
    expect(kit.entries.length).toBe(count)
  })

  it('when broken leaves the last good policy in force and says what is wrong', async () => {
    const { approval, parts } = await anApproval({ policy: { thresholds: { low: 'approve' } } })
    for (const text of [
      'thresholds: [',
      'thresholds: { low: maybe }',
      'treshholds: {}',
      'forceApproval: 1',
      '- a',
      '"x"',
      'a: 1\na: 2',
    ]) {
      writeFileSync(parts.policyFile, text)
      const state = await approval.policy.current()
      expect(state).toMatchObject({ source: 'last-good', policy: { thresholds: { low: 'approve' } } })
      expect(state.problem?.code).toBe('policy.unreadable')
      expect(state.problem?.message).toContain('stays in force')
    }
    writeFileSync(parts.policyFile, 'thresholds: { low: maybe }')
    expect((await approval.policy.current()).problem?.message).toContain('thresholds.low')
  })

  it('when broken from the start puts the strict policy in force', async () => {
    const { approval, parts } = await anApproval()
    writeFileSync(parts.policyFile, 'thresholds: [')
    const state = await approval.policy.current()
    expect(state).toMatchObject({ source: 'strict', policy: strictPolicy })
    const verdict = await approval.decide(aRun({ inspection: inspection() }))
    expect(verdict.kind).toBe('waiting')
  })

  it('when deleted does not bring back laxer defaults', async () => {
    const { approval, parts } = await anApproval({ policy: { thresholds: { low: 'block' } } })
    rmSync(parts.policyFile)
    expect(await approval.policy.current()).toMatchObject({
      source: 'last-good',
      policy: { thresholds: { low: 'block' } },
    })
  })

  it('cannot be made to eat the memory', async () => {
    const bomb = [
      'a: &a [x,x,x,x,x,x,x,x,x]',
      'b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]',
      'c: [*b,*b,*b,*b,*b,*b,*b,*b,*b]',
    ].join('\n')
    expect(codeOf(parsePolicy(bomb))).toBe('policy.unreadable')
    expect(codeOf(parsePolicy(`# ${'x'.repeat(300_000)}`))).toBe('policy.unreadable')
    expect(codeOf(parsePolicy('__proto__: { forceApproval: false }'))).toBe('policy.unreadable')
  })

  it('never throws, whatever is in it', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), text => void parsePolicy(text)))
    fc.assert(fc.property(fc.json(), text => void parsePolicy(text)))
  })
})

describe('a policy in JSON', () => {
  const beside = (parts: { policyFile: string }) => parts.policyFile.replace('.yaml', '.json')

  it('is read where only it is there, tabs and a place of its schema included', async () => {
    const { approval, parts } = await anApproval()
    writeFileSync(beside(parts), '{\n\t"$schema": "policy.schema.json",\n\t"forceApproval": true\n}')
    expect(await approval.policy.current()).toMatchObject({
      source: 'file',
      file: beside(parts),
      policy: { forceApproval: true },
      problem: null,
    })
  })

  it('is written as JSON, by the form and from a text that is none', async () => {
    const { approval, parts } = await anApproval()
    writeFileSync(beside(parts), '{ "$schema": "s.json", "forceApproval": true }')
    const { version: first } = await approval.policy.current()
    const { version: second } = must(await approval.policy.save({ dialogSeconds: 90 }, analyst, first))
    expect(JSON.parse(readFileSync(beside(parts), 'utf8'))).toMatchObject({ $schema: 's.json', dialogSeconds: 90 })
    must(await approval.policy.saveText('dialogSeconds: 30 # soon', analyst, second))
    expect(JSON.parse(readFileSync(beside(parts), 'utf8'))).toMatchObject({ dialogSeconds: 30 })
    expect(existsSync(parts.policyFile)).toBe(false)
  })

  it('beside one in YAML is a problem that says so, and nothing gets laxer', async () => {
    const { approval, parts } = await anApproval({ policy: { thresholds: { low: 'approve' } } })
    writeFileSync(beside(parts), '{}')
    const state = await approval.policy.current()
    expect(state).toMatchObject({ source: 'last-good', policy: { thresholds: { low: 'approve' } } })
    expect(state.problem?.message).toContain('There are two policies')
    const saved = must(await approval.policy.save({ forceApproval: true }, analyst, state.version))
    expect(saved).toMatchObject({ file: parts.policyFile, problem: null })
    expect(await approval.policy.current()).toMatchObject({ policy: { forceApproval: true }, problem: null })
  })

  it.each(['{', 'forceApproval: true', '{ "forceApproval": true, "forceApproval": false }', '{ "nonsense": 1 }'])(
    'is not taken when it says %s',
    async text => {
      const { approval, parts } = await anApproval()
      writeFileSync(beside(parts), text)
      expect((await approval.policy.current()).problem?.code).toBe('policy.unreadable')
    },
  )
})

describe('the schema of a policy', () => {
  it('is what the documentation has; `countersign policy schema > docs/policy.schema.json` brings it up to date', () => {
    const published = readFileSync(new URL('../../docs/policy.schema.json', import.meta.url), 'utf8')
    expect(JSON.parse(published)).toEqual(policySchema())
  })

  it('knows every setting, and refuses what is none', () => {
    const { properties, additionalProperties } = policySchema()
    expect(Object.keys(properties as object)).toEqual(['$schema', ...Object.keys(Policy.shape)])
    expect(additionalProperties).toBe(false)
  })
})

describe('saving a policy', () => {
  it('keeps comments and order, and changes nothing else', async () => {
    const { approval, parts } = await anApproval()
    const text = '# ours\nforceApproval: false # for now\n\nthresholds:\n  # be kind\n  high: approve\n  low: auto\n'
    writeFileSync(parts.policyFile, text)
    const { policy, version } = await approval.policy.current()
    const wanted = { ...policy, thresholds: { ...policy.thresholds, high: 'four-eyes' as const }, dialogSeconds: 90 }
    const state = must(await approval.policy.save(wanted, analyst, version))
    expect(readFileSync(parts.policyFile, 'utf8')).toBe(
      `${text.replace('high: approve', 'high: four-eyes')}dialogSeconds: 90\n`,
    )
    expect(state).toMatchObject({ source: 'file', policy: wanted, problem: null })
    expect((await approval.policy.current()).version).toBe(state.version)
  })

  it('writes a first file that explains every setting', async () => {
    const { parts, entries } = await anApproval({ policy: { forceApproval: true } })
    const text = readFileSync(parts.policyFile, 'utf8')
    expect(text).toContain('# Ask about every run, also of low risk\nforceApproval: true')
    for (const name of Object.keys(Policy.shape)) expect(text).toMatch(new RegExp(`# .+\\n${name}:`))
    expect(entries.at(-1)).toMatchObject({ action: 'policy.changed', actor: analyst })
  })

  it('is refused when somebody else changed it meanwhile', async () => {
    const { approval, parts } = await anApproval()
    const { version } = await approval.policy.current()
    writeFileSync(parts.policyFile, 'forceApproval: true')
    expect(codeOf(await approval.policy.save({}, analyst, version))).toBe('conflict')
    expect(readFileSync(parts.policyFile, 'utf8')).toBe('forceApproval: true')
  })

  it('lets one of two who save at once win', async () => {
    const { approval } = await anApproval()
    const { version } = await approval.policy.current()
    const both = [{ dialogSeconds: 10 }, { dialogSeconds: 20 }].map(each =>
      approval.policy.save(each, analyst, version),
    )
    expect((await Promise.all(both)).map(codeOf)).toEqual(['ok', 'conflict'])
  })

  it('is refused when it is no policy, and nothing is written', async () => {
    const { approval, parts } = await anApproval()
    const { version } = await approval.policy.current()
    expect(codeOf(await approval.policy.save({ dialogSeconds: 1 }, analyst, version))).toBe('request.invalid')
    expect(codeOf(await approval.policy.saveText('dialogSeconds: 1', analyst, version))).toBe('policy.unreadable')
    expect(existsSync(parts.policyFile)).toBe(false)
  })

  it('keeps a broken file beside when it is replaced', async () => {
    const { approval, parts } = await anApproval()
    writeFileSync(parts.policyFile, 'precious: [')
    const { version } = await approval.policy.current()
    must(await approval.policy.saveText('forceApproval: true', analyst, version))
    const aside = readdirSync(dirname(parts.policyFile)).find(name => name.includes('damaged'))
    expect(readFileSync(`${dirname(parts.policyFile)}/${aside}`, 'utf8')).toBe('precious: [')
  })

  it('says when the file cannot be written, and the old policy stays', async () => {
    const { approval, parts } = await anApproval()
    // A folder where the new file is written first fails for root too, unlike a mode without write permission.
    mkdirSync(`${parts.policyFile}.new`)
    chmodSync(`${parts.policyFile}.new`, 0o500)
    const { version } = await approval.policy.current()
    expect(codeOf(await approval.policy.save({ forceApproval: true }, analyst, version))).toBe('settings.unwritable')
    expect((await approval.policy.current()).policy.forceApproval).toBe(false)
  })
})

describe('the text of a policy', () => {
  const some = fc.record({
    forceApproval: fc.boolean(),
    dialogSeconds: fc.integer({ min: 5, max: 3600 }),
    blocked: fc.record({
      violations: fc.subarray(['eval', 'network'] as const),
      imports: fc.subarray(['os', '@scope/x', 'node:fs']),
    }),
    thresholds: fc.record({ low: fc.constantFrom('auto', 'block') }),
  })

  it('says what was saved, whatever it said before', () => {
    fc.assert(
      fc.property(some, some, fc.boolean(), (before, after, flow) => {
        const from = Policy.parse(before)
        const to = Policy.parse(after)
        const text = flow ? JSON.stringify(before) : renderPolicy(from)
        expect(version(must(parsePolicy(updateText(text, to))))).toBe(version(to))
      }),
      { numRuns: 60 },
    )
  })

  it('has a version that depends on what it says, not on how', () => {
    const [a, b] = ['thresholds: { low: auto }\nforceApproval: true', '# x\nforceApproval: true'].map(text =>
      version(must(parsePolicy(text))),
    )
    expect(a).toBe(b)
    expect(version(Policy.parse({ dialogSeconds: 61 }))).not.toBe(version(defaultPolicy))
  })
})
