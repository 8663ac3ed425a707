import { type Language, languages } from '../../../contract/languages.ts'
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
  const interpreter = /^#!\s*\S*?(?:\/env\s+(?:-S\s+)?(?:\S+=\S+\s+)*)?([\w]+?)[\d.]*(?:\s|$)/.exec(code)?.[1] ?? ''
  const fromFirstLine = named(interpreter.split('/').at(-1) ?? '')
  if (fromFirstLine !== null) return fromFirstLine
  throw new UsageError(`The language of '${file}' is not known; name it with --language.`)
}

const spellings: Readonly<Record<string, Language>> = {
  py: 'python',
  python3: 'python',
  js: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  jsx: 'javascript',
  node: 'javascript',
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
}

/** The language that a word names, in one of its spellings. */
export function named(name: string): Language | null {
  const plain = name.toLowerCase()
  return (
    languages.find(language => language === plain) ??
    (Object.hasOwn(spellings, plain) ? (spellings[plain] ?? null) : null)
  )
}
