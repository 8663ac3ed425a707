import { z } from 'zod'
import { BuildImage, BuildView, ImagesOf, SandboxesView } from '../images.ts'
import { SandboxKind } from '../run.ts'
import { procedure } from './base.ts'

/** All sandboxes of this machine, and what they are made from. */
export const sandboxesContract = {
  overview: procedure.output(SandboxesView),
  images: procedure.output(z.array(ImagesOf)),
  /** The image that is being made, or was made last since the start. */
  building: procedure.output(BuildView.nullable()),
  /** Starts to make an image and answers at once; what becomes of it comes with the events. One at a time. */
  build: procedure.input(BuildImage).output(BuildView),
  cancelBuild: procedure.output(z.void()),
  removeImage: procedure.input(z.object({ kind: SandboxKind, name: z.string().min(1).max(200) })).output(z.void()),
}
