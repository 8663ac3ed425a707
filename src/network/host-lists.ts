import { httpMethods } from '../contract/network.ts'
import { fail, type Outcome, ok } from '../contract/problem.ts'
import { judge, parseRule, type Rule } from './rules.ts'

/** All that a service with host lists lets through: these names, on the ports of http and https, and nothing else. */
export type HostLists = readonly string[]

const web = [
  { protocol: 'http', port: 80 },
  { protocol: 'https', port: 443 },
] as const

/**
 * The names that a service with allow-lists has to let through so that exactly what was granted can be reached, as far
 * as its lists can say that: they know neither port nor protocol nor method, and no name that is denied. A rule that they
 * cannot express is refused in words, never widened in silence. The one thing that they open beyond the rules is plain
 * http to a host that was granted with https, which `openedToo` says.
 */
export function hostLists(grants: readonly string[]): Outcome<HostLists> {
  const rules: Rule[] = []
  for (const grant of grants) {
    const rule = parseRule(grant)
    if (!rule.ok) return rule
    rules.push(rule.value)
  }
  const hosts: string[] = []
  for (const rule of rules.filter(each => each.effect === 'allow')) {
    const why = whyNot(rule)
    if (why) return notExpressible(rule, why)
    const denied = deniedAt(rule, rules)
    if (denied === 'partly') return notExpressible(rule, 'another rule denies a part of it')
    if (denied === 'no') hosts.push(rule.host)
  }
  return ok([...new Set(hosts)].sort())
}

export const openedToo =
  'The cloud’s own lists let these hosts through by name, by http and https: requests are not recorded there.'

function whyNot({ protocol, port, host, methods }: Rule): string | null {
  if (protocol === 'tcp') return 'they know names of web servers only'
  if (/^\[|^[0-9.]+$|:/.test(host)) return 'an address would be let through on every port'
  if (port !== (protocol === 'http' ? 80 : 443)) return 'they know no ports'
  if (protocol === 'http' && !httpMethods.every(method => methods.includes(method))) return 'they know no methods'
  return null
}

/** Whether a rule denies what this one allows. What is opened is the name as a whole, so a part of it cannot be kept shut. */
function deniedAt({ host, protocol, port }: Rule, rules: readonly Rule[]): 'no' | 'partly' | 'wholly' {
  const denying = rules.filter(each => each.effect === 'deny' && overlap(each.host, host))
  if (denying.length === 0) return 'no'
  const broad = denying.filter(each => isWithin(host, each.host))
  // The proxy of this machine refuses what is denied on the granted port; so the name is not opened at all.
  const probe = host.startsWith('*.') ? `a${host.slice(1)}` : host
  const isVoid =
    broad.length > 0 &&
    !judge([...broad, allowAll(probe, protocol, port)], { host: probe, protocol, port: port ?? 443 }).allowed
  if (isVoid) return 'wholly'
  const matters = denying.some(each => web.some(at => each.port === null || each.port === at.port))
  return matters ? 'partly' : 'no'
}

const allowAll = (host: string, protocol: Rule['protocol'], port: Rule['port']): Rule => ({
  effect: 'allow',
  host,
  protocol,
  port,
  methods: httpMethods,
  scope: 'run',
})

const isWithin = (host: string, pattern: string): boolean =>
  host === pattern || (pattern.startsWith('*.') && host.endsWith(pattern.slice(1)) && host.length > pattern.length - 1)

const overlap = (one: string, other: string): boolean => isWithin(one, other) || isWithin(other, one)

const notExpressible = (rule: Rule, why: string): Outcome<never> =>
  fail(
    'sandbox.refused-network',
    `The cloud cannot grant ${rule.host}${rule.port === null ? '' : `, port ${rule.port}`} (${rule.protocol}) as the rule says: it has lists of hosts, and ${why}.`,
    'Run it in a sandbox of this machine, or ask for https on port 443.',
  )
