/** Values that many entries share; their combinations are few, and each is a kind. */
export const commonFacets = ['action', 'risk', 'result', 'sandbox'] as const
export type CommonFacet = (typeof commonFacets)[number]

/** Values that few entries share. */
export const ownFacets = ['actor', 'codeHash', 'conversation', 'path', 'run', 'request'] as const
export type OwnFacet = (typeof ownFacets)[number]

export type Facets = Record<Exclude<CommonFacet, 'action'> | OwnFacet, string | null> & { readonly action: string }

/**
 * One word per value for the full-text index, free of anything that its tokenizer would split at. It begins as no word
 * of a text does, so that a search need not look into which column it stands: that would double its time.
 */
export const facetWord = (facet: keyof Facets, value: string): string => `qz${facet}${value.replace(/[^a-z0-9]/gi, '')}`

export const facetWords = (facets: Facets): string =>
  [...commonFacets, ...ownFacets].flatMap(name => (facets[name] ? [facetWord(name, facets[name])] : [])).join(' ')
