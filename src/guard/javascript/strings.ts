/** The text of a JavaScript string or template piece, escapes resolved. */
export function unescapeJavaScript(content: string): string {
  if (!content.includes('\\')) return content
  return content.replace(
    /\\(?:x([0-9a-fA-F]{2})|u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|([0-7]{1,3})|(\r\n|[\s\S]))/g,
    (whole, hex, point, unit, octal, other) => {
      if (hex ?? unit) return String.fromCharCode(Number.parseInt(hex ?? unit, 16))
      if (point) {
        const code = Number.parseInt(point, 16)
        return code <= 0x10ffff ? String.fromCodePoint(code) : whole
      }
      if (octal) return String.fromCharCode(Number.parseInt(octal, 8))
      return simple[other] ?? other
    },
  )
}

const simple: Readonly<Record<string, string>> = {
  '\n': '',
  '\r\n': '',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
}
