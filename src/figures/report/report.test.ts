import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import type { Output } from '../../contract/run.ts'
import { caller, codeOf, printed, said, value } from '../../conversations/testing.ts'
import { kit } from '../testing.ts'

const page = (made: { bytes: Uint8Array }) => Buffer.from(made.bytes).toString()

describe('the report of a path', () => {
  it('has title, question, figures, decisions and seal, and is on the record with its hash', async () => {
    const { figures, who, main, pin, conversations, recorded } = await kit()
    value(await conversations.insert(who, { path: main, after: null, items: [said('What is our CET1?')] }))
    await pin('CET1')
    const made = value(await figures.report(who, { path: main, format: 'html' }))
    for (const words of [
      'Review',
      'What is our CET1?',
      '12.91%',
      'Where each figure comes from',
      'The record is intact.',
    ])
      expect(page(made)).toContain(words)
    expect(page(made)).not.toContain('print(cet1)')
    expect(made.fileName).toBe('Review report.html')
    expect(recorded.at(-1)).toMatchObject({
      action: 'conversation.exported',
      details: { format: 'report html', figures: 1, stale: 0, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
    })
    const pdf = value(await figures.report(who, { path: main, format: 'pdf', withCode: true, title: 'Third quarter' }))
    expect(page(pdf)).toMatch(/^%PDF/)
    expect(page(pdf)).toContain('print(cet1)')
    expect(pdf.fileName).toBe('Third quarter report.pdf')
  })

  it('refuses stale and missing figures unless told otherwise, and then marks them', async () => {
    const { figures, who, main, ratio, pin, conversations } = await kit()
    await pin('CET1')
    const [{ revision = 0 } = {}] = value(await conversations.items(who, main, [ratio]))
    value(await conversations.edit(who, { path: main, item: ratio, text: 'print(1)', expectedRevision: revision }))
    expect(codeOf(await figures.report(who, { path: main, format: 'html' }))).toBe('report.stale')
    const made = value(await figures.report(who, { path: main, format: 'html', allowStale: true }))
    expect(page(made)).toContain('<span class="mark">stale</span>')
    value(await conversations.clearOutputs(who, { path: main }))
    expect(codeOf(await figures.report(who, { path: main, format: 'html' }))).toBe('report.stale')
  })

  it.each([
    ['name', "update figures set name = 'Loss'"],
    ['place', `update figures set place = replace(place, 'CET1', 'Loss')`],
    ['id', "update figures set figure = 'forged'"],
  ])('refuses a figure whose %s was written into the database', async (_, edit) => {
    const { figures, who, main, pin, storage } = await kit()
    await pin('CET1')
    expect((await figures.report(who, { path: main, format: 'html' })).ok).toBe(true)
    await storage.write(t => sql.raw(edit).execute(t))
    const refused = await figures.report(who, { path: main, format: 'html', allowStale: true })
    expect(refused).toMatchObject({ ok: false, problem: { message: expect.stringContaining('disagree on how') } })
  })

  it('takes figures that were renamed and moved, on a branch too', async () => {
    const { figures, who, main, pin, branch } = await kit()
    const figure = await pin('CET1')
    await pin('Loss')
    value(await figures.rename(who, { path: main, figure, name: 'Ratio' }))
    value(await figures.move(who, { path: main, figure, after: null }))
    for (const path of [main, await branch()])
      expect(page(value(await figures.report(who, { path, format: 'html' })))).toContain('Ratio')
  })

  it('lets nothing private out, whatever a column or a chart is called, and runs nothing', async () => {
    const { figures, who, main, ratio, pin, run } = await kit()
    const rows = [{ id: 'jane@example.com', note: '<script>alert(1)</script>' }]
    const table: Output = {
      type: 'display',
      data: {
        'application/vnd.dataresource+json': { schema: { fields: [{ name: 'id' }, { name: 'note' }] }, data: rows },
      },
    }
    const chart: Output = {
      type: 'display',
      data: {
        'application/vnd.vegalite.v5+json': {
          ...{ title: 'Mail to jane@example.com', mark: 'bar', data: { values: [{ by: 'jane@example.com', v: 1 }] } },
          encoding: { x: { field: 'by', type: 'nominal' }, y: { field: 'v', type: 'quantitative' } },
        },
      },
    }
    await run(main, ratio, 'print(cet1)', [printed('CET1: 12.91%\n'), table, chart])
    await pin('Table of id, note')
    await pin('Mail to jane@example.com')
    const made = page(value(await figures.report(who, { path: main, format: 'html' })))
    expect(made).toContain('&lt;script&gt;')
    expect(made).not.toMatch(/<script/)
    const pictures = [...made.matchAll(/base64,([A-Za-z0-9+/=]+)/g)].map(match =>
      Buffer.from(match[1] ?? '', 'base64').toString(),
    )
    expect(pictures).toHaveLength(1)
    expect([made, ...pictures].join('')).not.toContain('jane@example.com')
    expect(pictures[0]).toContain('[EMAIL_1]')
  })

  it('sets the numbers of other paths beside it', async () => {
    const { figures, who, main, ratio, pin, run, branch } = await kit()
    await pin('CET1')
    await run(await branch(), ratio, 'print(cet1)', [printed('CET1: 11.84%\n')])
    const made = page(value(await figures.report(who, { path: main, format: 'html' })))
    expect(made).toContain('Across paths')
    expect(made).toContain('11.84%')
    expect(page(value(await figures.report(who, { path: main, format: 'html', compare: false })))).not.toContain(
      '11.84%',
    )
  })

  it('is refused where nothing is pinned, and to somebody else', async () => {
    const { figures, who, main } = await kit()
    expect(codeOf(await figures.report(who, { path: main, format: 'html' }))).toBe('request.invalid')
    expect(codeOf(await figures.report(caller(), { path: main, format: 'html' }))).toBe('not-found')
  })
})
