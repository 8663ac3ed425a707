/** Words that stand in every description and tell nothing apart. */
const stopWords = new Set(
  'a an the of to in on for with and or by from at as is are be this that it its into all any we our us i my me do does did have has what which who how when whether where there their them they his her he she you your can could should would will was were been not no if then than so up out'.split(
    ' ',
  ),
)

/** The words of a text or a name, without their endings: `listOpenInvoices` and `open invoice` meet. */
export function wordsOf(text: string): string[] {
  return text
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(word => word.length > 1 && !stopWords.has(word))
    .map(stem)
}

/** A small stemmer for English: plurals and the commonest endings of verbs. */
function stem(word: string): string {
  if (word.length <= 3) return word
  const single = word
    .replace(/ies$/, 'y')
    .replace(/(ss|sh|ch|x)es$/, '$1')
    .replace(/([^su])s$/, '$1')
  const bare = single.length > 5 ? single.replace(/(?:ing|ed|er)$/, '') : single
  return bare.replace(/([b-df-hj-np-tv-z])\1$/, '$1').replace(/e$/, '')
}
