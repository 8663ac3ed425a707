import { z } from 'zod'
import { RequestId } from './ids.ts'

export const networkProtocols = ['http', 'https', 'tcp'] as const
export const NetworkProtocol = z.enum(networkProtocols)
export type NetworkProtocol = z.infer<typeof NetworkProtocol>

/** Methods of plain HTTP that only read; a rule allows these unless it names others. */
export const readMethods = ['GET', 'HEAD', 'OPTIONS'] as const
export const httpMethods = [...readMethods, 'POST', 'PUT', 'PATCH', 'DELETE'] as const
export const HttpMethod = z.enum(httpMethods)
export type HttpMethod = z.infer<typeof HttpMethod>

/** What a rule was granted for. */
export const ruleScopes = ['run', 'path', 'policy'] as const

/**
 * One rule of the egress proxy as a person or a file writes it. `*.example.org` means its subdomains and not the name
 * itself. Deny beats allow; without a rule nothing is reachable.
 */
export const NetworkRule = z.strictObject({
  effect: z.enum(['allow', 'deny']).default('allow').describe('allow or deny; deny beats allow'),
  host: z.string().min(1).max(1024).describe('A host name, or *. and a name for its subdomains'),
  port: z
    .number()
    .int()
    .min(1)
    .max(65_535)
    .optional()
    .describe('Left out: 80 for http, 443 for https, and every port where the rule denies'),
  protocol: NetworkProtocol.default('https').describe('http, https or tcp'),
  methods: z.array(HttpMethod).min(1).optional().describe('Methods of plain http; left out: GET, HEAD, OPTIONS'),
  scope: z.enum(ruleScopes).default('run').describe('Granted for a run, a path, or by the policy'),
})
export type NetworkRule = z.input<typeof NetworkRule>

export const refusalCodes = [
  /** The request itself is not one that the proxy reads. */
  'malformed',
  /** The name is not a host name. */
  'name',
  /** The address is private, reserved, or of this machine. */
  'address',
  'not-granted',
  'denied',
  'method',
  'rate',
  'unresolved',
  'unreachable',
  /** The name in the TLS greeting is not the granted one. */
  'tls-name',
  'too-much',
  'time-out',
  'taken-back',
  /** A name was asked of the resolver in the sandbox, which knows none. */
  'resolver',
] as const
export const RefusalCode = z.enum(refusalCodes)
export type RefusalCode = z.infer<typeof RefusalCode>

/** One request, refusal or name asked, as it stands in a result and on the record. */
export const NetworkRequest = z.object({
  /** Milliseconds since the epoch. */
  at: z.number(),
  /** The canonical name; empty where the request named none that could be read. */
  host: z.string(),
  /** The address that was connected to; null when none was. */
  address: z.string().nullable(),
  port: z.number().int(),
  /** `dns` for a name asked of the resolver in the sandbox. */
  protocol: z.enum([...networkProtocols, 'dns']),
  method: z.string().nullable(),
  allowed: z.boolean(),
  /** The rule that allowed or denied it, in words. */
  rule: z.string().nullable(),
  refusal: RefusalCode.nullable(),
  /** A sentence for a person. */
  reason: z.string().optional(),
  /** How many requests this stands for, where there were more than are listed one by one; left out: one. */
  count: z.number().int().positive().optional(),
  bytesSent: z.number().int().nonnegative(),
  bytesReceived: z.number().int().nonnegative(),
  ms: z.number().nonnegative(),
})
export type NetworkRequest = z.infer<typeof NetworkRequest>

/** A rule in one line, as it stands in a placement and under a signature; the engine reads it more strictly. */
export const GrantText = z.string().min(1).max(300)

export const grantForm =
  /^(deny |path )?(http|https|tcp):\/\/(\*\.)?([a-z0-9.-]+|\[[0-9a-f:]+\]):(\d{1,5}|\*)(?: ([A-Z]+(?:,[A-Z]+)*))?$/

/** A grant as a person reads it. Made from the grant itself, so that the words cannot promise less than it gives. */
export function grantWords(grant: string): string {
  const match = grantForm.exec(grant)
  if (!match) return grant
  const [, kind, protocol = '', wild, name = '', port = '', methods] = match
  const host = wild ? `every subdomain of ${name}` : name
  const where = port === '*' ? host : `${host}, port ${port}`
  if (kind === 'deny ') return `nothing to or from ${where}`
  const later = kind === 'path ' ? `, and so may every later run of this path for ${pathGrantHours} hours` : ''
  if (protocol === 'tcp') return `any data to and from ${where}, unread${later}`
  if (protocol === 'https') return `read from and send to ${where}, encrypted (https)${later}`
  return methods
    ? `${methods.split(',').join(', ')} to ${where}, not encrypted (http)${later}`
    : `read from ${where}, not encrypted (http)${later}`
}

/** A grant for a path holds for its later runs too: this long from the signature on, or until it is taken back. */
export const pathGrantHours = 24
export const isForPath = (grant: string): boolean => grant.startsWith('path ')
/** The same rule for one run only. */
export const forRun = (grant: string): string => grant.replace(/^path /, '')
export const forPath = (grant: string): string => `path ${forRun(grant)}`
export const isAllow = (grant: string): boolean => !grant.startsWith('deny ')

/** What later runs of a path may reach without asking for it again. */
export const PathGrant = z.object({ rule: GrantText, until: z.number(), request: RequestId })
export type PathGrant = z.infer<typeof PathGrant>

/** The host of a grant, for short lists. */
export const grantHost = (grant: string): string => {
  const match = grantForm.exec(grant)
  return match ? `${match[3] ?? ''}${match[4]}` : grant
}

/** What could be granted so that code reaches what the guard has seen it reach for. */
export function grantsFor(hosts: readonly { target: string | null; expression: string }[]): string[] {
  const found = hosts.flatMap(({ target, expression }) => {
    if (target === null || !/^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/.test(target) || /(?:^|\.)\d+$/.test(target)) return []
    const url = new RegExp(`(https?)://${target.replaceAll('.', '\\.')}(?::(\\d{1,5}))?(?![\\w.-])`, 'i').exec(
      expression,
    )
    const protocol = url?.[1]?.toLowerCase() ?? 'https'
    return [`${protocol}://${target}:${url?.[2] ?? (protocol === 'http' ? 80 : 443)}`]
  })
  return [...new Set(found)]
}

/** The grant that a refused request would have needed; null where none could be given. */
export function grantForRefused({ host, port, protocol, method, refusal }: NetworkRequest): string | null {
  if (protocol === 'dns' || host === '' || !isAskable(refusal)) return null
  const where = `${protocol}://${host.includes(':') ? `[${host}]` : host}:${port}`
  if (protocol !== 'http' || readMethods.some(each => each === method)) return where
  return HttpMethod.safeParse(method).success ? `${where} ${method}` : null
}

/** Refused for want of a grant: whoever asks may get it. */
const isAskable = (refusal: RefusalCode | null): boolean => refusal === 'not-granted' || refusal === 'method'
