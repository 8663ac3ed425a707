import { z } from 'zod'
import { type NetworkProtocol, NetworkRule, readMethods } from '../contract/network.ts'
import { fail, type Outcome, ok } from '../contract/problem.ts'
import { addressHost, canonicalHost, canonicalName, hostText } from './host.ts'

/** A rule with its host in canonical form and nothing left to default. */
export interface Rule {
  readonly effect: 'allow' | 'deny'
  /** A name, an address, or `*.` and a name. */
  readonly host: string
  /** Null only where the rule denies: every port. */
  readonly port: number | null
  readonly protocol: NetworkProtocol
  readonly methods: readonly string[]
  readonly scope: 'run' | 'path' | 'policy'
}

export interface Wanted {
  readonly host: string
  readonly port: number
  readonly protocol: NetworkProtocol
  /** Only of plain HTTP. */
  readonly method?: string
}

export type Judgement =
  | { readonly allowed: true; readonly rule: Rule }
  | { readonly allowed: false; readonly why: 'not-granted' }
  | { readonly allowed: false; readonly why: 'denied' | 'method'; readonly rule: Rule }

/** Deny beats allow; no rule, no way. */
export function judge(rules: readonly Rule[], wanted: Wanted): Judgement {
  const denying = rules.find(rule => rule.effect === 'deny' && denies(rule, wanted))
  if (denying) return { allowed: false, why: 'denied', rule: denying }
  const fitting = rules.filter(
    rule =>
      rule.effect === 'allow' &&
      rule.protocol === wanted.protocol &&
      rule.port === wanted.port &&
      covers(rule.host, wanted.host),
  )
  const [first] = fitting
  if (!first) return { allowed: false, why: 'not-granted' }
  if (wanted.protocol !== 'http') return { allowed: true, rule: first }
  const method = wanted.method ?? ''
  const allowing = fitting.find(rule => rule.methods.includes(method))
  return allowing ? { allowed: true, rule: allowing } : { allowed: false, why: 'method', rule: first }
}

/** A raw connection can speak any protocol: it is denied with each of them, and denying it denies all. */
function denies(rule: Rule, wanted: Wanted): boolean {
  const protocol = rule.protocol === wanted.protocol || rule.protocol === 'tcp' || wanted.protocol === 'tcp'
  return protocol && (rule.port === null || rule.port === wanted.port) && covers(rule.host, wanted.host)
}

function covers(pattern: string, host: string): boolean {
  if (!pattern.startsWith('*.')) return pattern === host
  // With the dot: `*.example.org` is neither `example.org` nor `badexample.org`.
  return host.length > pattern.length - 1 && host.endsWith(pattern.slice(1))
}

const defaultPorts: Record<NetworkProtocol, number | null> = { http: 80, https: 443, tcp: null }

export function parseRules(given: unknown): Outcome<Rule[]> {
  const parsed = z.array(NetworkRule).max(1000).safeParse(given)
  if (!parsed.success) return unreadable(parsed.error.issues.map(issueText).join('; '))
  const rules: Rule[] = []
  for (const each of parsed.data) {
    const rule = complete(each)
    if (!rule.ok) return rule
    rules.push(rule.value)
  }
  return ok(rules)
}

/** Which rule it is about, counted as people count, and what is wrong there. */
function issueText({ path, message }: z.core.$ZodIssue): string {
  const [at, ...field] = path
  const where = at === undefined ? [] : [`rule ${Number(at) + 1}`, ...field.map(String)]
  return where.length > 0 ? `${where.join(', ')}: ${message}` : message
}

function complete(given: z.infer<typeof NetworkRule>): Outcome<Rule> {
  const { effect, protocol, scope } = given
  const host = canonicalPattern(given.host)
  if (!host) return unreadable(`"${printable(given.host)}" is not a host name`)
  if (given.methods && protocol !== 'http') return unreadable('methods can be told apart only in plain http')
  const port = given.port ?? (effect === 'deny' ? null : defaultPorts[protocol])
  if (port === null && effect === 'allow') return unreadable(`${host}: a tcp rule needs a port`)
  return ok({ effect, host, port, protocol, methods: given.methods ?? readMethods, scope })
}

function canonicalPattern(text: string): string | null {
  if (!text.startsWith('*.')) return (addressHost(text) ?? canonicalHost(text))?.text ?? null
  const base = canonicalName(text.slice(2))
  return base?.includes('.') ? `*.${base}` : null
}

/**
 * A rule in one line, as it stands in a signature: `https://api.example.org:443`, `http://x.example.org:80 GET,POST`;
 * with `path ` before it where later runs of the path are to have it too.
 */
export function ruleText(rule: Rule): string {
  const where = `${rule.protocol}://${hostText(rule.host)}:${rule.port ?? '*'}`
  const isUsual = rule.protocol !== 'http' || rule.methods.join() === readMethods.join()
  const methods = isUsual || rule.effect === 'deny' ? '' : ` ${rule.methods.join()}`
  const kind = rule.effect === 'deny' ? 'deny ' : rule.scope === 'path' ? 'path ' : ''
  return `${kind}${where}${methods}`
}

/**
 * Reads what `ruleText` writes, and what people type: `api.example.org`, `api.example.org:8443`, `http://…`, `tcp://…`.
 * Port 80 without a protocol means http.
 */
export function parseRule(text: string, scope: Rule['scope'] = 'run'): Outcome<Rule> {
  const match =
    /^(deny |path )?(?:(http|https|tcp):\/\/)?(\[[^\]]*\]|[^:/\s[\]]+)(?::(\d{1,5}|\*))?\/?(?: ([A-Z]+(?:,[A-Z]+)*))?$/.exec(
      text,
    )
  if (!match) return unreadable(`"${printable(text)}" is not a host and a port`)
  const [, kind, protocol, host, port, methods] = match
  const deny = kind === 'deny '
  const rules = parseRules([
    {
      effect: deny ? 'deny' : 'allow',
      host,
      protocol: protocol ?? (port === '80' ? 'http' : 'https'),
      ...(port && port !== '*' ? { port: Number(port) } : {}),
      ...(methods ? { methods: methods.split(',') } : {}),
      scope: kind === 'path ' ? 'path' : scope,
    },
  ])
  if (!rules.ok) return rules
  const [rule] = rules.value
  return rule && !(port === '*' && !deny) ? ok(rule) : unreadable('every port can be denied, but not granted')
}

/** Rules as they are kept: each in its one form, the same only once. */
export function canonicalGrants(texts: readonly string[]): Outcome<string[]> {
  const grants: string[] = []
  for (const text of texts) {
    const rule = parseRule(text)
    if (!rule.ok) return rule
    grants.push(ruleText(rule.value))
  }
  return ok([...new Set(grants)].sort())
}

/** What a run is given: its own grants, those of the policy, and what the policy denies in any case. */
export function withPolicy(grants: readonly string[], policy: readonly string[]): string[] {
  const isDeny = (rule: string): boolean => rule.startsWith('deny ')
  const allowed = [...grants, ...policy].filter(rule => !isDeny(rule))
  return [...new Set(allowed.length > 0 ? [...allowed, ...policy.filter(isDeny)] : [])].sort()
}

const printable = (text: string): string => text.slice(0, 100).replace(/[^\x20-\x7e]/g, '?')

const unreadable = (why: string): { ok: false; problem: ReturnType<typeof fail>['problem'] } =>
  fail('request.invalid', `A network rule cannot be read: ${why}.`, 'Write it like https://api.example.org:443.')
