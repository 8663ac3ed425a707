import { eventIterator } from '@orpc/contract'
import { z } from 'zod'
import { EngineEvent } from '../events.ts'
import { Problem } from '../problem.ts'
import { Probe } from '../sandbox.ts'
import { SettingsChange, SettingsView } from '../settings.ts'
import { procedure } from './base.ts'

export const AppInfo = z.object({
  version: z.string(),
  /** How this window reached the engine. */
  door: z.enum(['desktop', 'browser']),
  home: z.string(),
  /** What could not be used at the start, e.g. a damaged settings file. */
  problems: z.array(Problem),
})
export type AppInfo = z.infer<typeof AppInfo>

export const appContract = {
  info: procedure.output(AppInfo),
  /** Each back end and component: here or not, why, how to get it. */
  doctor: procedure.output(z.array(Probe)),
  /** Everything that changes, while it changes. A window that reconnects asks for state again, then follows this. */
  events: procedure.output(eventIterator(EngineEvent)),
}

export const settingsContract = {
  get: procedure.output(SettingsView),
  change: procedure.input(SettingsChange).output(SettingsView),
}
