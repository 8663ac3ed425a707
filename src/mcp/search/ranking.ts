import { best, type Searched, WordIndex } from './bm25.ts'

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
const mostConsidered = 100

/** Tools to be searched, with the vector of each where there is one for all of them. */
export class Index {
  readonly #words: WordIndex
  readonly #vectors: readonly Float32Array[] | null
  readonly #size: number

  constructor(tools: readonly Searched[], vectors: readonly Float32Array[] | null) {
    this.#words = new WordIndex(tools)
    this.#vectors = vectors
    this.#size = tools.length
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
    return best(scored)
      .slice(0, most)
      .map(({ tool, score }) => ({
        tool,
        score: Math.round(score * 1e6) / 1e6,
        words: byWords.get(tool) ?? null,
        meaning: byMeaning.get(tool) ?? null,
      }))
  }

  #nearest(vectors: readonly Float32Array[], meaning: Float32Array): { tool: number; score: number }[] {
    const scored: { tool: number; score: number }[] = []
    for (let tool = 0; tool < this.#size; tool++) {
      const vector = vectors[tool]
      if (!vector) continue
      let score = 0
      for (let at = 0; at < meaning.length; at++) score += (vector[at] ?? 0) * (meaning[at] ?? 0)
      scored.push({ tool, score })
    }
    return best(scored)
  }
}

const places = (ranked: readonly { tool: number }[]): Map<number, number> =>
  new Map(ranked.slice(0, mostConsidered).map(({ tool }, at) => [tool, at + 1]))

const share = (place: number | undefined): number => (place === undefined ? 0 : 1 / (smoothing + place))
