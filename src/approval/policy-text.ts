import { Document, isMap, parseDocument, type YAMLMap } from 'yaml'
import { z } from 'zod'
import { Policy } from '../contract/policy.ts'
import { fail, type Outcome, ok } from '../contract/problem.ts'
import { Isolation, riskLevels } from '../contract/run.ts'
import { canonicalJson, sha256 } from './canonical.ts'

/** A policy as the text of a file, and back. JSON is YAML too, so one reader serves both; a JSON file must be JSON. */

const maxChars = 256 * 1024

export const defaultPolicy: Policy = Policy.parse({})

/** In force when no policy can be read and none was ever in force: someone looks at everything. */
export const strictPolicy: Policy = Policy.parse({
  thresholds: { low: 'approve', medium: 'approve', high: 'four-eyes', critical: 'block' },
  forceApproval: true,
  unconfined: 'four-eyes',
})

export const policyVersion = (policy: Policy): string => sha256(canonicalJson(policy))

export function parsePolicy(text: string): Outcome<Policy> {
  if (text.length > maxChars) return unreadable('it is longer than 256 KB')
  const document = parseDocument(text, { uniqueKeys: true })
  const error = document.errors[0]
  if (error) return unreadable(error.message.split('\n')[0] ?? 'it is not YAML')
  let value: unknown
  try {
    // Throws for aliases that would make a small file a huge value.
    value = document.toJS()
  } catch (thrown) {
    return unreadable(thrown instanceof Error ? thrown.message : String(thrown))
  }
  // An empty file says nothing against the defaults.
  const parsed = Policy.safeParse(withLevels(withoutSchema(value ?? {})))
  if (parsed.success) return ok(parsed.data)
  const { path, message } = parsed.error.issues[0] ?? { path: [], message: 'it is not a policy' }
  return unreadable(path.length > 0 ? `${path.join('.')}: ${message}` : message)
}

/** Editors look here for the schema; it says nothing of the policy. */
function withoutSchema(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const { $schema, ...policy } = value as Record<string, unknown>
  return $schema === undefined || typeof $schema === 'string' ? policy : value
}

/** Policies used to name one weakest confinement for all risk levels. `unconfined` has had a rule of its own ever since. */
export function withLevels(value: unknown): unknown {
  const one = Isolation.safeParse((value as { minimumIsolation?: unknown } | null)?.minimumIsolation)
  if (!one.success) return value
  const least = one.data === 'unconfined' ? 'jail' : one.data
  const minimumIsolation = Object.fromEntries(riskLevels.map(level => [level, least]))
  return { ...(value as object), minimumIsolation }
}

export function parseJsonPolicy(text: string): Outcome<Policy> {
  try {
    JSON.parse(text)
  } catch (thrown) {
    return unreadable(`it is not JSON (${thrown instanceof Error ? thrown.message : String(thrown)})`)
  }
  // `JSON.parse` would take the last of two keys that are the same, and YAML takes no tab for indentation.
  return parsePolicy(text.replace(/^\t+/gm, tabs => '  '.repeat(tabs.length)))
}

/** The text of a JSON file that says this policy; where to find its schema stays. */
export function updateJson(text: string, policy: Policy): string {
  const before = parseJsonPolicy(text).ok ? (JSON.parse(text) as { $schema?: string }) : {}
  return `${JSON.stringify({ ...(before.$schema ? { $schema: before.$schema } : {}), ...policy }, null, 2)}\n`
}

/** The schema of a policy file, for editors and for whoever checks one before it is put in place. */
export function policySchema(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(Policy, { io: 'input' }) as {
    $schema: string
    properties: Record<string, unknown>
  }
  const place = { type: 'string', description: 'Where this schema is, for editors' }
  return {
    $schema,
    title: 'Policy of Countersign: policy.yaml or policy.json in its data folder',
    ...schema,
    properties: { $schema: place, ...schema.properties },
  }
}

const unreadable = (why: string): Outcome<never> =>
  fail(
    'policy.unreadable',
    `The policy cannot be read: ${why}.`,
    'Correct the file; until then the policy cannot become less strict.',
  )

/** The text of a policy with every setting and what it means. */
export function renderPolicy(policy: Policy): string {
  const document = new Document(policy)
  document.commentBefore =
    ' What Countersign lets run, what it asks about and what it blocks.\n Where several rules apply to a run, the strictest counts: auto < approve < four-eyes < block.'
  if (isMap(document.contents)) explain(document.contents, Described.parse(z.toJSONSchema(Policy, { io: 'input' })))
  return document.toString({ lineWidth: 0 })
}

/** The text changed so that it says this policy, with its comments and order kept; what is new is put at the end. */
export function updateText(text: string, policy: Policy): string {
  const document = parseDocument(text)
  const before = parsePolicy(text)
  if (!before.ok || !isMap(document.contents)) return renderPolicy(policy)
  for (const [path, value] of leaves(policy)) {
    const was = path.reduce<unknown>((part, key) => (part as Record<string, unknown>)[key], before.value)
    if (canonicalJson(was) !== canonicalJson(value)) document.setIn(path, document.createNode(value))
  }
  const updated = document.toString({ lineWidth: 0 })
  // Aliases and odd layouts can make an edit in place say something else; then comments are worth less than the truth.
  const after = parsePolicy(updated)
  return after.ok && policyVersion(after.value) === policyVersion(policy) ? updated : renderPolicy(policy)
}

/** Every setting of the policy with its place: groups are taken apart, lists are one setting. */
function leaves(value: object, path: readonly string[] = []): [string[], unknown][] {
  return Object.entries(value).flatMap(([key, part]): [string[], unknown][] =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? leaves(part, [...path, key])
      : [[[...path, key], part]],
  )
}

interface Described {
  readonly description?: string | undefined
  readonly properties?: Record<string, Described> | undefined
}
const Described: z.ZodType<Described> = z.lazy(() =>
  z.object({ description: z.string().optional(), properties: z.record(z.string(), Described).optional() }),
)

function explain(map: YAMLMap, schema: Described): void {
  for (const { key, value } of map.items) {
    const described = schema.properties?.[String(key)]
    const node = key as { commentBefore?: string | null }
    if (described?.description && typeof key === 'object') node.commentBefore = ` ${described.description}`
    if (isMap(value) && described) explain(value, described)
  }
}
