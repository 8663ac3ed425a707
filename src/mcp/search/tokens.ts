/** Pieces of words with how likely each is, in the order of their numbers. */
export type Vocabulary = readonly (readonly [piece: string, score: number])[]

/** What stands for a blank. */
const blank = '\u2581'
/** The first numbers stand for no text. */
const reserved = 6

interface Piece {
  readonly index: number
  readonly score: number
}

/** The likeliest pieces of a text, by number, as the model learned them; one for each run of what it does not know. */
export function tokenizer(vocabulary: Vocabulary): (text: string) => number[] {
  const pieces = new Map<string, Piece>()
  let longest = 1
  for (const [index, [piece, score]] of vocabulary.entries()) {
    if (index < reserved) continue
    pieces.set(piece, { index, score })
    longest = Math.max(longest, piece.length)
  }
  return text => {
    const plain = text.normalize('NFKC')
    const symbols = [...(plain && `${blank}${plain.replace(/ /g, blank)}`)]
    /** Of the best way to each place: its score, its last piece, and where that began. */
    const best = symbols.map(() => ({ score: Number.NEGATIVE_INFINITY, index: 0, from: 0 }))
    for (let from = 0; from < symbols.length; from++) {
      const before = from === 0 ? 0 : (best[from - 1]?.score ?? 0)
      const reach = (to: number, { index, score }: Piece) => {
        const known = best[to]
        if (known && before + score >= known.score) best[to] = { score: before + score, index, from }
      }
      let isKnown = false
      let piece = ''
      for (let to = from; to < Math.min(symbols.length, from + longest); to++) {
        piece += symbols[to]
        const found = pieces.get(piece)
        if (!found) continue
        isKnown = true
        reach(to, found)
      }
      if (!isKnown) reach(from, { index: 0, score: 0 })
    }
    const found: number[] = []
    for (let at = symbols.length - 1; at >= 0; ) {
      const { index, from } = best[at] ?? { index: 0, from: at }
      if (index !== 0 || found.at(-1) !== 0) found.push(index)
      at = from - 1
    }
    return found.reverse()
  }
}
