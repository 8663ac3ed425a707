/** What a Python string literal says: its prefix, and its text with escapes resolved. */
export interface Literal {
  readonly raw: boolean
  readonly formatted: boolean
  /** Where the content starts and ends within the literal. */
  readonly open: number
  readonly close: number
}

export function literalShape(source: string): Literal {
  let at = 0
  let raw = false
  let formatted = false
  for (; at < source.length; at++) {
    const letter = source[at]?.toLowerCase()
    if (letter === 'r') raw = true
    else if (letter === 'f' || letter === 't') formatted = true
    else if (letter !== 'b' && letter !== 'u') break
  }
  const quote = source[at] ?? ''
  const long = source.startsWith(quote.repeat(3), at) && source.length >= at + 6
  const width = long ? 3 : 1
  return { raw, formatted, open: at + width, close: Math.max(at + width, source.length - width) }
}

const simple: Readonly<Record<string, string>> = {
  '\n': '',
  '\\': '\\',
  "'": "'",
  '"': '"',
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
}

const signs: Readonly<Record<string, string>> = {
  'LOW LINE': '_',
  'FULL STOP': '.',
  SOLIDUS: '/',
  SPACE: ' ',
  'HYPHEN-MINUS': '-',
  TILDE: '~',
}

/** `\N{LATIN SMALL LETTER S}`, for what paths and names are made of. */
function named(name: string): string | null {
  const [, size, letter] = /^LATIN (SMALL|CAPITAL) LETTER ([A-Z])$/i.exec(name) ?? []
  if (size && letter) return /small/i.test(size) ? letter.toLowerCase() : letter.toUpperCase()
  return signs[name.toUpperCase()] ?? null
}

export function unescapePython(content: string): string {
  if (!content.includes('\\')) return content
  return content.replace(
    /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{1,3})|N\{([^}]*)\}|(\r\n|[\s\S]))/g,
    (whole, hex, short, long, octal, name, other) => {
      if (hex ?? short) return String.fromCharCode(Number.parseInt(hex ?? short, 16))
      if (long) {
        const point = Number.parseInt(long, 16)
        return point <= 0x10ffff ? String.fromCodePoint(point) : whole
      }
      if (octal) return String.fromCharCode(Number.parseInt(octal, 8))
      if (name) return named(name) ?? whole
      if (other === '\r\n') return ''
      return simple[other] ?? whole
    },
  )
}
