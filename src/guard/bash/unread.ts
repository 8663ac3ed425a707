import {
  type ArithmeticCommandExpansion,
  type CommandExpansionPart,
  forEachChild,
  type ProcessSubstitutionPart,
  type SyntaxNode,
} from 'unbash'
import { handedBy } from './cut-words.ts'
import { parsed } from './parsed.ts'
import type { Surroundings } from './words.ts'

export type Substitution = CommandExpansionPart | ProcessSubstitutionPart | ArithmeticCommandExpansion

/** Whether a text may hold commands that the shell runs while it works the text out. */
export const mayRun = (text: string): boolean => text.length > 2 && /`|[$<>]\(|\$\{[\s|]/.test(text)

/**
 * Reads every substitution below a node that nobody has read yet. Whoever works out what a word is worth looks only at
 * the kinds of parts that matter for it; without this, each kind that was forgotten would be a place to hide code.
 */
export function readRest(root: SyntaxNode, text: string, around: Surroundings): void {
  if (!mayRun(text)) return
  const found = outermost(root)
  for (const { part } of found) {
    if (part.script === undefined) around.unread()
    else if (!around.hasRead(part.script)) around.substitute(part.script, roleOf(part))
  }
  readMissed(text, root.type === 'HereDocBody', found, around)
}

interface Found {
  readonly part: Substitution
  /** False where the parser may have cut it in two: it parts `${x/$(rm /a)/y}` at the first slash. */
  readonly whole: boolean
}

/** The substitutions below a node that stand in no other, without recursion: words nest as deep as the parser allows. */
function outermost(root: SyntaxNode): Found[] {
  const found: Found[] = []
  const open: { readonly node: SyntaxNode; readonly whole: boolean }[] = [{ node: root, whole: true }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node } = next
    if (isSubstitution(node)) {
      found.push({ part: node, whole: next.whole })
      continue
    }
    const whole = next.whole && node.type !== 'Replace' && node.type !== 'Slice'
    forEachChild(node, child => open.push({ node: child, whole }))
  }
  return found
}

export const isSubstitution = (node: SyntaxNode): node is Substitution =>
  node.type === 'CommandExpansion' || node.type === 'ProcessSubstitution' || node.type === 'ArithmeticCommandExpansion'

/** What the word gets: the output itself, or the name of a file to read it from or to write to. */
export function roleOf(part: Substitution): 'output' | 'file' | 'sink' {
  const operator = part.type === 'ProcessSubstitution' ? part.operator : handedBy(part.script)
  return operator === undefined ? 'output' : operator === '<' ? 'file' : 'sink'
}

/**
 * Holds the text itself against what the parser found in it: a substitution that starts there and belongs to no node is
 * parsed on its own, and when that fails the script counts as not wholly read.
 */
function readMissed(text: string, isBody: boolean, found: readonly Found[], around: Surroundings): void {
  /** Double quotes and braces that are open. */
  const open: string[] = isBody ? ['"'] : []
  let calculates = false
  let failures = 0
  for (let at = 0; at < text.length; at++) {
    const letter = text[at]
    if (letter === '\\') at++
    else if (letter === '"' && !isBody) {
      if (open.at(-1) === '"') open.pop()
      else open.push('"')
    } else if (letter === "'" && !open.includes('"')) at = endOfQuote(text, at, text[at - 1] === '$')
    else if (letter === '}' && open.at(-1) === '{') open.pop()
    else if (letter === '$' && text[at + 1] === '{' && !/[\s|]/.test(text[at + 2] ?? '')) open.push('{')
    else if (starts(text, at) && (letter === '$' || letter === '`' || (open.at(-1) === '{' && !calculates))) {
      const length = readAt(text, at, found, around)
      if (length > 0) at += length - 1
      else if (text.startsWith('$((', at)) calculates = true
      else {
        around.unread()
        // What cannot be parsed as a whole may still hold commands that can; each try costs a parse.
        if (++failures > mostFailures) return
      }
    }
  }
}

const mostFailures = 16

const starts = (text: string, at: number): boolean => {
  const letter = text[at]
  if (letter === '`') return true
  const next = text[at + 1]
  return letter === '$' ? next === '(' || next === '{' : (letter === '<' || letter === '>') && next === '('
}

/** How long the substitution is that starts here, after it was read; 0 when there is none that can be read. */
function readAt(text: string, at: number, found: readonly Found[], around: Surroundings): number {
  for (const { part, whole } of found)
    if (whole && isClosed(part.text) && text.startsWith(part.text, at)) return part.text.length
  if (text.startsWith('$((', at)) return 0
  const part = firstPart(text.slice(at, at + longest))
  if (part?.script === undefined || !isClosed(part.text)) return 0
  if (!found.some(each => each.part.text === part.text)) around.substitute(part.script, roleOf(part), true)
  return part.text.length
}
const longest = 100_000

const isClosed = (text: string): boolean =>
  text[0] === '`' ? text.length > 1 && text.endsWith('`') : text.endsWith(text.startsWith('${') ? '}' : ')')

function firstPart(text: string): CommandExpansionPart | ProcessSubstitutionPart | null {
  const command = parsed(text)?.commands[0]?.command
  const first = command?.type === 'AndOr' ? command.commands[0] : command
  const simple = first?.type === 'Pipeline' ? first.commands[0] : first
  const part = simple?.type === 'Command' ? simple.name?.parts?.[0] : undefined
  return part?.type === 'CommandExpansion' || part?.type === 'ProcessSubstitution' ? part : null
}

/** Where a quoted text ends; at the end of everything when it does not. */
function endOfQuote(text: string, from: number, escapes: boolean): number {
  for (let at = from + 1; at < text.length; at++) {
    if (escapes && text[at] === '\\') at++
    else if (text[at] === "'") return at
  }
  return text.length
}
