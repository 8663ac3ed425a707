import { wordsOf } from './words.ts'

/** A tool as it is searched. All of it is its server's word. */
export interface Searched {
  readonly server: string
  readonly name: string
  readonly description: string
  readonly parameters: readonly string[]
}

/** How much a word counts by where it stands. */
const weights = { name: 3, server: 2, description: 1, parameters: 0.25 }
const [k1, b] = [1.2, 0.75]
const mostTextChars = 2_000

interface Posting {
  readonly tool: number
  readonly weight: number
}

/** Ranks tools by the words of an intent (BM25F). */
export class WordIndex {
  readonly #postings = new Map<string, Posting[]>()
  readonly #lengths: number[] = []
  readonly #meanLength: number

  constructor(tools: readonly Searched[]) {
    for (const [tool, each] of tools.entries()) {
      const counted = countedWords(each)
      this.#lengths.push([...counted.values()].reduce((sum, weight) => sum + weight, 0))
      for (const [word, weight] of counted) {
        const known = this.#postings.get(word)
        if (known) known.push({ tool, weight })
        else this.#postings.set(word, [{ tool, weight }])
      }
    }
    this.#meanLength = this.#lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, tools.length)
  }

  /** Tools that share a word with the intent, best first. */
  rank(intent: string): { tool: number; score: number }[] {
    const scores = new Map<number, number>()
    const count = this.#lengths.length
    for (const word of new Set(wordsOf(intent))) {
      const postings = this.#postings.get(word) ?? []
      const rarity = Math.log(1 + (count - postings.length + 0.5) / (postings.length + 0.5))
      for (const { tool, weight } of postings) {
        const length = (this.#lengths[tool] ?? 0) / this.#meanLength
        const part = (rarity * weight * (k1 + 1)) / (weight + k1 * (1 - b + b * length))
        scores.set(tool, (scores.get(tool) ?? 0) + part)
      }
    }
    return best([...scores].map(([tool, score]) => ({ tool, score })))
  }
}

/** Equal scores stand in the order of the tools, so that the same question has the same answer. */
export const best = (scored: { tool: number; score: number }[]): { tool: number; score: number }[] =>
  scored.sort((a, c) => c.score - a.score || a.tool - c.tool)

function countedWords({ server, name, description, parameters }: Searched): Map<string, number> {
  const counted = new Map<string, number>()
  const add = (text: string, weight: number) => {
    for (const word of wordsOf(text)) counted.set(word, (counted.get(word) ?? 0) + weight)
  }
  add(name, weights.name)
  add(server, weights.server)
  add(description.slice(0, mostTextChars), weights.description)
  add(parameters.join(' '), weights.parameters)
  return counted
}
