import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../clock.ts'
import { writeTinyModel } from '../../privacy/names/tiny-model.testing.ts'
import { temporaryFolder } from '../../storage/testing.ts'
import { WordIndex } from './bm25.ts'
import { corpus } from './corpus.testing.ts'
import { intents } from './intents.testing.ts'
import { createSearch, type SearchableTool } from './search.ts'
import { VectorFile } from './vectors.ts'
import { wordsOf } from './words.ts'

const tools: SearchableTool[] = corpus.map(tool => ({
  ...tool,
  effect: 'reads',
  hash: createHash('sha256').update(JSON.stringify(tool)).digest('hex'),
}))
const [tool] = tools as [SearchableTool]
const nameOf = ({ server, name }: { server: string; name: string }) => `${server}.${name}`

function openSearch(model = '') {
  const folder = temporaryFolder()
  const search = createSearch({ folder, clock: systemClock, model: () => model })
  onTestFinished(() => search.close())
  return { folder, search }
}

describe('words', () => {
  it('meet without their endings and however a name is spelled', () => {
    expect(wordsOf('listOpenInvoices')).toEqual(wordsOf('list the open invoice'))
    expect(wordsOf('filing_companies')).toEqual(wordsOf('file a company'))
  })

  it('rank any text without failing, with finite scores', () => {
    const index = new WordIndex(corpus)
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), text => {
        const scores = index.rank(text).map(({ score }) => score)
        expect(scores.every(score => Number.isFinite(score) && score > 0)).toBe(true)
        expect(scores).toEqual([...scores].sort((a, b) => b - a))
      }),
    )
    expect(index.rank('__proto__ constructor toString')).toEqual([])
  })
})

describe('search by intent', () => {
  it('has a right tool among the first five for at least 70 % of intents that were written before', async () => {
    const { search } = openSearch()
    const served = new Set(tools.map(({ server }) => server))
    // Those for the servers from npm are measured in the benchmark, which has their tools.
    const asked = intents.filter(([, ...right]) => right.some(name => served.has(name.split('.')[0] ?? '')))
    const missed: string[] = []
    for (const [intent, ...right] of asked) {
      const { found, model } = await search.find(intent, tools, 600_000)
      expect(model).toBe('use-lite-0.2.0')
      if (!found.some(tool => right.includes(nameOf(tool)))) missed.push(intent)
    }
    expect(1 - missed.length / asked.length, missed.join('\n')).toBeGreaterThanOrEqual(0.7)
  })

  it('answers by words alone where the model is not there in time, and says so', async () => {
    const { search } = openSearch()
    const { found, model, note } = await search.find('create an invoice', tools, 0)
    expect(found.map(nameOf)).toContain('books.create_invoice')
    expect([model, note]).toEqual([null, expect.stringContaining('by words alone')])
  })

  it('uses a model of the user’s where one is set, and says which', async () => {
    const known = { invoice: 1, bill: 1, leave: 2, absence: 2 }
    const { search } = openSearch(writeTinyModel(temporaryFolder(), { known, labels: ['O', 'money', 'people'] }))
    const two = ['leave', 'bill'].map(name => ({ ...tool, name, description: '', hash: name }))
    const { found, model, note } = await search.find('invoice', two, 600_000)
    // They have no word in common: it is the model that knows.
    expect(found[0]).toMatchObject({ name: 'bill', words: null, meaning: 1 })
    expect([model, note]).toEqual([expect.stringMatching(/^folder-[0-9a-f]{16}$/), null])
  })

  it('answers by words alone where the folder of the user’s holds no model', async () => {
    const { search } = openSearch(temporaryFolder())
    const { found, model, note } = await search.find('create an invoice', tools.slice(0, 3), 60_000)
    expect([found[0]?.name, model]).toEqual(['create_invoice', null])
    expect(note).toMatch(/\w/)
  })

  it('leaves nothing running where the model cannot be used', async () => {
    const program = `
      const { createSearch } = await import(${JSON.stringify(join(import.meta.dirname, 'search.ts'))})
      const { systemClock } = await import(${JSON.stringify(join(import.meta.dirname, '../../clock.ts'))})
      const folder = ${JSON.stringify(temporaryFolder())}
      const search = createSearch({ folder, clock: systemClock, model: () => folder })
      const tool = { server: 's', name: 'n', description: 'anything', parameters: [], effect: 'reads', hash: 'h' }
      console.log((await search.find('anything', [tool], 60_000)).found.length)`
    const ran = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], { timeout: 120_000 })
    expect((await ran).stdout).toBe('1\n')
  })

  it('finds nothing among nothing', async () => {
    const { search } = openSearch()
    expect(await search.find('anything', [], 0)).toMatchObject({ found: [], searched: 0, note: null })
  })
})

describe('the file of vectors', () => {
  it('keeps vectors by text, and passes over a record that was torn', () => {
    const file = join(temporaryFolder(), 'a.vectors')
    const first = new VectorFile(file)
    first.add(['one', 'two'], [Float32Array.of(1, 2), Float32Array.of(3, 4)])
    const whole = readFileSync(file)
    appendFileSync(file, whole.subarray(0, 20))
    const second = new VectorFile(file)
    expect([...(second.get('two') ?? [])]).toEqual([3, 4])
    second.add(['three'], [Float32Array.of(5, 6)])
    expect([...(new VectorFile(file).get('three') ?? [])]).toEqual([5, 6])
  })
})
