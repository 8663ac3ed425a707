import { z } from 'zod'
import { Sha256 } from './audit.ts'
import { ConversationId } from './ids.ts'
import { ProgramFacts } from './settings.ts'

/** The interpreter that the application found or was told, and what people make with venv, uv and conda. */
export const environmentKinds = ['system', 'venv', 'uv', 'conda'] as const
export const EnvironmentKind = z.enum(environmentKinds)
export type EnvironmentKind = z.infer<typeof EnvironmentKind>

/** What the environment of the application's own interpreter is called. */
export const systemEnvironment = 'system'

export const EnvironmentName = z
  .string()
  .trim()
  .regex(/^[\p{L}\p{N}][\p{L}\p{N} ._+-]{0,63}$/u, 'A name has letters, digits, spaces, dots, dashes; 64 at most.')
export type EnvironmentName = z.infer<typeof EnvironmentName>

export const Package = z.object({ name: z.string(), version: z.string() })
export type Package = z.infer<typeof Package>

const known = {
  name: z.string(),
  kind: EnvironmentKind,
  /** The folder that it stands in, and the interpreter in it. */
  prefix: z.string(),
  python: z.string(),
  version: z.string(),
  /** SHA-256 of interpreter version and package list. */
  digest: Sha256,
}

/** `found`: it is there, and somebody has to look at its interpreter before it is used. */
export const EnvironmentView = z.object({
  ...known,
  packages: z.number().int().nonnegative(),
  state: z.enum(['ready', 'found', 'refused']),
  /** Somebody has named it for use: only that can be taken back. */
  added: z.boolean(),
  /** Why it cannot be used. */
  why: z.string().nullable(),
})
export type EnvironmentView = z.infer<typeof EnvironmentView>

/** One environment with all that can be told of it without starting anything of it. */
export const EnvironmentDetail = EnvironmentView.extend({
  packages: z.array(Package),
  /** The interpreter as a file: what is looked at before it is used. Null where it may not be used. */
  program: ProgramFacts.nullable(),
})
export type EnvironmentDetail = z.infer<typeof EnvironmentDetail>

/** An environment whose interpreter somebody has seen: used only while it is that file. */
export const AddEnvironment = z.object({ path: z.string().min(1).max(4096), name: EnvironmentName, sha256: Sha256 })
export type AddEnvironment = z.infer<typeof AddEnvironment>

/** `null`: what the settings say. */
export const ChooseEnvironment = z.object({ conversation: ConversationId, name: z.string().max(64).nullable() })
export type ChooseEnvironment = z.infer<typeof ChooseEnvironment>

/** A module as code imports it: its first part. */
export const ModuleName = z.string().regex(/^[\p{L}_][\p{L}\p{N}_]{0,99}$/u)

/** Which module a failed run could not find, by the word of its kernel. */
export function missingModule(error: { name: string; message: string } | null): string | null {
  if (error?.name !== 'ModuleNotFoundError') return null
  const named = /^No module named '([^'.]+)'/.exec(error.message)?.[1]
  return named !== undefined && ModuleName.safeParse(named).success ? named : null
}
