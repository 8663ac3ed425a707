import { readFileSync } from 'node:fs'
import type { Variable, WorkFile } from '../contract/sandbox.ts'
import { resource } from '../places.ts'

/** The version is part of the file's name: what a model was told is a matter of record. */
export const instructionsVersion = 1

let text: string | null = null

/** What the path has, in short form. Names and sizes only: what a variable holds is asked for by a tool. */
export interface Surroundings {
  readonly environment: string
  readonly variables: readonly Variable[]
  readonly files: readonly WorkFile[]
  /** Entries of the catalogue that a search for the question brought. */
  readonly analyses: readonly { readonly id: string; readonly title: string }[]
}

const mostListed = 40

export function instructions(around: Surroundings): string {
  text ??= readFileSync(resource('assistant', `instructions.v${instructionsVersion}.md`), 'utf8')
  const list = (title: string, lines: readonly string[]): string[] =>
    lines.length === 0
      ? []
      : [
          '',
          `${title}:`,
          ...lines.slice(0, mostListed).map(line => `- ${line}`),
          ...(lines.length > mostListed ? [`- and ${lines.length - mostListed} more`] : []),
        ]
  return [
    text.trim(),
    '',
    `Sandbox: ${around.environment}`,
    ...list(
      'Variables',
      around.variables.map(({ name, type, shape }) => `${name}: ${type}${shape ? ` (${shape})` : ''}`),
    ),
    ...list(
      'Files',
      around.files.map(({ path, kind, bytes }) => (kind === 'file' ? `${path} (${bytes} bytes)` : `${path} (${kind})`)),
    ),
    ...list(
      'Analyses that may fit',
      around.analyses.map(({ id, title }) => `${id}: ${title}`),
    ),
  ].join('\n')
}
