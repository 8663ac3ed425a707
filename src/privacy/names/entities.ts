import type { Finding } from '../../contract/privacy.ts'

/** One word piece as the model labelled it. */
export interface LabelledPiece {
  readonly word: string
  readonly entity: string
  readonly score: number
}

const types: Record<string, string> = {
  PER: 'PERSON',
  PERSON: 'PERSON',
  NAME: 'PERSON',
  LOC: 'LOCATION',
  GPE: 'LOCATION',
  LOCATION: 'LOCATION',
  ORG: 'ORGANIZATION',
  ORGANIZATION: 'ORGANIZATION',
}

/** A model is a second signal: sure as it may be, it never outweighs a checksum. */
const mostScore = 0.85
const leastScore = 0.6
/** How far on in the text the next piece may be; unknown characters are skipped. */
const furthest = 64

/**
 * Finds where in the text the labelled pieces stand and joins them to names. The library gives no offsets: pieces
 * come in order, so each is looked for behind the one before.
 */
export function joinPieces(text: string, pieces: readonly LabelledPiece[]): Finding[] {
  const folded = foldCase(text)
  const found: (Finding & { count: number })[] = []
  let at = 0
  for (const { word, entity, score } of pieces) {
    const continues = word.startsWith('##')
    const plain = foldCase(word.replace(/^(?:##|▁|Ġ)/, ''))
    const start = plain === '' ? -1 : folded.indexOf(plain, at)
    if (start < 0 || start - at > furthest) continue
    const end = start + plain.length
    at = end
    const [, place = '', label = ''] = /^(?:([BIES])-)?(.+)$/.exec(entity) ?? []
    const type = types[label.toUpperCase()]
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

/** Cuts a text into parts that a model can read at once, at ends of sentences where there are any. */
export function partsOf(text: string, longest = 900): { start: number; text: string }[] {
  const parts: { start: number; text: string }[] = []
  let start = 0
  while (start < text.length) {
    let end = Math.min(text.length, start + longest)
    if (end < text.length) {
      const cut = Math.max(text.lastIndexOf('\n', end), text.lastIndexOf('. ', end) + 1, text.lastIndexOf(' ', end - 1))
      if (cut > start) end = cut
    }
    parts.push({ start, text: text.slice(start, end) })
    start = end
  }
  return parts
}
