import { type Scored, topOf } from './top.ts'
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

/** The tools that have a word, with its weight in each and what the length of the tool's text makes of it. */
interface Postings {
  readonly tools: Int32Array
  readonly weights: Float64Array
  readonly divisors: Float64Array
}

export const mostConsidered = 100

/** Ranks tools by the words of an intent (BM25F). */
export class WordIndex {
  readonly #postings = new Map<string, Postings>()
  readonly #count: number

  constructor(tools: readonly Searched[]) {
    this.#count = tools.length
    const lengths: number[] = []
    const found = new Map<string, [tool: number, weight: number][]>()
    for (const [tool, each] of tools.entries()) {
      const counted = countedWords(each)
      lengths.push([...counted.values()].reduce((sum, weight) => sum + weight, 0))
      for (const [word, weight] of counted) {
        const known = found.get(word)
        if (known) known.push([tool, weight])
        else found.set(word, [[tool, weight]])
      }
    }
    const meanLength = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, tools.length)
    for (const [word, all] of found) {
      this.#postings.set(word, {
        tools: Int32Array.from(all, ([tool]) => tool),
        weights: Float64Array.from(all, ([, weight]) => weight),
        divisors: Float64Array.from(
          all,
          ([tool, weight]) => weight + k1 * (1 - b + b * ((lengths[tool] ?? 0) / meanLength)),
        ),
      })
    }
  }

  /** Tools that share a word with the intent, best first. */
  rank(intent: string): Scored[] {
    const scores = new Float64Array(this.#count)
    for (const word of new Set(wordsOf(intent))) {
      const postings = this.#postings.get(word)
      if (!postings) continue
      const { tools, weights: its, divisors } = postings
      const rarity = Math.log(1 + (this.#count - tools.length + 0.5) / (tools.length + 0.5))
      for (let at = 0; at < tools.length; at++) {
        const tool = tools[at] as number
        scores[tool] = (scores[tool] as number) + (rarity * (its[at] as number) * (k1 + 1)) / (divisors[at] as number)
      }
    }
    return topOf(scores, mostConsidered, 0)
  }
}

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
