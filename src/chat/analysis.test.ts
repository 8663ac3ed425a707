import { describe, expect, it } from 'vitest'
import { chatsInOneEngine, value } from './testing.ts'

const chat = chatsInOneEngine()

const call = (input: Record<string, unknown>) => ({ calls: [{ name: 'run_analysis', input }] })
const shares = { shares_percent: ['40', '35', '25'] }

/** The results that the model was given, in order, as it was given them. */
const resultsIn = (body: unknown): Record<string, unknown>[] =>
  (body as { messages: { role: string; content: string }[] }).messages
    .filter(({ role }) => role === 'tool')
    .map(({ content }) => JSON.parse(content))

describe('run_analysis as a tool', () => {
  it('runs an analysis of the catalogue as a cell, and gives figures, law and version back in each format', async () => {
    const hhi = { type: 'data_analysis', analysis: 'hhi', parameters: shares }
    const { engine, ask, fake, items, conversation } = await chat([
      call({ ...hhi, output_format: 'json' }),
      call({ ...hhi, output_format: 'csv' }),
      call({ ...hhi, output_format: 'text' }),
      { text: 'The index is 3450.' },
    ])
    const turn = await ask('What is the Herfindahl index of a market with shares 40, 35 and 25?')
    expect(turn).toMatchObject({ state: 'done', step: 4 })
    const cells = (await items()).filter(item => item.kind === 'cell')
    expect(cells).toHaveLength(3)
    expect(cells[0]?.text).toMatch(/^# Countersign analysis hhi \d/)
    const [json, csv, text] = resultsIn(fake.asked[3]?.body)
    expect(json).toMatchObject({
      success: true,
      exitCode: 0,
      parsedOutput: { analysis: 'hhi', steps: expect.any(Array) },
    })
    expect(JSON.stringify(json?.parsedOutput)).toContain('3450')
    expect(csv).toMatchObject({ parsedOutput: [expect.objectContaining({ analysis: 'hhi' })] })
    expect(text?.result).toMatch(/^[a-z_]+: /)
    expect(text?.parsedOutput).toBeNull()
    // The catalogue is searched for the question: the model is told of it before it asks.
    expect(JSON.stringify(fake.asked[0]?.body)).toMatch(/hhi \d+\.\d+\.\d+ \(data_analysis\)/)
    const page = await engine.audit.query({ filter: { conversation, actions: ['run.intended'] } })
    expect(JSON.stringify(page)).toContain('"analysis":"hhi"')
  })

  it('runs own code with its parameters, and puts private values back only inside their literals', async () => {
    const code = 'print(len(parameters["who"]), parameters["rate"] * 2, parameters["open"])'
    const { ask, fake, items } = await chat([
      call({ type: 'custom', parameters: { who: '[EMAIL_1]', rate: 1.25, open: true, none: null }, code }),
      { text: 'Done.' },
    ])
    await ask(`Check sean.o'neill@bank.ie`)
    const [cell] = (await items()).filter(item => item.kind === 'cell')
    expect(cell?.text).toContain('parameters = {"who": "[EMAIL_1]", "rate": 1.25, "open": True, "none": None}')
    expect(JSON.stringify(cell?.kind === 'cell' && cell.lastRun?.outputs)).toContain('20 2.5 True')
    expect(fake.received()).not.toContain('neill@bank')
  })

  it('tells the model what an analysis takes, what exists, and of what type it is', async () => {
    const { ask, fake } = await chat([
      {
        calls: [
          { name: 'run_analysis', input: { type: 'data_analysis', analysis: 'hhi', parameters: { share: 1 } } },
          { name: 'run_analysis', input: { type: 'tax_calculation', analysis: 'hhi', parameters: shares } },
          { name: 'run_analysis', input: { type: 'data_analysis', analysis: 'hhii' } },
          { name: 'run_analysis', input: { type: 'data_analysis', parameters: { shares: [1] } } },
        ],
      },
      { text: 'I see.' },
    ])
    expect((await ask('Concentration?')).state).toBe('done')
    const told = JSON.stringify(fake.asked[1]?.body)
    expect(told).toContain('It takes shares_percent?')
    expect(told).toContain('hhi is a data_analysis, not a tax_calculation')
    expect(told).toContain('Did you mean hhi?')
    expect(told).toContain('Neither an analysis of the catalogue nor code was given')
  })

  it('runs by hand with no model at all', async () => {
    const { engine, who, path, items } = await chat([])
    const forced = await engine.chat.forceTool(who, {
      tool: 'run_analysis',
      path,
      type: 'data_analysis',
      analysis: 'hhi',
      parameters: shares,
    })
    const { cell } = value(forced)
    await expect
      .poll(async () => (await items()).find(item => item.id === cell))
      .toMatchObject({ lastRun: { success: true } })
  })
})
