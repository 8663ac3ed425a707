import type { InputSpec } from '../../src/contract/analyses.ts'
import { withoutLastNewlines } from '../../src/contract/newlines.ts'

/** What stands in the form: text as it was typed, rows as they were pasted. */
export type Values = Readonly<Record<string, unknown>>

/** More rows than this do not go into a form or a batch. */
export const mostRows = 100_000

/** Inputs of a form without what is empty, so that defaults count. */
export function filled(values: Values): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== '' && value !== undefined && value !== null),
  )
}

/**
 * Text of a spreadsheet as rows of cells: tabs where there are any, else commas or semicolons. Of a text with too many
 * rows only as many as show that: a million of them would hold the window up.
 */
export function pastedRows(text: string): string[][] {
  const lines = withoutLastNewlines(text.replace(/\r\n?/g, '\n')).split('\n', mostRows + 2)
  const cut = text.includes('\t') ? '\t' : text.includes(';') ? ';' : ','
  return lines.map(line => line.split(cut).map(cell => cell.trim()))
}

/** Rows for the columns of a table: by the names of a header line where it has them, else in order. */
export function rowsFor(
  columns: Readonly<Record<string, InputSpec>>,
  cells: readonly (readonly string[])[],
): Record<string, string>[] {
  const names = Object.keys(columns)
  const plain = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
  const header = cells[0]?.map(cell => names.find(name => plain(name) === plain(cell)) ?? null) ?? []
  const has = header.some(name => name !== null)
  const order = has ? header : names
  return cells
    .slice(has ? 1 : 0)
    .map(row =>
      Object.fromEntries(row.flatMap((cell, at) => (order[at] && cell !== '' ? [[order[at] as string, cell]] : []))),
    )
}
