import { z } from 'zod'
import { ModelFacts } from './names.ts'

const Place = z.object({ name: z.string(), path: z.string() })
export const FolderPath = z.string().max(4096)

/** One folder of this machine, for choosing it or one in it. Files are not told of. */
export const FolderPage = z.object({
  path: z.string(),
  /** From the root to this one. */
  above: z.array(Place),
  folders: z.array(Place.extend({ hasModel: z.boolean() })),
  /** How many more there are than are listed. */
  left: z.number().int().nonnegative(),
  /** The model for names in this folder itself. */
  model: ModelFacts.nullable(),
})
export type FolderPage = z.infer<typeof FolderPage>
