import type { z } from 'zod'
import { nearest } from '../contract/analysis-inputs.ts'
import { AnalysisTask, ApprovalTask, CodeTask, type GraphFault, ToolTask, WorkflowSpec } from '../contract/workflow.ts'

type LineOf = (path: readonly PropertyKey[]) => number | null
type Issue = z.core.$ZodIssue

const keys = [
  ...new Set([WorkflowSpec, CodeTask, AnalysisTask, ToolTask, ApprovalTask].flatMap(each => Object.keys(each.shape))),
]

/** What is wrong with the form of a graph, in sentences that speak of what its author wrote. */
export function formFaults(issues: readonly Issue[], value: unknown, line: LineOf): GraphFault[] {
  return issues.flatMap(issue => {
    const { path } = issue
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map(key => ({ message: unknownKey(path, key, value), line: line([...path, key]) }))
    return [{ message: named(path, sentence(issue, valueAt(value, path))), line: line(path) }]
  })
}

function unknownKey(path: readonly PropertyKey[], key: string, value: unknown): string {
  const type = valueAt(value, [...path, 'type'])
  if (keys.includes(key) && typeof type === 'string')
    return named(path, `${key} means nothing for a task of type ${type}.`)
  const like = keys.find(known => known.startsWith(key)) ?? nearest(key, keys)
  return named(path, `${key} is no key here${like ? `: did you mean ${like}?` : '.'}`)
}

function sentence(issue: Issue, value: unknown): string {
  // An invalid key carries its reason one level deeper.
  if (issue.code === 'invalid_key') return issue.issues[0]?.message ?? issue.message
  const choices =
    issue.code === 'invalid_value'
      ? issue.values
      : issue.code === 'invalid_union' && 'options' in issue && issue.options
  const [missing, wrong] = [value === undefined, `${words(value)} is not possible.`]
  if (choices) return `${missing ? 'It is missing.' : wrong} Write ${choices.map(String).join(', ')}.`
  if (missing) return 'It is missing.'
  if (issue.code === 'invalid_type') return `It is to be ${kinds[issue.expected] ?? issue.expected}.`
  if (issue.code === 'too_small' && saysItself(issue)) return `It is to be at least ${amount(issue, issue.minimum)}.`
  if (issue.code === 'too_big' && saysItself(issue)) return `It is to be at most ${amount(issue, issue.maximum)}.`
  return issue.message
}

/** Where the schema has no sentence of its own. */
const saysItself = ({ message }: Issue): boolean => /^Too (small|big): /.test(message)

function amount({ origin }: { readonly origin: string }, limit: number | bigint): string {
  const [one, more] = units[origin] ?? ['', '']
  return `${limit} ${limit === 1 ? one : more}`.trim()
}

const units: Readonly<Record<string, readonly [string, string]>> = {
  string: ['character', 'characters'],
  array: ['entry', 'entries'],
}

const kinds: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a block of keys',
  record: 'a block of names',
}

const words = (value: unknown): string => (JSON.stringify(value) ?? '').slice(0, 60)
const named = (path: readonly PropertyKey[], text: string): string =>
  path.length > 0 ? `${path.map(String).join('.')}: ${text}` : text

const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>((here, part) => (here as Record<PropertyKey, unknown> | null | undefined)?.[part], value)
