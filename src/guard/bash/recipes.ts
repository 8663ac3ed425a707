import { listOf } from '../lists.ts'
import type { Value } from '../model.ts'
import { startOf, text, textOf } from '../values.ts'
import { isInput, switched, writtenTo } from './embedded-code.ts'
import { inside, type Reading, type Standing } from './reading.ts'

const longest = 20_000

/** A makefile that this script wrote a moment ago is a shell script by another name: its recipes are read too. */
export function made(args: readonly Value[], standing: Standing, reading: Reading): void {
  const named = switched(['-f', '--file', '--makefile'], args)[0]
  const file = named === undefined ? null : startOf(named)
  const content =
    file === null
      ? usual.map(name => writtenTo(name, reading)).find(found => found !== undefined)
      : file === '-' || isInput(file)
        ? standing.input
        : writtenTo(file, reading)
  const known = textOf(content)
  if (known === null || known.length > longest) return
  const asked = new Set(listOf(args, arg => startOf(arg)))
  for (const recipe of recipesIn(known, asked)) reading.inline(text(recipe, content?.origins), inside(standing))
}
const usual = ['GNUmakefile', 'makefile', 'Makefile']

/** Lines behind a tab, without the marks that say how `make` shows them, and what it asks a shell. */
function recipesIn(makefile: string, asked: ReadonlySet<string>): string[] {
  const found: string[] = []
  let skipped = false
  for (const line of makefile.replace(/\\\n/g, ' ').split('\n')) {
    // What tidies up is run only when somebody asks for it.
    const target = /^([\w.-]+)\s*:(?!=)/.exec(line)?.[1]
    if (target !== undefined)
      skipped =
        /clean$|^uninstall$/.test(target) && !asked.has(target) && !new RegExp(`:.*\\b${target}\\b`).test(makefile)
    if (skipped) continue
    // `all: part; command` says the first of them on the line of the target.
    const recipe = (/^\t[@+-]*(.+)$/.exec(line) ?? /^[\w.-]+\s*:(?![=:])[^;#]*;\s*[@+-]*(.+)$/.exec(line))?.[1]
    if (recipe !== undefined) found.push(recipe.replaceAll('$$', '$'))
    const inner = /\$\(shell\s+([^)]+)\)/.exec(line)?.[1]
    if (inner !== undefined) found.push(inner)
  }
  return found.slice(0, 64)
}
