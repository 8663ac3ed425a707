import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ManualClock } from '../../clock.testing.ts'
import { systemClock } from '../../clock.ts'
import { temporaryFolder } from '../../storage/testing.ts'
import { joinPieces, partsOf } from './entities.ts'
import { createNamesModel, type NamesModel } from './model.ts'

/** Protocol buffers by hand: a field is its number and kind, then a number or a length and bytes. */
const varint = (value: number): number[] =>
  value < 128 ? [value] : [(value & 127) | 128, ...varint(Math.floor(value / 128))]
const int = (field: number, value: number): number[] => [...varint(field * 8), ...varint(value)]
const bytes = (field: number, value: readonly number[]): number[] => [
  ...varint(field * 8 + 2),
  ...varint(value.length),
  ...value,
]
const text = (field: number, value: string): number[] => bytes(field, [...Buffer.from(value)])

/**
 * A real ONNX model, as small as can be: one table with a row of scores per word, one Gather over it. It classifies
 * every token by itself, which is all that the way in and out of a model needs.
 */
function tinyModel(scores: readonly (readonly number[])[]): Uint8Array {
  const labels = scores[0]?.length ?? 0
  const raw = Buffer.alloc(scores.length * labels * 4)
  for (const [at, value] of scores.flat().entries()) raw.writeFloatLE(value, at * 4)
  const shape = (...dims: (string | number)[]) =>
    dims.flatMap(dim => bytes(1, typeof dim === 'string' ? text(2, dim) : int(1, dim)))
  const tensor = (name: string, kind: number, ...dims: (string | number)[]) => [
    ...text(1, name),
    ...bytes(2, bytes(1, [...int(1, kind), ...bytes(2, shape(...dims))])),
  ]
  const node = [...text(1, 'table'), ...text(1, 'input_ids'), ...text(2, 'logits'), ...text(4, 'Gather')]
  const table = [...int(1, scores.length), ...int(1, labels), ...int(2, 1), ...text(8, 'table'), ...bytes(9, [...raw])]
  const graph = [
    ...bytes(1, node),
    ...text(2, 'tiny'),
    ...bytes(5, table),
    ...bytes(11, tensor('input_ids', 7, 'batch', 'length')),
    ...bytes(11, tensor('attention_mask', 7, 'batch', 'length')),
    ...bytes(12, tensor('logits', 1, 'batch', 'length', labels)),
  ]
  return new Uint8Array([...int(1, 8), ...bytes(7, graph), ...bytes(8, [...text(1, ''), ...int(2, 13)])])
}

const labels = ['O', 'B-PER', 'I-PER', 'B-LOC']
const words: Record<string, number> = {
  '[PAD]': 0,
  '[UNK]': 0,
  '[CLS]': 0,
  '[SEP]': 0,
  wilhelmina: 1,
  storm: 2,
  '##vik': 2,
  ork: 3,
  '##ney': 3,
  met: 0,
  in: 0,
}

function modelFolder(): string {
  const folder = join(temporaryFolder(), 'tiny')
  mkdirSync(join(folder, 'onnx'), { recursive: true })
  const vocab = Object.fromEntries(Object.keys(words).map((word, id) => [word, id]))
  const scores = Object.values(words).map(label => labels.map((_, at) => (at === label ? 6 : -6)))
  const special = ['[PAD]', '[UNK]', '[CLS]', '[SEP]'].map((content, id) => ({
    id,
    content,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: true,
  }))
  const write = (name: string, value: unknown) => writeFileSync(join(folder, name), JSON.stringify(value))
  write('config.json', {
    model_type: 'bert',
    architectures: ['BertForTokenClassification'],
    id2label: Object.fromEntries(labels.entries()),
    label2id: Object.fromEntries(labels.map((label, at) => [label, at])),
    num_hidden_layers: 0,
  })
  write('tokenizer_config.json', {
    tokenizer_class: 'BertTokenizer',
    do_lower_case: true,
    pad_token: '[PAD]',
    unk_token: '[UNK]',
    cls_token: '[CLS]',
    sep_token: '[SEP]',
    model_max_length: 512,
  })
  write('tokenizer.json', {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: special,
    normalizer: {
      type: 'BertNormalizer',
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: null,
      lowercase: true,
    },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: {
      type: 'TemplateProcessing',
      single: [
        { SpecialToken: { id: '[CLS]', type_id: 0 } },
        { Sequence: { id: 'A', type_id: 0 } },
        { SpecialToken: { id: '[SEP]', type_id: 0 } },
      ],
      pair: [],
      special_tokens: {
        '[CLS]': { id: '[CLS]', ids: [2], tokens: ['[CLS]'] },
        '[SEP]': { id: '[SEP]', ids: [3], tokens: ['[SEP]'] },
      },
    },
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab,
    },
  })
  writeFileSync(join(folder, 'onnx', 'model.onnx'), tinyModel(scores))
  return folder
}

function open(budgetMs = 20_000): NamesModel {
  const model = createNamesModel({ clock: systemClock, budgetMs })
  onTestFinished(() => model.close())
  return model
}

describe('the names model', () => {
  it('is off with a sentence that says why when there is no folder or no model in it', () => {
    const model = open()
    expect(model.status()).toMatchObject({ state: 'off', detail: expect.stringContaining('found by rules alone') })
    model.use('/nowhere/at/all')
    expect(model.status()).toMatchObject({ state: 'off', detail: expect.stringContaining('is not there') })
    model.use(temporaryFolder())
    expect(model.status()).toMatchObject({ state: 'off', detail: expect.stringContaining('has no config.json') })
  })

  it('finds names with exact offsets by a real model in a thread of its own', async () => {
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

  it('come from parts that are cut between words and together are the text', () => {
    const long = 'one two three. '.repeat(300)
    const parts = partsOf(long)
    expect(parts.map(part => part.text).join('')).toBe(long)
    expect(
      parts.every(
        part =>
          part.text.length <= 900 &&
          (part.start === 0 || /\s|\./.test(long[part.start - 1] ?? '') || long[part.start] === ' '),
      ),
    ).toBe(true)
  })
})
