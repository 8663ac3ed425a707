import { z } from 'zod'
import { KnownTool } from '../tools.ts'
import { procedure } from './base.ts'

export const toolsContract = {
  /** Tools that a person has accepted, as code in cells calls them. */
  known: procedure.output(z.array(KnownTool)),
}
