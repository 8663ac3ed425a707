import { describe, expect, it } from 'vitest'
import { command } from './analyses.ts'
import { call } from './call.testing.ts'

describe('countersign analyses', () => {
  it('lists what fits type, jurisdiction and day', async () => {
    const { out, code } = await call(
      command,
      { type: 'tax_calculation', jurisdiction: 'uk', on: '2025-07-01', json: true },
      ['list'],
    )
    const { analyses } = JSON.parse(out) as { analyses: { id: string }[] }
    expect([code, analyses.map(each => each.id).sort()]).toEqual([0, ['uk-class1-nic', 'uk-income-tax']])
  })

  it('shows inputs, parameters and examples', async () => {
    const { out, code } = await call(command, {}, ['show', 'ie-prsi'])
    expect(code).toBe(0)
    expect(out).toContain('weekly_earnings')
    expect(out).toContain('377 euro a week')
  })

  it('answers lines in order, each with its id', async () => {
    const lines = [
      { id: 'b', analysis: 'hhi', input: { shares_percent: [30, 30, 20, 20], merging: [2, 3] } },
      { id: 7, analysis: 'ie-prsi', input: { pay_date: '2025-10-01', weekly_earnngs: '1' } },
      { id: null, analysis: 'ie-prsi', input: { pay_date: '2025-10-01', weekly_earnings: '600' } },
    ]
    const text = `${lines.map(line => JSON.stringify(line)).join('\n')}\nnot json\n`
    const { out, code } = await call(command, { jsonl: true }, ['run', '-'], text)
    const answers = out
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    expect(code).toBe(1)
    expect(answers).toMatchObject([
      { id: 'b', output: { hhi: 2600, hhi_post: 3400, delta: 800 } },
      { id: 7, error: { code: 'analysis.input', message: expect.stringContaining('Did you mean weekly_earnings?') } },
      { id: null, output: { employee_prsi: '25.20' } },
      { id: null, error: { code: 'request.invalid' } },
    ])
  })

  it('answers for a line that no JSON parser takes, or that is nested too deeply, and for those after it', async () => {
    const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`
    const lines = [
      '{"id":"nan","analysis":"hhi","input":{"shares_percent":[NaN]}}',
      `{"id":"deep","analysis":"hhi","input":${deep}}`,
      '{"id":"whole","analysis":"hhi","input":{"shares_percent":[100]}}',
    ]
    const { out, code } = await call(command, { jsonl: true }, ['run', '-'], `${lines.join('\n')}\n`)
    const answers = out
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    expect(code).toBe(1)
    expect(answers).toMatchObject([
      { id: 'nan', error: { code: 'request.invalid', message: expect.stringContaining('not JSON') } },
      { id: 'deep', error: { code: 'request.invalid', message: expect.stringContaining('nested') } },
      { id: 'whole', output: { hhi: 10000 } },
    ])
  })

  it('says what is wrong with inputs, in the exit code too', async () => {
    const { err, code } = await call(command, {}, ['run', 'ie-prsi'])
    expect(code).toBe(2)
    expect(err).toContain('pay_date is missing')
  })

  it('runs one with inputs from the command line', async () => {
    const values = { input: ['tax_year=2025-26', 'employment_income=50000'] as never, json: true }
    const { out, code } = await call(command, values, ['run', 'uk-income-tax'])
    expect([code, JSON.parse(out).income_tax]).toEqual([0, '7486.00'])
  })
})
