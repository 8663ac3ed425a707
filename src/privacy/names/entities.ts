import type { EntityType, Finding } from '../../contract/privacy.ts'

/** One word piece as the model labelled it. */
export interface LabelledPiece {
  readonly word: string
  readonly entity: string
  readonly score: number
}

const types: Record<string, EntityType> = {
  PER: 'PERSON',
  PERSON: 'PERSON',
  NAME: 'PERSON',
  FIRSTNAME: 'PERSON',
  GIVENNAME: 'PERSON',
  MIDDLENAME: 'PERSON',
  LASTNAME: 'PERSON',
  SURNAME: 'PERSON',
  LOC: 'LOCATION',
  GPE: 'LOCATION',
  LOCATION: 'LOCATION',
  ORG: 'ORGANIZATION',
  ORGANIZATION: 'ORGANIZATION',
}

/** `B-PER` begins a person; `given_name` is one as well, of a model that tells parts of a name apart. */
export function readLabel(given: string): { place: string; label: string; type: EntityType | null } {
  const [, place = '', label = ''] = /^(?:([BIES])-)?(.+)$/.exec(given) ?? []
  return { place, label, type: types[label.toUpperCase().replaceAll('_', '')] ?? null }
}

/** A model is a second signal: sure as it may be, it never outweighs a checksum. */
const mostScore = 0.85
const leastScore = 0.6
/** How far on in the text the next piece may be, and how much further for each word in between that the model does not know. */
const furthest = 64
const longestUnknown = 100

/**
 * Finds where in the text the labelled pieces stand and joins them to names. The library gives no offsets: pieces
 * come in order, so each is looked for behind the one before.
 */
export function joinPieces(text: string, pieces: readonly LabelledPiece[]): Finding[] {
  const folded = foldCase(text)
  const found: (Finding & { count: number })[] = []
  let at = 0
  let within = furthest
  for (const { word, entity, score } of pieces) {
    // Without this a line in another script would hide all names behind it.
    if (isUnknown(word)) within += longestUnknown
    const continues = word.startsWith('##')
    const plain = foldCase(word.replace(/^(?:##|▁|Ġ)/, ''))
    const start = plain === '' ? -1 : folded.indexOf(plain, at)
    if (start < 0 || start - at > within) continue
    const end = start + plain.length
    at = end
    within = furthest
    const { place, type } = readLabel(entity)
    const last = found.at(-1)
    const touches = last !== undefined && /^[\s.'’-]{0,2}$/.test(text.slice(last.end, start))
    if (last && touches && (continues || (type === last.type && place !== 'B'))) {
      found[found.length - 1] = {
        ...last,
        end,
        score: (last.score * last.count + score) / (last.count + 1),
        count: last.count + 1,
      }
    } else if (type) found.push({ start, end, type, rule: 'name-model', score, count: 1 })
  }
  return found
    .filter(({ score, start, end }) => score >= leastScore && end - start > 1)
    .map(({ count: _count, ...finding }) => ({ ...finding, score: Math.min(mostScore, finding.score) }))
}

const isUnknown = (word: string): boolean => word === '[UNK]' || word === '<unk>'

/** Lower case without accents, character for character, as uncased models write their pieces. */
function foldCase(text: string): string {
  let out = ''
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at)
    const plain = char.normalize('NFD').charAt(0).toLowerCase()
    out += plain.length === 1 ? plain : char
  }
  return out
}
