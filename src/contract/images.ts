import { z } from 'zod'
import { ContextStatus } from './contexts.ts'
import { Problem } from './problem.ts'
import { SandboxKind } from './run.ts'
import { Usage } from './sandbox.ts'
import { PackageName, TemplateName } from './templates.ts'

/** Where the file system of an image comes from: a registry's base image, Debian's archive, or this machine's packages. */
export const imageSources = ['registry', 'debian', 'installed'] as const
export const ImageSource = z.enum(imageSources)
export type ImageSource = z.infer<typeof ImageSource>

/** What a kind of sandbox is made from. A template is an image with a name and more packages. */
export const ImageInfo = z.object({
  kind: SandboxKind,
  name: z.string(),
  template: z.string(),
  digest: z.string(),
  bytes: z.number(),
  createdAt: z.number(),
  /** Made for this version of the application: only those are used. */
  current: z.boolean(),
  /** Null where it does not say, as one that another version made. */
  source: ImageSource.nullable(),
  /** Beside those of the recipe. */
  packages: z.array(z.string()),
})
export type ImageInfo = z.infer<typeof ImageInfo>

export const BuildImage = z.object({
  kind: SandboxKind.default('docker'),
  template: TemplateName.default('default'),
  packages: z.array(PackageName).max(200).default([]),
  /** Null takes the first that can be had, in the order above, and says which it was. */
  source: ImageSource.nullable().default(null),
  /** Also fetches anew what an earlier build has fetched: for security updates. */
  fresh: z.boolean().default(false),
})
export type BuildImage = z.infer<typeof BuildImage>

/** A step of a build: what it says, and how far it is, from 0 to 1. */
export interface BuildStep {
  readonly line: string
  readonly done: number
}

/** The image that is being made, or was made last. */
export const BuildView = z.object({
  request: BuildImage,
  state: z.enum(['running', 'done', 'failed', 'cancelled']),
  done: z.number().min(0).max(1),
  /** The newest lines. */
  log: z.array(z.string()),
  startedAt: z.number(),
  endedAt: z.number().nullable(),
  image: ImageInfo.nullable(),
  problem: Problem.nullable(),
})
export type BuildView = z.infer<typeof BuildView>

/** The images of a kind of sandbox, or why they cannot be told. */
export const ImagesOf = z.object({ kind: SandboxKind, images: z.array(ImageInfo), problem: Problem.nullable() })
export type ImagesOf = z.infer<typeof ImagesOf>

/** Sandboxes that are ready before anybody asks for one. */
export const PoolView = z.object({ kind: SandboxKind, ready: z.number().int(), wanted: z.number().int() })
export type PoolView = z.infer<typeof PoolView>

/** A sandbox that somebody has, with the names that people know its path by. */
export const ActiveSandbox = z.object({
  status: ContextStatus,
  conversation: z.string(),
  path: z.string(),
  /** Template of its image, where it has one. */
  template: z.string().nullable(),
  /** Null while it is being made, or does not answer. */
  usage: Usage.nullable(),
})
export type ActiveSandbox = z.infer<typeof ActiveSandbox>

export const SandboxesView = z.object({ active: z.array(ActiveSandbox), pools: z.array(PoolView) })
export type SandboxesView = z.infer<typeof SandboxesView>
