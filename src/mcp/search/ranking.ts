import { mostConsidered, type WordIndex } from './bm25.ts'
import { type Scored, topOf } from './top.ts'

/** Changes when the same tools and the same intent may give another answer. */
export const rankingVersion = 'bm25f+rrf-1'

export interface Ranked {
  readonly tool: number
  readonly score: number
  /** Place by words and by meaning, from 1; null where it had none. */
  readonly words: number | null
  readonly meaning: number | null
}

const smoothing = 60

/** Tools to be searched, with the vector of each where there is one for all of them. */
export class Index {
  readonly #words: WordIndex
  readonly #size: number
  /** All vectors behind each other: a search walks through them once. */
  readonly #vectors: Float32Array | null

  constructor(words: WordIndex, vectors: readonly Float32Array[] | null) {
    this.#words = words
    this.#size = vectors?.length ?? 0
    this.#vectors = vectors ? joined(vectors) : null
  }

  /** The best tools for an intent; `meaning` is its vector. Both rankings are fused by reciprocal rank. */
  search(intent: string, meaning: Float32Array | null, most: number): Ranked[] {
    const byWords = places(this.#words.rank(intent))
    const byMeaning = places(meaning && this.#vectors ? this.#nearest(this.#vectors, meaning) : [])
    const found = new Set([...byWords.keys(), ...byMeaning.keys()])
    const scored = [...found].map(tool => ({
      tool,
      score: share(byWords.get(tool)) + share(byMeaning.get(tool)),
    }))
    return scored
      .sort((a, b) => b.score - a.score || a.tool - b.tool)
      .slice(0, most)
      .map(({ tool, score }) => ({
        tool,
        score: Math.round(score * 1e6) / 1e6,
        words: byWords.get(tool) ?? null,
        meaning: byMeaning.get(tool) ?? null,
      }))
  }

  #nearest(vectors: Float32Array, meaning: Float32Array): Scored[] {
    const width = vectors.length / this.#size
    const length = Math.min(width, meaning.length)
    const scores = new Float64Array(this.#size)
    for (let tool = 0; tool < this.#size; tool++) {
      const from = tool * width
      let score = 0
      for (let at = 0; at < length; at++) score += (vectors[from + at] as number) * (meaning[at] as number)
      scores[tool] = score
    }
    return topOf(scores, mostConsidered)
  }
}

function joined(vectors: readonly Float32Array[]): Float32Array {
  const width = vectors[0]?.length ?? 0
  const all = new Float32Array(width * vectors.length)
  for (const [at, vector] of vectors.entries()) all.set(vector.subarray(0, width), at * width)
  return all
}

const places = (ranked: readonly { tool: number }[]): Map<number, number> =>
  new Map(ranked.map(({ tool }, at) => [tool, at + 1]))

const share = (place: number | undefined): number => (place === undefined ? 0 : 1 / (smoothing + place))
