import { eventIterator } from '@orpc/contract'
import { z } from 'zod'
import { EngineEvent } from '../events.ts'
import { Problem } from '../problem.ts'
import { Probe } from '../sandbox.ts'
import { ProgramFacts, SettingsChange, SettingsView } from '../settings.ts'
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

/** Why a browser window's line was closed, as WebSocket close codes: its link does not count, or its session is over. */
export const closeCodes = { link: 4403, session: 4401 } as const

/** A browser window that was let in. */
export const WindowView = z.object({ since: z.number(), lastUsed: z.number(), own: z.boolean() })
export type WindowView = z.infer<typeof WindowView>

export const appContract = {
  info: procedure.output(AppInfo),
  /** Each back end and component: here or not, why, how to get it. */
  doctor: procedure.output(z.array(Probe)),
  /** Everything that changes, while it changes. A window that reconnects asks for state again, then follows this. */
  events: procedure.output(eventIterator(EngineEvent)),
  /** The browser windows that are let in; none on the desktop. */
  windows: procedure.output(z.array(WindowView)),
  /** A link that lets one more browser window in, once. */
  link: procedure.output(z.object({ link: z.string() })),
  /** Ends the session of this browser window, or of all others. */
  endWindows: procedure.input(z.object({ which: z.enum(['own', 'others']) })).output(z.object({ ended: z.number() })),
}

export const settingsContract = {
  get: procedure.output(SettingsView),
  /** Everything but the interpreter, which is confirmed first. */
  change: procedure.input(SettingsChange).output(SettingsView),
  /** What is known of a program that could be the interpreter, or why it may not be. */
  interpreter: procedure.input(z.object({ path: z.string().max(4096) })).output(ProgramFacts),
  /** Chooses the interpreter that was shown: by path, and by the hash of what is there. */
  chooseInterpreter: procedure
    .input(z.object({ path: z.string().max(4096), sha256: z.string().length(64) }))
    .output(SettingsView),
}
