import { z } from 'zod'
import { Author, CellLanguage, Name } from '../../contract/conversations.ts'
import { languages } from '../../contract/run.ts'
import { isObject, type JsonObject } from './format.ts'

/** What we write under `metadata.countersign`, so that a notebook brings back its branches, authors and languages. */

export const OwnCell = z.object({
  /** A message is a Markdown cell to everybody else. */
  kind: z.literal('message').optional(),
  author: Author.optional(),
  /** Where it differs from the notebook's own. */
  language: CellLanguage.optional(),
  /** This is another path's version of the cell with that id. */
  of: z.string().optional(),
  run: z
    .object({
      finishedAt: z.number().nullable(),
      durationMs: z.number().nullable(),
      success: z.boolean().nullable(),
      stale: z.boolean(),
    })
    .optional(),
})
export type OwnCell = z.infer<typeof OwnCell>

export const OwnNotebook = z.object({
  version: z.literal(1),
  title: Name,
  /** Which of `paths` the notebook's cells are. */
  path: z.number().int().nonnegative(),
  /** Parents before children. */
  paths: z
    .array(
      z.object({
        name: Name,
        parent: z.number().int().nonnegative().nullable(),
        /** The last inherited cell. */
        after: z.string().nullable(),
        archived: z.boolean(),
        /** All cells that the path shows, by id. */
        cells: z.array(z.string()),
      }),
    )
    .min(1)
    .max(5000),
  /** Cells that stand on other paths only. */
  cells: z.array(z.unknown()),
})
export type OwnNotebook = z.infer<typeof OwnNotebook>

export const ownMetadata = (metadata: JsonObject): unknown => metadata.countersign

export function withoutOwn(metadata: JsonObject): JsonObject {
  const { countersign: _, ...rest } = metadata
  return rest
}

/** The language that a notebook's code cells are in, by the name that we give it. */
export function notebookLanguage(metadata: JsonObject): string {
  const named = [metadata.kernelspec, metadata.language_info].filter(isObject)
  const names = named.flatMap(each => [each.language, each.name])
  for (const name of names) {
    const known = typeof name === 'string' ? languageNamed(name) : null
    if (known) return known
  }
  return 'python'
}

export function languageNamed(name: string): string | null {
  const plain = name.toLowerCase()
  const alias = aliases[plain] ?? plain.replace(/^i?python[\d.]*$/, 'python')
  return CellLanguage.safeParse(alias).success ? alias : null
}

const aliases: Record<string, string> = {
  js: 'javascript',
  node: 'javascript',
  nodejs: 'javascript',
  ts: 'typescript',
  deno: 'typescript',
  sh: 'bash',
  shell: 'bash',
  shellscript: 'bash',
}

/** What other tools need to open a notebook that was not one before. */
export function metadataFor(language: string): JsonObject {
  const display: Record<(typeof languages)[number], JsonObject> = {
    python: { display_name: 'Python 3', language: 'python', name: 'python3' },
    javascript: { display_name: 'JavaScript', language: 'javascript', name: 'javascript' },
    typescript: { display_name: 'Deno', language: 'typescript', name: 'deno' },
    bash: { display_name: 'Bash', language: 'bash', name: 'bash' },
  }
  const known = languages.find(each => each === language) ?? 'python'
  return { kernelspec: display[known], language_info: { name: known } }
}
