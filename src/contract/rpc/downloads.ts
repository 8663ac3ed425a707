import { z } from 'zod'
import { procedure } from './base.ts'

/** A file that the engine made for one window and holds ready. */
export const Download = z.object({
  download: z.uuid(),
  name: z.string(),
  mediaType: z.string(),
  bytes: z.number().int().nonnegative(),
})
export type Download = z.infer<typeof Download>

/** Files travel in pieces below the limit of a message, out as well as in. */
export const downloadsContract = {
  piece: procedure
    .input(
      z.object({
        download: z.uuid(),
        offset: z.number().int().nonnegative(),
        length: z.number().int().positive().max(4_000_000),
      }),
    )
    .output(z.base64()),
  /** The window has it, or does not want it any more. */
  drop: procedure.input(z.uuid()).output(z.void()),
}
