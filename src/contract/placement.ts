import { z } from 'zod'
import { Isolation, isolations, Limits, SandboxKind, sandboxKinds } from './run.ts'
import { ToolGrant } from './tools.ts'

export const sandboxTypes = ['auto', ...sandboxKinds] as const
export const SandboxType = z.enum(sandboxTypes)
/** A back end by name, or whichever suits the risk of the code. */
export type SandboxType = z.infer<typeof SandboxType>

/** A folder of this machine that the sandbox sees. */
export const Mount = z.object({ source: z.string(), target: z.string(), writable: z.boolean() })
export type Mount = z.infer<typeof Mount>

/** Interpreter and packages: its version, and the hash of version and whole package list. */
export const Environment = z.object({ name: z.string(), version: z.string(), digest: z.string() })
export type Environment = z.infer<typeof Environment>

/** What code wants of its place beyond what the policy wants: the weakest isolation, a back end by name, or both. */
export const WantedPlace = z.strictObject({
  isolation: Isolation.exclude(['unconfined', 'cloud']).optional(),
  kind: SandboxKind.optional(),
})
export type WantedPlace = z.infer<typeof WantedPlace>

export const placeWords = ({ kind, isolation }: WantedPlace): string =>
  [...(kind ? [kind] : []), ...(isolation ? [`at least ${isolation}`] : [])].join(', ')

/** What a sandbox is, as its back end can tell by looking at it. */
export const SandboxFacts = z.object({
  kind: SandboxKind,
  isolation: Isolation,
  /** Container image, virtual machine image or template by digest; `null` where the back end has none. */
  image: z.string().nullable(),
  /** `null`: what the back end brings along by itself. */
  environment: Environment.nullable(),
  mounts: z.array(Mount),
})
export type SandboxFacts = z.infer<typeof SandboxFacts>

/** Where a run would take place and what it is given there. A decision is bound to all of it. */
export const Placement = SandboxFacts.extend({
  limits: Limits,
  /** Once, in a sandbox beside the path's, with a copy of its files; nothing of it is kept. */
  aside: z.boolean(),
  /** Rules of the egress proxy for this run, one line each (`https://api.example.org:443`); empty means no network. */
  network: z.array(z.string()),
  /** Tools of the user's MCP servers that its code may call; left out: none. */
  tools: z.array(ToolGrant).max(64).optional(),
  /** Why here, in sentences. */
  reasons: z.array(z.string()),
  /** What the person must be told in any case: that another back end was meant, that nothing confines the code. */
  warnings: z.array(z.string()),
})
export type Placement = z.infer<typeof Placement>

/** An image by the name that people gave it, and the digests that the name stood for before it was made anew. */
export const Template = z.object({ template: z.string(), digest: z.string(), before: z.array(z.string()) })
export type Template = z.infer<typeof Template>

/** What a back end would give on this machine, or why it gives nothing. */
export const BackEnd = z.object({
  kind: SandboxKind,
  isolation: Isolation,
  image: z.string().nullable(),
  /** What a path can have in place of that image. */
  templates: z.array(Template).optional(),
  available: z.boolean(),
  /** A program imitates its processor, 10 to 15 times slower: never chosen without being asked for. */
  emulated: z.boolean().optional(),
  /** What is here, or what is missing. */
  detail: z.string(),
  /** How to get it, where it is missing. */
  hint: z.string().optional(),
})
export type BackEnd = z.infer<typeof BackEnd>

/** A back end as a person chooses from it: `missing` says why it cannot be had, or why the policy forbids it. */
export const SandboxChoice = BackEnd.extend({ missing: z.string().nullable() })
export type SandboxChoice = z.infer<typeof SandboxChoice>

export const isAtLeast = (isolation: Isolation, other: Isolation): boolean =>
  isolations.indexOf(isolation) >= isolations.indexOf(other)
