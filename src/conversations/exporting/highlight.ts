import { escapeHtml } from './safe-html.ts'

/** Code as HTML with its comments, strings, numbers and keywords marked: enough to read it by, in one pass. */
export function highlight(code: string, language: string): string {
  const rules = grammars[language]
  if (!rules) return escapeHtml(code)
  let out = ''
  let plain = 0
  for (const match of code.matchAll(rules.pattern)) {
    const { comment, string, number, word } = match.groups ?? {}
    const kind = comment ? 'c' : string ? 's' : number ? 'n' : word && rules.keywords.has(word) ? 'k' : null
    if (!kind) continue
    out += `${escapeHtml(code.slice(plain, match.index))}<span class="${kind}">${escapeHtml(match[0])}</span>`
    plain = match.index + match[0].length
  }
  return out + escapeHtml(code.slice(plain))
}

interface Grammar {
  readonly pattern: RegExp
  readonly keywords: ReadonlySet<string>
}

const rest = '(?<number>\\b\\d[\\w.]*)|(?<word>[A-Za-z_$][\\w$]*)'
const quoted = `"(?:\\\\[^]|[^"\\\\\\n])*"?|'(?:\\\\[^]|[^'\\\\\\n])*'?`
const grammar = (comment: string, string: string, keywords: string): Grammar => ({
  pattern: new RegExp(`(?<comment>${comment})|(?<string>${string})|${rest}`, 'g'),
  keywords: new Set(keywords.split(' ')),
})

const script = grammar(
  '//[^\\n]*|/\\*[^]*?(?:\\*/|$)',
  `\`(?:\\\\[^]|[^\`\\\\])*\`?|${quoted}`,
  'as async await break case catch class const continue default delete do else enum export extends false finally for from function if implements import in instanceof interface let new null of return static super switch this throw true try type typeof undefined var void while yield',
)

const grammars: Record<string, Grammar> = {
  python: grammar(
    '#[^\\n]*',
    `"""[^]*?(?:"""|$)|'''[^]*?(?:'''|$)|${quoted}`,
    'and as assert async await break class continue def del elif else except False finally for from global if import in is lambda match None nonlocal not or pass raise return True try while with yield',
  ),
  javascript: script,
  typescript: script,
  bash: grammar(
    '(?<![\\w$])#[^\\n]*',
    `"(?:\\\\[^]|[^"\\\\])*"?|'[^']*'?`,
    'case do done elif else esac export fi for function if in local readonly return then until while',
  ),
}
