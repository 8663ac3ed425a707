import { forEachChild, type ParsedScript, type ParseError, parse, type SyntaxNode, type Word } from 'unbash'

/** Process substitutions inside a longer word, by their scripts: for the parser they are command substitutions. */
const handedScripts = new WeakMap<ParsedScript, '<' | '>'>()

/** `<` or `>` where what the parser takes for `$(…)` is a process substitution inside a longer word. */
export const handedBy = (script: ParsedScript | undefined): '<' | '>' | undefined =>
  script === undefined ? undefined : handedScripts.get(script)

/**
 * Parses a script. The parser ends a word at `<(`, while Bash reads on: in `x=a<(:) rm -rf /` it would take `rm` for an
 * argument, and `[[ x[<(cmd)] == a ]]` it would not read at all. In the brackets of a command's name, as in
 * `x[<(cmd)] y`, it takes it for plain text. So each one that stands in a longer word is written as `$(`, which has the
 * same length and is part of a word, and its script is marked.
 */
export function parseWhole(source: string): ParsedScript {
  let text = source
  const handed = new Map<number, '<' | '>'>()
  for (let turn = 0; ; turn++) {
    const script = parse(text)
    const cut = mayCut(text) ? cutsOf(script, text) : []
    // `$((` would be a sum.
    const open = cut.filter(at => text[at + 2] !== '(')
    if (open.length === 0 || turn === mostTurns) {
      if (handed.size > 0) markScripts(script, handed)
      return cut.length === 0 ? script : withErrors(script, cut)
    }
    for (const at of open) handed.set(at, text[at] === '<' ? '<' : '>')
    text = withDollars(text, open)
  }
}
/** Substitutions come to light one in the other; who nests them deeper is not read. */
const mostTurns = 16

const mayCut = (text: string): boolean => /[<>]\(/.test(text)

/** Where process substitutions start that the parser took out of a longer word, or for text of it. */
function cutsOf(script: ParsedScript, text: string): number[] {
  const found = new Set<number>()
  const consider = (at: number, end: number | null): void => {
    if (!opens(text, at)) return
    if (goesOnBefore(text, at) || (end !== null && goesOnAfter(text, end))) found.add(at)
  }
  walk(script, (node, own) => {
    if (!own) return
    if (node.type === 'Script') for (const error of (node as ParsedScript).errors ?? []) consider(error.pos, null)
    if (node.type !== 'Word' || !mayCut(node.text)) return
    // `2<(cmd)` and `{fd}<(cmd)` are words with a substitution too, and no redirections.
    const descriptor = /^(?:\d+|\{\w+\})(?=[<>]\()/.exec(node.text)?.[0]
    if (descriptor !== undefined) consider(node.pos + descriptor.length, null)
    const first = node.parts?.[0]
    if (first?.type === 'ProcessSubstitution' && first.pos === node.pos) consider(node.pos, first.end)
    const plain = inPlainText(node as Word)
    if (plain !== null) found.add(plain)
  })
  return [...found]
}

/** Where the first one starts in text of a word that no quotes keep from the shell. What is in it comes to light after it. */
function inPlainText({ text, pos, parts = [] }: Word): number | null {
  const read = new Map(
    parts.filter(({ type }) => type !== 'Literal' && type !== 'Glob').map(part => [part.pos, part.end]),
  )
  for (let at = 0; at < text.length; ) {
    if (opens(text, at)) return pos + at
    const end = read.get(pos + at)
    quoted.lastIndex = at
    at = end !== undefined && end > pos + at ? end - pos : quoted.test(text) ? quoted.lastIndex : at + 1
  }
  return null
}
const quoted = /\$'(?:[^'\\]|\\.)*'|'[^']*'|"(?:[^"\\]|\\.)*"|\\./sy

const opens = (text: string, at: number): boolean => {
  const letter = text[at]
  return (letter === '<' || letter === '>') && text[at + 1] === '('
}

const breaks = ' \t\n;&|(<>'

function goesOnBefore(text: string, at: number): boolean {
  const before = text[at - 1]
  if (before === undefined) return false
  return !breaks.includes(before) || /(?:^|[^\\])(?:\\\\)*\\$/.test(text.slice(Math.max(0, at - 64), at - 1))
}

function goesOnAfter(text: string, end: number): boolean {
  const after = text[end]
  if (after === undefined) return false
  return (after !== ')' && !breaks.includes(after)) || opens(text, end)
}

function withDollars(text: string, places: readonly number[]): string {
  let done = ''
  let from = 0
  for (const at of [...places].sort((a, b) => a - b)) {
    done += `${text.slice(from, at)}$`
    from = at + 1
  }
  return done + text.slice(from)
}

function markScripts(root: ParsedScript, handed: ReadonlyMap<number, '<' | '>'>): void {
  walk(root, (node, own) => {
    if (!own || node.type !== 'CommandExpansion' || node.script === undefined) return
    const operator = handed.get(node.pos)
    if (operator !== undefined) handedScripts.set(node.script, operator)
  })
}

function withErrors(script: ParsedScript, places: readonly number[]): ParsedScript {
  const more = places.map(
    (pos): ParseError => ({ message: 'a word with a process substitution could not be read', pos }),
  )
  return Object.assign(script, { errors: [...(script.errors ?? []), ...more] })
}

/** Visits every node; `own` is false where places are not those of the script, as in escaped backticks. */
function walk(root: ParsedScript, visit: (node: SyntaxNode, own: boolean) => void): void {
  const open: { readonly node: SyntaxNode; readonly own: boolean }[] = [{ node: root, own: true }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node } = next
    visit(node, next.own)
    const own = next.own && !('script' in node && node.script?.source !== undefined)
    forEachChild(node, child => open.push({ node: child, own }))
  }
}
