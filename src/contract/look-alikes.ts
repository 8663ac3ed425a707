/** Characters that look like others which mean something in code. One list, for windows and for the terminal. */

/** Scripts with letters that look like Latin ones: inside a word with Latin letters none of theirs belongs. */
const strangers =
  /[\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}\p{Script=Lisu}]/gu

/** Letters of those scripts that cannot be told from Latin ones: a word of nothing else reads as a Latin word. */
const twins = new Set(
  [
    'аеорсухіјѕһԁԛԝӏАВЕКМНОРСТХУІЈЅҮԚԜӀ', // Cyrillic
    'αινορυΑΒΕΖΗΙΚΜΝΟΡΤΥΧϲϳ', // Greek
    'օսհոցզյՏԼՕՍ', // Armenian
    'ᎠᎡᎢᎥᎪᎬᎳᎷᎻᎽᏀᏃᏎᏔᏙᏚᏞᏟᏢᏦᏧᏴᏂᏏᏒᏤ', // Cherokee
  ].flatMap(letters => [...letters]),
)

/** Words in the sense of a person who reads quickly. */
const words = /[\w\p{L}]+/gu

/** Letters and signs that pass for an ASCII one wherever they stand; Python even takes most of the letters for it. */
const impostors = new RegExp(
  [
    '[\\u0251\\u0261\\u017F\\u01C0\\u01C3\\u02D0\\u037E\\u0387\\u2010\\u2011\\u2024\\u2044\\u2215\\u2216\\u2236\\u29F8\\uA789\\uFE52\\uFE54\\uFE55]',
    // Letters of mathematics, of symbols, of ligatures and Roman numerals.
    '[\\u{1D400}-\\u{1D7FF}\\u2102\\u210A-\\u2115\\u2118-\\u211D\\u2124\\u2128\\u212A-\\u2134\\u2139\\u2145-\\u2149\\u2160-\\u217F\\uFB00-\\uFB06]',
    // Full-width letters and digits; signs only where no text stands that is written with them.
    '[\\uFF10-\\uFF19\\uFF21-\\uFF3A\\uFF41-\\uFF5A]',
    '(?<![\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Hangul}])[\\uFF01-\\uFF0F\\uFF1A-\\uFF20\\uFF3B-\\uFF40\\uFF5B-\\uFF5E](?![\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Hangul}])',
  ].join('|'),
  'gu',
)

export interface Found {
  readonly at: number
  readonly character: string
}

/** Where characters stand that a reader takes for others. */
export function lookAlikes(text: string): Found[] {
  // Most code is ASCII, which has none of them.
  if (!/[^\0-\x7f]/.test(text)) return []
  const found: Found[] = []
  for (const { 0: word, index } of text.matchAll(words)) {
    const foreign = [...word.matchAll(strangers)]
    if (foreign.length === 0 || !(/[A-Za-z]/.test(word) || readsAsLatin(word))) continue
    for (const letter of foreign) found.push({ at: index + letter.index, character: letter[0] })
  }
  for (const match of text.matchAll(impostors)) found.push({ at: match.index, character: match[0] })
  return found
}

const readsAsLatin = (word: string): boolean => [...word.replace(/[\d_]/g, '')].every(letter => twins.has(letter))
