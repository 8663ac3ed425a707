/** The last place up to `at` where a text can be cut without half of a private value being left at its end. */
export type CutPlace = (text: string, at: number) => Promise<number>

/** What follows a cut is looked at this far: longer than the values that are looked for. */
const beyondChars = 4_000

/** How much printed text there is room for, of all streams together; what comes when it is full is cut off. */
export class Room<Stream> {
  #left: number
  /** What each stream went on with when it was full: half of a value is known only by its other half. */
  readonly #beyond = new Map<Stream, string>()
  isFull = false

  constructor(chars: number) {
    this.#left = chars
  }

  /** Room for something that is kept whole or not at all. */
  fits(chars: number): boolean {
    const fits = !this.isFull && chars <= this.#left
    if (fits) this.#left -= chars
    return fits
  }

  take(stream: Stream, text: string): string {
    if (this.fits(text.length)) return text
    const part = this.isFull ? '' : text.slice(0, wholeCharacters(text, this.#left))
    this.isFull = true
    const beyond = this.#beyond.get(stream) ?? ''
    if (beyond.length < beyondChars)
      this.#beyond.set(stream, beyond + text.slice(part.length, part.length + beyondChars))
    return part
  }

  /** What is kept of the last that was taken from a stream. */
  async end(stream: Stream, taken: string, place: CutPlace): Promise<string> {
    const beyond = this.#beyond.get(stream)
    return beyond && taken ? taken.slice(0, await place(taken + beyond, taken.length)) : taken
  }
}

/** The beginning of a text, for where there is no more room. */
export async function beginning(text: string, chars: number, place: CutPlace): Promise<string> {
  return text.length <= chars ? text : text.slice(0, await place(text.slice(0, chars + beyondChars), chars))
}

/** Never cuts a character of two code units in half. */
function wholeCharacters(text: string, length: number): number {
  const code = text.charCodeAt(length - 1)
  return code >= 0xd800 && code < 0xdc00 ? length - 1 : length
}
