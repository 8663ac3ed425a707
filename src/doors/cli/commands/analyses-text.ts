import type { AnalysisEntry, AnalysisView, InputSpec, UsedParameter } from '../../../contract/analyses.ts'
import { AnalysisResult } from '../../../contract/analyses.ts'

/** What `countersign analyses` prints for people. */

export function listText(entries: readonly AnalysisEntry[]): string {
  if (entries.length === 0) return 'No analysis fits.\n'
  return entries
    .map(({ id, type, jurisdiction, title, status, origin }) => {
      const marks = [...(origin === 'own' ? ['yours'] : []), ...(status === 'enacted' ? [] : [status])]
      return `${id.padEnd(24)} ${type.padEnd(17)} ${jurisdiction.padEnd(8)} ${title}${marks.length > 0 ? ` (${marks.join(', ')})` : ''}\n`
    })
    .join('')
}

export function viewText({ entry, definition, parameters, examples }: AnalysisView): string {
  const known = entry.known ? `known from ${entry.known.from} to before ${entry.known.until}` : 'no dated parameters'
  const lines = [
    `${entry.title}`,
    `${entry.id} ${entry.version} · ${entry.type} · ${entry.jurisdiction} · ${known} · ${entry.status}`,
    `sha256 ${entry.sha256}`,
    '',
    definition.summary,
    '',
    'Inputs',
    ...Object.entries(definition.inputs).flatMap(([name, spec]) => inputLines(name, spec, '  ')),
    '',
    'Outputs',
    ...Object.entries(definition.outputs).map(
      ([name, { type, currency, help }]) => `  ${name.padEnd(32)} ${currency ?? type}${help ? `  ${help}` : ''}`,
    ),
    '',
    'Parameters',
    ...Object.entries(parameters.parameters).map(([name, { label, values, known_until }]) => {
      const cited = values.map(
        ({ from, cite, status }) => `${from} ${status ?? parameters.citations[cite]?.status ?? ''}`,
      )
      return `  ${name.padEnd(32)} ${label} (${[...new Set(cited)].join('; ')}; known to before ${known_until})`
    }),
    ...(definition.not_covered.length > 0
      ? ['', 'Not covered', ...definition.not_covered.map(each => `  ${each}`)]
      : []),
    ...definition.notes.map(({ text, status }) => `Note: ${text}${status ? ` (${status})` : ''}`),
    '',
    `${examples.length} worked examples, such as`,
    ...examples
      .slice(0, 5)
      .map(
        ({ name, kind, input, output }) =>
          `  ${name} (${kind})\n    ${JSON.stringify(input)}\n    ${output ? JSON.stringify(output) : 'refused'}`,
      ),
  ]
  return `${lines.join('\n')}\n`
}

function inputLines(name: string, spec: InputSpec, indent: string): string[] {
  const kind = spec.of ? spec.of.join(' | ') : (spec.currency ?? spec.type)
  const marks = [
    spec.unit,
    spec.min === undefined ? null : `≥ ${spec.min}`,
    spec.above === undefined ? null : `> ${spec.above}`,
    spec.max === undefined ? null : `≤ ${spec.max}`,
    spec.default === undefined ? (spec.optional ? 'optional' : null) : `default ${JSON.stringify(spec.default)}`,
  ].filter(mark => mark !== null && mark !== undefined)
  const line = `${indent}${name.padEnd(Math.max(1, 34 - indent.length))} ${kind}${marks.length > 0 ? ` (${marks.join(', ')})` : ''}${spec.help ? `  ${spec.help}` : ''}`
  const inner = Object.entries(spec.columns ?? spec.fields ?? {})
  return [line, ...inner.flatMap(([each, one]) => inputLines(each, one, `${indent}  `))]
}

export function resultText(output: Readonly<Record<string, unknown>>): string {
  const parsed = AnalysisResult.safeParse(output)
  if (!parsed.success) return `${JSON.stringify(output, null, 2)}\n`
  const { analysis, version, folder_sha256, as_of, status, parameters_used, steps, ...outputs } = parsed.data
  const shown = (value: unknown) =>
    typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '–')
  return [
    ...Object.entries(outputs).map(([name, value]) => `${name.padEnd(32)} ${shown(value)}`),
    '',
    'Steps',
    ...steps.map(
      ({ label, figure, provision }) => `  ${label}: ${shown(figure)}${provision ? `  [${provision}]` : ''}`,
    ),
    '',
    'Parameters used',
    ...(parameters_used as UsedParameter[]).map(
      ({ label, value, from, to, citation, status: each }) =>
        `  ${label}: ${shown(value)} (${from} to before ${to}; ${citation}; ${each})`,
    ),
    '',
    `${analysis} ${version}${as_of ? `, as of ${as_of}` : ''}, ${status}, sha256 ${folder_sha256}`,
    '',
  ].join('\n')
}
