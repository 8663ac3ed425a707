import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ManualClock } from '../../clock.testing.ts'
import { systemClock } from '../../clock.ts'
import { temporaryFolder } from '../../storage/testing.ts'
import { joinPieces } from './entities.ts'
import { createNamesModel, type NamesModel } from './model.ts'
import { trialText } from './running.ts'
import { writeTinyModel } from './tiny-model.testing.ts'

const modelFolder = (): string => writeTinyModel(join(temporaryFolder(), 'tiny'))

function open(budgetMs = 20_000): NamesModel {
  const model = createNamesModel({ clock: systemClock, budgetMs })
  onTestFinished(() => model.close())
  return model
}

describe('the names model', () => {
  it('is off without a folder, and says what is wrong with one that holds no model', async () => {
    const model = open()
    expect(model.status()).toMatchObject({ state: 'off', detail: expect.stringContaining('found by rules alone') })
    model.use('/nowhere/at/all')
    expect(model.status()).toMatchObject({ state: 'loading', step: 'files', folder: '/nowhere/at/all' })
    await model.looked()
    expect(model.status()).toMatchObject({ state: 'failed', problem: { code: 'names.no-folder' } })
    model.use('')
    expect(model.status()).toMatchObject({ state: 'off' })
  })

  it('tells its labels, its size and what it made of a trial sentence', async () => {
    const known = { maria: 1, lind: 2, '##qvist': 2, met: 0, dublin: 3 }
    const model = open()
    model.use(writeTinyModel(join(temporaryFolder(), 'tiny'), { known }))
    await expect.poll(() => model.status().state).toBe('ready')
    const status = model.status()
    if (status.state !== 'ready') throw new Error(status.detail)
    expect(status.model.labels).toContainEqual({ label: 'PER', type: 'PERSON' })
    expect(status.model.bytes).toBeGreaterThan(1000)
    expect(status.trial).toMatchObject({ text: trialText, ms: expect.any(Number), loadMs: expect.any(Number) })
    expect(status.trial.findings.map(({ start, end }) => trialText.slice(start, end))).toEqual([
      'Maria Lindqvist',
      'Dublin',
    ])
  })

  it('is stopped while it loads, stays so, and is loaded when asked again', async () => {
    const model = open()
    const folder = modelFolder()
    model.use(folder)
    model.stop()
    expect(model.status()).toMatchObject({ state: 'stopped', folder })
    model.use(folder)
    expect(model.status(), 'the same setting read again is no new wish').toMatchObject({ state: 'stopped' })
    await model.look(['Wilhelmina met'])
    expect(model.known('Wilhelmina met', 0)).toEqual([])
    model.again()
    await model.look(['Wilhelmina met'])
    expect(model.status()).toMatchObject({ state: 'ready' })
    model.stop()
    expect(model.status(), 'too late to stop').toMatchObject({ state: 'ready' })
    expect(model.known('Wilhelmina met', 0)).toHaveLength(1)
  })

  it('finds names with exact offsets by a real model in a process of its own', async () => {
    const model = open()
    model.use(modelFolder())
    const sentence = 'Wilhelmína Stormvik met in Orkney.'
    await model.look([sentence, 'met in met'])
    expect(model.status()).toMatchObject({ state: 'ready' })
    expect(
      model.known(sentence, 0).map(({ start, end, type, rule }) => [sentence.slice(start, end), type, rule]),
    ).toEqual([
      ['Wilhelmína Stormvik', 'PERSON', 'name-model'],
      ['Orkney', 'LOCATION', 'name-model'],
    ])
    expect(model.known('met in met', 0)).toEqual([])
    expect(model.known(sentence, 0.86), 'a second signal never counts for more than this').toEqual([])
  })

  it('remembers every text of one question, however many there are', async () => {
    const model = open()
    model.use(modelFolder())
    const texts = Array.from(
      { length: 300 },
      (_, at) => `Wilhelmína Stormvik met in Orkney.${' met'.repeat(at % 20)}${' in'.repeat(Math.floor(at / 20))}`,
    )
    await model.look(texts)
    const [first = '', last = ''] = [texts[0], texts.at(-1)]
    expect(model.known(last, 0)).not.toEqual([])
    expect(model.known(first, 0)).toHaveLength(model.known(last, 0).length)
    await model.look(texts)
    expect(model.known(first, 0)).toHaveLength(model.known(last, 0).length)
  })

  it('gives up at the end of its budget and leaves the text to the rules', async () => {
    const clock = new ManualClock()
    const model = createNamesModel({ clock, budgetMs: 100 })
    onTestFinished(() => model.close())
    model.use(modelFolder())
    const looking = model.look(['Wilhelmina met'])
    clock.advance(101)
    await looking
    expect(model.known('Wilhelmina met', 0)).toEqual([])
  })

  it('says so when the folder holds something that is no model', async () => {
    const folder = modelFolder()
    writeFileSync(join(folder, 'onnx', 'model.onnx'), 'no model')
    const model = open()
    model.use(folder)
    await model.look(['Wilhelmina'])
    expect(model.status()).toMatchObject({ state: 'failed', detail: expect.stringContaining('cannot be used') })
  })
})

describe('pieces of a model', () => {
  it('are found again in the text and joined to names', () => {
    const pieces = [
      { word: 'anne', entity: 'B-PER', score: 0.9 },
      { word: '-', entity: 'I-PER', score: 0.9 },
      { word: 'marie', entity: 'I-PER', score: 0.9 },
      { word: 'anne', entity: 'B-PER', score: 0.3 },
    ]
    expect(joinPieces('Anne-Marie or Anne', pieces)).toMatchObject([{ start: 0, end: 10, type: 'PERSON', score: 0.85 }])
  })

  it('are found behind a long stretch of words that the model does not know', () => {
    const unknown = Array.from({ length: 20 }, () => ({ word: '[UNK]', entity: 'O', score: 0.9 }))
    const pieces = [...unknown, { word: 'anne', entity: 'B-PER', score: 0.9 }]
    const text = `${'непонятно '.repeat(20)}Anne`
    expect(joinPieces(text, pieces)).toMatchObject([{ start: 200, end: 204, type: 'PERSON' }])
    expect(joinPieces(text, pieces.slice(-1)), 'without them it is too far off').toEqual([])
  })
})
