/** What `\n`, `\r`, `\t`, `\b` and `\f` stand for. */
const meaning = new Uint16Array(128)
for (const [letter, character] of Object.entries({ n: '\n', r: '\n', t: '\t', b: ' ', f: ' ' }))
  meaning[letter.charCodeAt(0)] = character.charCodeAt(0)

/**
 * In JSON and in source files a line break is written `\n`, and its letter would join the word behind it: the card in
 * `"paid:\n4111…"` would be a word that begins with an `n`. What is read is the character that the escape stands for,
 * also behind two backslashes, as in text that was quoted twice.
 */
export function readEscapes(text: string, codes: Uint16Array): void {
  for (let at = text.indexOf('\\'); at !== -1; at = text.indexOf('\\', at + 1)) {
    const stands = meaning[text.charCodeAt(at + 1)] ?? 0
    if (stands !== 0) codes[at + 1] = stands
  }
}
