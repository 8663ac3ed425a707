import type { Inspection } from '../../../contract/inspection.ts'
import { type Language, languages } from '../../../contract/languages.ts'
import type { Guard } from '../../../guard/guard.ts'
import { UsageError } from '../command.ts'

/** The language of a file: as given, or from its extension or first line. */
export function languageOf(given: unknown, file: string, code: string): Language {
  if (typeof given === 'string') {
    const language = named(given)
    if (language === null) throw new UsageError(`There is no language '${given}'; there are ${languages.join(', ')}.`)
    return language
  }
  const fromName = named(/\.(\w+)$/.exec(file)?.[1] ?? '')
  if (fromName !== null) return fromName
  const fromFirstLine = interpreterOf(code)
  if (fromFirstLine !== null) return fromFirstLine
  throw new UsageError(`The language of '${file}' is not known; name it with --language.`)
}

function interpreterOf(code: string): Language | null {
  const interpreter = /^#!\s*\S*?(?:\/env\s+(?:-S\s+)?(?:\S+=\S+\s+)*)?([\w]+?)[\d.]*(?:\s|$)/.exec(code)?.[1] ?? ''
  return named(interpreter.split('/').at(-1) ?? '')
}

/** What only one of the languages would say. */
const signs: readonly (readonly [Language, RegExp])[] = [
  [
    'bash',
    /^\s*(sudo |echo |cd |export \w+=|if \[|for \w+ in .*; ?do|while .*; ?do|(fi|done|esac)\s*$|\w+=\S*$)|"\$\w+|\$\(|\$\{\w|\| ?\w+ -/gm,
  ],
  [
    'javascript',
    /^\s*(const|let|var) [\w{[]|\brequire\(['"]|\b(module\.exports|process\.|document\.|window\.|localStorage\.|console\.)|=>|^\s*(export|import) .* from ['"]|\bfunction\b.*\{|\)\s*;\s*$|^\s*\}\s*;?\s*$|^\s*(interface \w+ \{|type \w+ =|enum \w+|declare )|[\w)\]]\??: (string|number|boolean|void|unknown|any)\b[[\],;) =]/gm,
  ],
  [
    'python',
    /^\s*(def \w+\(|class \w+.*:|import \w+|from [\w.]+ import |print\(|(if|for|while|with|try|elif|else|except)\b.*:\s*(#.*)?$)|^\w+ = (?!.*;\s*$)/gm,
  ],
]

/** Languages that code without a name may be in, the likeliest first: by its first line, or by the most signs; a bare line is a command. */
export function likely(code: string): Language[] {
  const first = interpreterOf(code)
  if (first !== null) return [first]
  const start = code.slice(0, 20_000)
  return signs
    .map(([language, sign]) => ({ language, count: start.match(sign)?.length ?? 0 }))
    .sort((one, other) => other.count - one.count)
    .flatMap(({ language }) => (language === 'javascript' ? [language, 'typescript'] : language))
}

/** Reads code without a name in the likeliest language of which it is a whole program; signs alone take a word in a string for code. */
export async function inspectUnnamed(guard: Guard, code: string, signal?: AbortSignal): Promise<Inspection> {
  let first: Inspection | null = null
  for (const language of likely(code)) {
    const inspection = await guard.inspect(code, language, signal)
    if (!inspection.violations.some(({ type }) => type === 'unparseable')) return inspection
    first ??= inspection
  }
  return first ?? guard.inspect(code, 'bash', signal)
}

const spellings: Readonly<Record<string, Language>> = {
  py: 'python',
  python2: 'python',
  python3: 'python',
  ipython: 'python',
  js: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  jsx: 'javascript',
  node: 'javascript',
  nodejs: 'javascript',
  ecmascript: 'javascript',
  ts: 'typescript',
  tsx: 'typescript',
  mts: 'typescript',
  cts: 'typescript',
  deno: 'typescript',
  sh: 'bash',
  shell: 'bash',
  zsh: 'bash',
  dash: 'bash',
  ksh: 'bash',
  shellscript: 'bash',
  console: 'bash',
}

/** The language that a word names, in one of its spellings. */
export function named(name: string): Language | null {
  const plain = name.trim().toLowerCase()
  return (
    languages.find(language => language === plain) ??
    (Object.hasOwn(spellings, plain) ? (spellings[plain] ?? null) : null)
  )
}
