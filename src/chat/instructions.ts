import { readFileSync } from 'node:fs'
import type { FoundAnalysis } from '../analyses/analyses.ts'
import type { Variable, WorkFile } from '../contract/sandbox.ts'
import { resource } from '../places.ts'
import { clip } from './results.ts'

/** The version is part of the file's name: what a model was told is a matter of record. */
export const instructionsVersion = 2

let text: string | null = null

/** What the path has, in short form. Names and sizes only: what a variable holds is asked for by a tool. */
export interface Surroundings {
  readonly environment: string
  readonly variables: readonly Variable[]
  readonly files: readonly WorkFile[]
  /** Entries of the catalogue that a search for the question brought. */
  readonly analyses: readonly FoundAnalysis[]
}

const mostListed = 40

/** Where code of a path would run, and the rules of what it may reach from there. */
export interface Place {
  readonly isolation: string
  readonly network: readonly string[]
}

/** Where code runs, in words for a model: one that is told of no network would not use the one that it was granted. */
export function placeWords({ isolation, network }: Place): string {
  const allowed = network.filter(rule => !rule.startsWith('deny '))
  const named = [...allowed.slice(0, mostListed), ...(allowed.length > mostListed ? ['and more'] : [])].join(', ')
  const reach = allowed.length === 0 ? 'no network' : `network only to what was granted: ${named}`
  return `${isolation}, Python, JavaScript, TypeScript and Bash; ${reach}`
}

/** In the place of one, where no sandbox can be had. */
export const noPlaceWords = 'none can be had at the moment, so there are no tools; say so where it matters'

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
      'Analyses of the catalogue that may fit, for run_analysis',
      around.analyses.map(
        ({ id, version, type, title, inputs }) => `${id} ${version} (${type}): ${title}. Inputs: ${clip(inputs, 400)}`,
      ),
    ),
  ].join('\n')
}
