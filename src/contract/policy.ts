import { z } from 'zod'
import { ConversationId, PathId, UserId } from './ids.ts'
import { ViolationType } from './inspection.ts'
import { ServerName, type ServerTool } from './mcp-servers.ts'
import { GrantText, grantForm, isForPath } from './network.ts'
import { isAtLeast } from './placement.ts'
import { Problem } from './problem.ts'
import { Isolation, type RiskLevel, riskLevels } from './run.ts'

/**
 * What the policy can ask for, from lax to strict. Where several rules apply to a run, the strictest counts.
 * `four-eyes`: someone must approve who did not write the code. `block`: it does not run, whoever approves.
 */
export const policyActions = ['auto', 'approve', 'four-eyes', 'block'] as const
export const PolicyAction = z.enum(policyActions)
export type PolicyAction = z.infer<typeof PolicyAction>

const notAuto = PolicyAction.exclude(['auto'])

export const operations = ['deletion', 'network', 'database', 'commands', 'externalApis'] as const
export const Operation = z.enum(operations)
export type Operation = z.infer<typeof Operation>

/** Lifts the questions that the levels and switches would ask, in one conversation or on one path of it. */
export const TrustedContext = z.strictObject({
  conversation: ConversationId.describe('The conversation that is trusted'),
  path: PathId.nullable().default(null).describe('Only this path of it; null means all its paths'),
  upTo: z.enum(['medium', 'high']).describe('Runs up to this risk go ahead unasked; critical ones never do'),
  operations: z.array(Operation).default([]).describe('Operations that are not asked about either'),
  until: z.number().int().nullable().default(null).describe('Milliseconds since 1970 when the trust ends; null: never'),
})
export type TrustedContext = z.infer<typeof TrustedContext>

const confined = Isolation.exclude(['unconfined']).default('jail')

const moduleName = z.string().regex(/^[@A-Za-z_][\w@/:.-]*$/, 'must be the name of a module')

export const Policy = z.strictObject({
  thresholds: z
    .strictObject({
      low: PolicyAction.default('auto').describe('Code in which nothing was found'),
      medium: PolicyAction.default('approve').describe('Code that deserves a look'),
      high: PolicyAction.default('approve').describe('Code that can do damage'),
      critical: notAuto.default('approve').describe('Code that looks like an attack; never goes ahead unasked'),
    })
    .prefault({})
    .describe('What happens to code of each risk level'),
  operations: z
    .strictObject({
      deletion: PolicyAction.default('approve').describe('Deletes files or folders'),
      network: PolicyAction.default('approve').describe('Uses the network or was granted it'),
      database: PolicyAction.default('approve').describe('Changes data in a database'),
      commands: PolicyAction.default('approve').describe('Starts other programs from code; in a shell, dangerous ones'),
      externalApis: PolicyAction.default('approve').describe('Talks to a host outside this machine'),
    })
    .prefault({})
    .describe('What happens when code does one of these, whatever its risk level'),
  analyses: PolicyAction.default('auto').describe(
    'What happens to analyses of the catalogue whose code nobody changed, up to medium risk',
  ),
  forceApproval: z.boolean().default(false).describe('Ask about every run, also of low risk'),
  blocked: z
    .strictObject({
      violations: z.array(ViolationType).default([]).describe('Types of finding that never run'),
      imports: z
        .array(moduleName)
        .default([])
        .describe('Modules that code may not import, with all below them, e.g. os, subprocess, shutil, socket'),
    })
    .prefault({})
    .describe('What does not run, whoever approves'),
  fourEyes: z
    .strictObject({
      from: z
        .enum([...riskLevels, 'never'])
        .default('never')
        .describe('From this risk level on an approval must come from someone who did not write the code'),
      reviewers: z
        .array(UserId)
        .default([])
        .describe('Identities whose four-eyes approval counts; empty means anyone but the authors'),
    })
    .prefault({})
    .describe('Who may approve what they wrote'),
  trusted: z
    .array(TrustedContext)
    .max(1000)
    .default([])
    .describe('Conversations in which less is asked; four eyes are still needed from their level on'),
  minimumIsolation: z
    .strictObject({
      low: confined.describe('Code in which nothing was found'),
      medium: confined.describe('Code that deserves a look'),
      high: confined.describe('Code that can do damage'),
      critical: confined.describe('Code that looks like an attack'),
    })
    .prefault({})
    .describe(
      'Weakest confinement in which code of each risk level may run: jail, container, user-space kernel, microvm or cloud',
    ),
  unconfined: notAuto
    .default('approve')
    .describe('Every run on a machine that cannot make a jail, where a jail would have been enough'),
  userSpaceKernelAsMicrovm: z
    .boolean()
    .default(false)
    .describe('Whether a user-space kernel (gVisor) is enough where a microVM is wanted'),
  cloud: z.boolean().default(false).describe('Whether code and files may leave this machine for a cloud sandbox'),
  cloudLimits: z
    .strictObject({
      awakeMinutes: z
        .number()
        .int()
        .min(15)
        .max(1440)
        .default(60)
        .describe('Longest that a service may keep a sandbox awake after its last use, in minutes'),
      hoursPerMonth: z.number().min(0).nullable().default(null).describe('Most hours of cloud sandboxes in a month'),
      sandboxesPerMonth: z.number().int().min(0).nullable().default(null).describe('Most cloud sandboxes in a month'),
    })
    .prefault({})
    .describe('How much of a cloud may be used; where the settings say less, that counts'),
  network: z
    .array(
      GrantText.regex(grantForm, 'must read like https://api.example.org:443').refine(
        rule => !isForPath(rule),
        'a rule of the policy holds for every path',
      ),
    )
    .max(256)
    .default([])
    .describe(
      'Hosts that every run may reach (https://api.example.org:443); with "deny " before it, those that none may',
    ),
  models: z
    .strictObject({
      providers: z
        .array(z.string().min(1).max(300))
        .nullable()
        .default(null)
        .describe(
          'Providers of models that may be used: anthropic, openai, compatible, local, or a host; null means any',
        ),
      confidential: z
        .enum(['none', 'local', 'any'])
        .default('local')
        .describe('Which models may see a conversation that is marked confidential: none, those of this machine, any'),
    })
    .prefault({})
    .describe('Which models may answer'),
  tools: z
    .strictObject({
      servers: z
        .array(ServerName)
        .max(256)
        .nullable()
        .default(null)
        .describe('MCP servers whose tools may be called; null means any'),
      writing: PolicyAction.default('approve').describe('Tools that change something, by their own description'),
      destroying: PolicyAction.default('approve').describe('Tools that may destroy something, or do not say'),
    })
    .prefault({})
    .describe('Which tools of MCP servers may be called; a tool must have been accepted in any case'),
  sayWhy: z
    .strictObject({
      deny: z.boolean().default(false).describe('A denial without a reason in words is not accepted'),
      approve: z.boolean().default(false).describe('An approval without a reason in words is not accepted'),
    })
    .prefault({})
    .describe('Whether a reviewer must say why'),
  dialogSeconds: z
    .number()
    .int()
    .min(5)
    .max(3600)
    .default(60)
    .describe('After this the dialog closes and the request is saved for later; never an approval'),
  requestHours: z
    .number()
    .min(0.01)
    .max(24 * 90)
    .default(72)
    .describe('How long a request can be decided and its approval used'),
})
export type Policy = z.infer<typeof Policy>
export type PolicyInput = z.input<typeof Policy>

