import { z } from 'zod'

export const Sha256 = z.string().regex(/^[0-9a-f]{64}$/)

/** One file of a path by content. */
export const KeptFile = z.object({
  /** Relative to the working folder, with `/`. */
  path: z.string().min(1).max(4096),
  sha256: Sha256,
  bytes: z.number().int().nonnegative(),
})
export type KeptFile = z.infer<typeof KeptFile>

/** All files of a path at one moment, sorted by path. It is itself kept by the hash of its canonical text. */
export const Manifest = z.array(KeptFile).max(20_000)
export type Manifest = z.infer<typeof Manifest>

/** What a run found and what it left, by the hashes of the two manifests. */
export const RunFiles = z.object({ before: Sha256, after: Sha256 })
export type RunFiles = z.infer<typeof RunFiles>
