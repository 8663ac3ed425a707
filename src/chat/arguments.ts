/**
 * Reads one string field of a JSON object while it streams in: the code of a tool call can be shown before its last
 * bracket has come. Anything it does not understand it passes over; what runs is read by a real parser.
 */
export class FieldReader {
  readonly #field: string
  #depth = 0
  #state: 'between' | 'name' | 'text' | 'other' = 'between'
  #isName = false
  #name = ''
  #escape = ''
  #high = ''

  constructor(field: string) {
    this.#field = field
  }

  /** What the chunk brings of the field's value. */
  push(chunk: string): string {
    let out = ''
    for (const sign of chunk) out += this.#take(sign)
    return out
  }

  #take(sign: string): string {
    if (this.#state === 'between') {
      if (sign === '{' || sign === '[') {
        this.#depth++
        this.#isName = sign === '{'
      } else if (sign === '}' || sign === ']') this.#depth--
      else if (sign === ',') this.#isName = true
      else if (sign === ':') this.#isName = false
      else if (sign === '"') {
        const isWanted = this.#depth === 1 && !this.#isName && this.#name === this.#field
        this.#state = this.#depth === 1 && this.#isName ? 'name' : isWanted ? 'text' : 'other'
        if (this.#state === 'name') this.#name = ''
      }
      return ''
    }
    const character = this.#unescape(sign)
    if (character === null) {
      this.#state = 'between'
      return ''
    }
    if (this.#state === 'name') this.#name += character
    return this.#state === 'text' ? character : ''
  }

  /** The character that a sign inside a string completes; empty while an escape goes on, null at the closing quote. */
  #unescape(sign: string): string | null {
    if (this.#escape === '') {
      if (sign === '"') return null
      if (sign !== '\\') return this.#whole(sign)
      this.#escape = sign
      return ''
    }
    this.#escape += sign
    if (this.#escape[1] === 'u' && this.#escape.length < 6) return ''
    const sequence = this.#escape
    this.#escape = ''
    if (sequence[1] === 'u') {
      const code = Number.parseInt(sequence.slice(2), 16)
      return this.#whole(String.fromCharCode(Number.isNaN(code) ? 0xfffd : code))
    }
    return this.#whole({ n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' }[sign] ?? sign)
  }

  /** Two escapes make one character beyond the basic plane: half of one is never shown. */
  #whole(text: string): string {
    const joined = this.#high + text
    this.#high = ''
    if (!/[\ud800-\udbff]$/.test(joined)) return joined
    this.#high = joined.slice(-1)
    return joined.slice(0, -1)
  }
}
