import { afterEach, describe, expect, it } from 'vitest'
import type { NamesStatus } from '../../../src/contract/names.ts'
import { type Page, render } from '../../output/render.testing.tsx'
import { ModelCard } from './card.tsx'

const about = { folder: '/models/ner', detail: '' }
const labels = [
  { label: 'PER', type: 'PERSON' },
  { label: 'MISC', type: null },
]
const model = { folder: '/models/ner', labels, bytes: 12_582_912 }
const finding = (start: number, end: number, type = 'PERSON') => ({ start, end, type, rule: 'name-model', score: 0.8 })

let page: Page
afterEach(() => page.undo())
async function shown(status: NamesStatus) {
  const asked: string[] = []
  page = await render(
    <ModelCard status={status} onStop={() => asked.push('stop')} onAgain={() => asked.push('again')} />,
  )
  return { asked, text: page.place.textContent }
}

describe('the card of the model for names', () => {
  it('says that rules find names where there is no model, and how that comes where there is one', async () => {
    expect((await shown({ state: 'off', ...about, folder: '' })).text).toContain('nothing is ever downloaded')
    await page.undo()
    expect((await shown({ state: 'off', ...about })).text).toContain('“Ask the model” is switched on')
  })

  it('shows how far it is, and can be cancelled', async () => {
    const { asked, text } = await shown({ state: 'loading', ...about, step: 'model', ms: 1432, model })
    const steps = Array.from(page.place.querySelectorAll('[data-step]'), step => [
      step.getAttribute('data-step'),
      step.textContent,
    ])
    expect(steps).toEqual([
      ['done', 'Files'],
      ['now', 'Model, 12.0 MB'],
      ['later', 'Trial sentence'],
    ])
    expect(text).toContain('1.4 s')
    await page.click(page.button('Cancel'))
    expect(asked).toEqual(['stop'])
  })

  it('marks what it found in the trial sentence, and warns when that was no person', async () => {
    const trial = { text: 'Maria met Tom in Dublin.', ms: 12, loadMs: 340 }
    const findings = [finding(0, 5), finding(10, 13), finding(17, 23, 'LOCATION')]
    const { text } = await shown({ state: 'ready', ...about, model, trial: { ...trial, findings } })
    expect(Array.from(page.place.querySelectorAll('mark'), mark => mark.textContent)).toEqual([
      'Maria person',
      'Tom person',
      'Dublin place',
    ])
    expect(text).toContain('PER persons')
    expect(text).toContain('MISC not used')
    expect(text).toContain('12.0 MB, loaded in 340 ms')
    expect(text).toContain('took it 12 ms')
    await page.undo()
    const without = await shown({ state: 'ready', ...about, model, trial: { ...trial, findings: findings.slice(2) } })
    expect(without.text).toContain('found no person in this sentence')
  })

  it('says what is wrong, what to do, by which code, and tries again', async () => {
    const problem = { code: 'names.failed', message: 'It is cut off.', hint: 'Copy it again.' } as const
    const { asked, text } = await shown({ state: 'failed', ...about, problem })
    for (const part of Object.values(problem)) expect(text).toContain(part)
    await page.click(page.button('Try again'))
    await page.undo()
    const stopped = await shown({ state: 'stopped', ...about })
    await page.click(page.button('Load it'))
    expect([asked, stopped.asked]).toEqual([['again'], ['again']])
  })
})
