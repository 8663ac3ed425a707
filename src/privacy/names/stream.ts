import type { Finding } from '../../contract/privacy.ts'
import { resolve } from '../scanner/resolve.ts'
import type { Decided } from '../scanner/stream.ts'
import { ownedBy, type Part, PartCutter, partsOf } from './parts.ts'

/** Puts texts to a model. Null: it has failed or was too slow, and is not asked any more. */
export type AskNames = (texts: readonly string[]) => Promise<readonly (readonly Finding[])[] | null>

/** Parts that a model is asked about at once. */
const batch = 16

/**
 * Adds what a model finds to what the rules found in a stream. Text is held back only until the model has read past it,
 * a few thousand characters; once the model gives up, all of it is handed on as the rules left it.
 */
export class NamesStream {
  readonly #ask: AskNames
  readonly #cutter = new PartCutter()
  /** What is not handed on yet, and where it begins in the stream. */
  #text = ''
  #start = 0
  #found: Finding[] = []
  /** Up to where the model has answered. */
  #answered = 0
  #gaveUp = false

  constructor(ask: AskNames) {
    this.#ask = ask
  }

  async push(decided: Decided): Promise<Decided> {
    if (this.#gaveUp && this.#text === '') return decided
    this.#take(decided)
    await this.#look(this.#gaveUp ? [] : this.#cutter.push(decided.text))
    return this.#handOn(this.#gaveUp ? Number.POSITIVE_INFINITY : this.#answered)
  }

  /** With the last piece of the stream. */
  async end(decided: Decided): Promise<Decided> {
    this.#take(decided)
    await this.#look(this.#gaveUp ? [] : [...this.#cutter.push(decided.text), ...this.#cutter.end()])
    return this.#handOn(Number.POSITIVE_INFINITY)
  }

  #take({ text, start, found }: Decided): void {
    if (this.#text === '') this.#start = start
    this.#text += text
    // Not spread over arguments: a piece may have more findings than a call can take.
    this.#found = this.#found.concat(found)
  }

  async #look(parts: readonly Part[]): Promise<void> {
    for (let at = 0; at < parts.length; at += batch) {
      const together = parts.slice(at, at + batch)
      const answers = await this.#ask(together.map(part => part.text))
      if (!answers) {
        this.#gaveUp = true
        return
      }
      for (const [index, part] of together.entries()) this.#found.push(...ownedBy(part, answers[index] ?? []))
      this.#answered = together.at(-1)?.to ?? this.#answered
    }
  }

  #handOn(limit: number): Decided {
    const cut = this.#before(Math.min(limit, this.#start + this.#text.length))
    const decided = { text: this.#text.slice(0, cut - this.#start), start: this.#start }
    const found = resolve(this.#found.filter(finding => finding.end <= cut))
    this.#found = this.#found.filter(finding => finding.end > cut)
    this.#text = this.#text.slice(decided.text.length)
    this.#start = cut
    return { ...decided, found }
  }

  /** The last place up to `limit` that no finding reaches over: what overlaps is weighed together. */
  #before(limit: number): number {
    let cut = limit
    for (let moved = true; moved; ) {
      moved = false
      for (const { start, end } of this.#found) {
        if (start >= cut || end <= cut) continue
        cut = start
        moved = true
      }
    }
    return cut
  }
}

/** What a model finds in whole texts. What it did not come to is left to the rules. */
export async function namesInTexts(ask: AskNames, texts: readonly string[]): Promise<Finding[][]> {
  const parts = texts.flatMap((text, owner) => partsOf(text).map(part => ({ part, owner })))
  const found: Finding[][] = texts.map(() => [])
  for (let at = 0; at < parts.length; at += batch) {
    const together = parts.slice(at, at + batch)
    const answers = await ask(together.map(({ part }) => part.text))
    if (!answers) break
    for (const [index, { part, owner }] of together.entries())
      found[owner]?.push(...ownedBy(part, answers[index] ?? []))
  }
  return found
}
