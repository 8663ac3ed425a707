import { type Facets, facetWord } from './facets.ts'

/**
 * What a person typed, as a full-text query: words, "exact phrases" and prefix*. All must be there. Everything else
 * that the query language knows is taken as plain text, so that nothing typed is a syntax error.
 */
export function textQuery(typed: string): string | null {
  const terms = [...typed.matchAll(/"([^"]*)"?|(\S+)/g)].flatMap(([, phrase, word]) => {
    const text = phrase ?? word ?? ''
    if (!/[\p{L}\p{N}]/u.test(text)) return []
    // One letter would stand for a large part of all words.
    const prefix = word !== undefined && /[\p{L}\p{N}]{2}\*$/u.test(word)
    const quoted = `"${text.replace(/\*$/, '').replaceAll('"', '').replaceAll('\0', ' ')}"`
    return [prefix ? `${quoted} *` : quoted]
  })
  return terms.length === 0 ? null : terms.join(' AND ')
}

/** Filters in the same query: any of the values of each. It may find too much, never too little. */
export function facetQuery(facets: readonly (readonly [keyof Facets, readonly string[]])[]): string[] {
  return facets.map(([facet, values]) => {
    const words = values.flatMap(value => [value, ...formerWords(facet, value)])
    return `(${words.map(each => `"${facetWord(facet, each)}"`).join(' OR ')})`
  })
}

/** Entries from before syntax errors had a result of their own are in this index under these. */
const formerWords = (facet: keyof Facets, value: string): readonly string[] =>
  facet === 'result' && value === 'syntax' ? ['refused', 'failure'] : []
