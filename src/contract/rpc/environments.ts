import { z } from 'zod'
import { AddEnvironment, ChooseEnvironment, EnvironmentDetail, EnvironmentView, ModuleName } from '../environments.ts'
import { ConversationId } from '../ids.ts'
import { procedure } from './base.ts'

export const environmentsContract = {
  /** Those that can be used, and those that were found and nobody has looked at yet. */
  list: procedure.output(z.array(EnvironmentView)),
  show: procedure.input(z.object({ name: z.string().max(64) })).output(EnvironmentDetail),
  /** What stands at a path, to be looked at before it is added. Nothing of it is started. */
  inspect: procedure.input(z.object({ path: z.string().min(1).max(4096) })).output(EnvironmentDetail),
  add: procedure.input(AddEnvironment).output(EnvironmentView),
  remove: procedure.input(z.object({ name: z.string().max(64) })).output(z.void()),
  /** The name of what a conversation uses. */
  chosen: procedure.input(ConversationId).output(z.string()),
  /** Ends the conversation's sandboxes; files stay. */
  choose: procedure.input(ChooseEnvironment).output(z.void()),
  /** Those in which a module can be imported. */
  having: procedure.input(z.object({ module: ModuleName })).output(z.array(EnvironmentView)),
}
