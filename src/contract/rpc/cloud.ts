import { z } from 'zod'
import { CloudConsent, CloudPreview, CloudState } from '../cloud.ts'
import { PathId } from '../ids.ts'
import { Probe } from '../sandbox.ts'
import { procedure } from './base.ts'

export const cloudContract = {
  /** Key, figures of the month, and the paths that may be there. */
  state: procedure.output(CloudState),
  /** What would leave if a path were moved there. Nothing leaves. */
  preview: procedure.input(PathId).output(CloudPreview),
  allow: procedure.input(PathId).output(CloudConsent),
  /** Takes it back, and ends what the path has there. */
  revoke: procedure.input(PathId).output(z.void()),
  /** Stores the key in the key store; an empty one removes it. It is never told again. */
  setKey: procedure.input(z.object({ key: z.string().max(500) })).output(z.void()),
  /** Asks the service whether it takes the key. Only ever on a click. */
  test: procedure.output(Probe),
}
