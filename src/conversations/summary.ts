import type { ItemId } from '../contract/conversations.ts'
import { readFacts } from './items.ts'
import { readSet, textOf } from './outputs.ts'
import { readTexts } from './texts.ts'
import type { Db, ExecutionRow, Line } from './view.ts'

const maxLineChars = 200
const maxEntries = 20

/** A message that says what a path asked and found, by a simple rule: its questions, then the last lines of its results. */
export async function summariseItems(
  db: Db,
  name: string,
  lines: readonly Line[],
  runs: ReadonlyMap<ItemId, ExecutionRow>,
): Promise<string> {
  const facts = await readFacts(
    db,
    lines.map(line => line.item),
  )
  const texts = await readTexts(
    db,
    lines.map(line => line.text),
  )
  const asked: string[] = []
  const found: string[] = []
  for (const line of lines) {
    const fact = facts.get(line.item)
    const set = runs.get(line.item)?.outputs_of
    if (fact?.kind === 'message' && fact.author === 'analyst') asked.push(firstLine(texts.get(line.text) ?? ''))
    if (fact?.kind === 'cell' && set) {
      const outputs = await readSet(db, set)
      const last = outputs.map(({ output }) => lastLine(textOf(output))).findLast(text => text !== '')
      if (last) found.push(last)
    }
  }
  const cells = lines.filter(line => facts.get(line.item)?.kind === 'cell').length
  const section = (title: string, entries: string[]) =>
    entries.length === 0 ? [] : ['', `${title}:`, '', ...entries.slice(-maxEntries).map(entry => `- ${entry}`)]
  return [
    `**Summary of the path “${name}”**: ${count(lines.length - cells, 'message')}, ${count(cells, 'cell')}.`,
    ...section('Asked', asked),
    ...section('Found', found.map(inCode)),
  ].join('\n')
}

const count = (number: number, thing: string) => `${number} ${thing}${number === 1 ? '' : 's'}`
const firstLine = (text: string) => shorten(text.trim().split('\n')[0] ?? '')
const lastLine = (text: string) => shorten(text.trimEnd().split('\n').at(-1)?.trim() ?? '')
const shorten = (text: string) => (text.length > maxLineChars ? `${text.slice(0, maxLineChars)}…` : text)
/** As code, so that output which looks like Markdown is shown and not obeyed. */
const inCode = (text: string) => `\`${text.replaceAll('`', 'ˋ')}\``
