import type { Example } from '../contract/analyses.ts'
import type { WorkedExample } from '../contract/report.ts'
import type { Catalogue } from './catalogue.ts'
import { folderHash } from './load.ts'

/** The files of a version and its worked examples, if they still are what this hash was taken over. */
export async function textsOf(
  catalogue: Catalogue,
  { analysis, version, sha256 }: { analysis: string; version: string; sha256: string },
): Promise<{ files: Readonly<Record<string, string>>; worked: WorkedExample[] } | null> {
  const found = await catalogue.get(analysis, version)
  if (!found.ok || folderHash(found.value.files) !== sha256) return null
  const examples = found.value.examples()
  return { files: found.value.files, worked: examples.ok ? examples.value.map(workedOf) : [] }
}

const refusals: Record<NonNullable<Example['refused']>, string> = {
  input: 'refused for its inputs',
  range: 'refused: the law of that date is not known',
  method: 'refused by the method',
}

const workedOf = ({ name, kind, source, input, output, refused, tolerance }: Example): WorkedExample => ({
  name,
  kind,
  source: source ? [source.document, source.publisher].filter(Boolean).join(', ') : null,
  input: JSON.stringify(input),
  output: refused ? refusals[refused] : `${JSON.stringify(output ?? {})}${tolerance ? `, to within ${tolerance}` : ''}`,
})
