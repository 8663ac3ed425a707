/** Words that stand in code of one language and hardly ever in that of another. */
const signs: readonly (readonly [language: 'python' | 'javascript' | 'bash', sign: RegExp])[] = [
  ['python', /^\s*(?:def \w+\(.*\).*:|class \w+.*:|from [\w.]+ import |import [\w.]+(?: as \w+)?$|elif .*:|print\()/m],
  [
    'javascript',
    /^\s*(?:(?:const|let|var) [\w{[]|function\s*\w*\(|import .* from ['"]|export |console\.log\(|async function)|=>\s*[{(]/m,
  ],
  [
    'bash',
    /^\s*(?:#!.*\b(?:ba)?sh\b|(?:ls|cd|cat|grep|sed|awk|mkdir|rm|cp|mv|chmod|curl|wget|tar|sudo|export|echo) [-$"'./~\w]|for \w+ in .*; *do\b|if \[\[? )/m,
  ],
]

/** The language that a cell's text looks like, where that is another than the cell's; null where there is no telling. */
export function looksLike(text: string, language: string): string | null {
  // Magics hand a cell to another language on purpose.
  if (language === 'markdown' || text.trim() === '' || /^\s*[%!]/m.test(text)) return null
  const own = language === 'typescript' ? 'javascript' : language
  const found = signs.filter(([, sign]) => sign.test(text)).map(([name]) => name)
  return found.length === 1 && found[0] !== own ? (found[0] ?? null) : null
}
