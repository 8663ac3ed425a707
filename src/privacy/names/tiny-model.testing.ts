import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

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
function onnx(scores: readonly (readonly number[])[]): Uint8Array {
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

/** A word in lower case, or the end of one behind `##`, and its label by its place in the list of labels. */
export type TinyWords = Readonly<Record<string, number>>

export const tinyLabels: readonly string[] = ['O', 'B-PER', 'I-PER', 'B-LOC', 'B-ORG']
const words: TinyWords = { wilhelmina: 1, storm: 2, '##vik': 2, ork: 3, '##ney': 3, met: 0, in: 0 }
const special = ['[PAD]', '[UNK]', '[CLS]', '[SEP]']

/** Puts a model that knows these words into a folder, in the form in which models are handed round. */
export function writeTinyModel(
  folder: string,
  { known = words, labels = tinyLabels }: { known?: TinyWords; labels?: readonly string[] } = {},
): string {
  mkdirSync(join(folder, 'onnx'), { recursive: true })
  const vocabulary = [...special, ...Object.keys(known)]
  const scores = vocabulary.map(word => labels.map((_, at) => (at === (known[word] ?? 0) ? 6 : -6)))
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
  write('tokenizer.json', tokenizer(vocabulary))
  writeFileSync(join(folder, 'onnx', 'model.onnx'), onnx(scores))
  return folder
}

function tokenizer(vocabulary: readonly string[]): unknown {
  const flags = { single_word: false, lstrip: false, rstrip: false, normalized: false, special: true }
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: special.map((content, id) => ({ id, content, ...flags })),
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
      vocab: Object.fromEntries(vocabulary.map((word, id) => [word, id])),
    },
  }
}