/** What the policy asks for before a tool is called. */
export function toolAction(
  { tools }: Pick<Policy, 'tools'>,
  tool: Pick<ServerTool, 'server' | 'effect'>,
): PolicyAction {
  if (tools.servers !== null && !tools.servers.includes(tool.server)) return 'block'
  return { reads: 'auto', writes: tools.writing, destroys: tools.destroying }[tool.effect] as PolicyAction
}

/** What the policy says of the sandboxes themselves. */
export type IsolationRules = Pick<Policy, 'minimumIsolation' | 'userSpaceKernelAsMicrovm' | 'cloud'>

/** Why code of this risk may not run in a sandbox of this isolation, in a sentence; null where it may. */
export function tooWeak(
  { minimumIsolation, userSpaceKernelAsMicrovm, cloud }: IsolationRules,
  risk: RiskLevel,
  isolation: Isolation,
): string | null {
  if (isolation === 'cloud' && !cloud) return 'The policy does not let code and files leave this machine.'
  const minimum = minimumIsolation[risk]
  if (minimum === 'microvm' && isolation === 'user-space kernel' && userSpaceKernelAsMicrovm) return null
  // Where no jail can be made, `unconfined` says what happens, and asks a person in any case.
  if (isAtLeast(isolation, minimum) || (isolation === 'unconfined' && minimum === 'jail')) return null
  return `The policy wants at least ${minimum} for code of ${risk} risk, and this sandbox is ${isolation}.`
}

export const policyReasonKinds = [
  'risk',
  'operation',
  'forced',
  'unconfined',
  'isolation',
  'tool',
  'blocked-violation',
  'blocked-import',
  'unread',
  'four-eyes',
  'catalogue',
  'trusted',
] as const

/** One thing that the policy has to say about a run, and the lines that it speaks of. */
export const PolicyReason = z.object({
  kind: z.enum(policyReasonKinds),
  action: PolicyAction,
  text: z.string(),
  lines: z.array(z.number().int().positive()),
})
export type PolicyReason = z.infer<typeof PolicyReason>

export const PolicyVerdict = z.object({ action: PolicyAction, reasons: z.array(PolicyReason) })
export type PolicyVerdict = z.infer<typeof PolicyVerdict>

/** The policy in force and where it comes from; `problem` says why the file is not the one in force. */
export const PolicyState = z.object({
  policy: Policy,
  /** SHA-256 over the canonical JSON of the policy. */
  version: z.string(),
  source: z.enum(['file', 'default', 'last-good', 'strict']),
  file: z.string(),
  problem: Problem.nullable(),
})
export type PolicyState = z.infer<typeof PolicyState>
