/** The words that `{a,b,c}` and `{1..3}` stand for; a long sequence is cut, since only its kind matters. */
export function braces(source: string): string[] {
  if (!source.startsWith('{') || !source.endsWith('}')) return [source]
  const inside = source.slice(1, -1)
  const sequence = /^(-?\d+|[a-zA-Z])\.\.(-?\d+|[a-zA-Z])(\.\.-?\d+)?$/.exec(inside)
  if (sequence?.[1] && sequence[2]) return inSequence(sequence[1], sequence[2])
  const words: string[] = []
  let depth = 0
  let start = 0
  for (let at = 0; at < inside.length; at++) {
    const letter = inside[at]
    if (letter === '\\') at++
    else if (letter === '{') depth++
    else if (letter === '}') depth--
    else if (letter === ',' && depth === 0) {
      words.push(inside.slice(start, at))
      start = at + 1
    }
  }
  words.push(inside.slice(start))
  return words
    .slice(0, mostWords)
    .flatMap(word => (/^\{.*\}$/.test(word) && word.length < inside.length ? braces(word) : [word]))
}
const mostWords = 64

function inSequence(from: string, to: string): string[] {
  const numeric = /\d/.test(from)
  const first = numeric ? Number(from) : from.charCodeAt(0)
  const last = numeric ? Number(to) : to.charCodeAt(0)
  const step = first <= last ? 1 : -1
  const words: string[] = []
  for (let at = first; words.length < 8 && (step > 0 ? at <= last : at >= last); at += step) {
    words.push(numeric ? String(at) : String.fromCharCode(at))
  }
  return words
}
