import { implement, ORPCError } from '@orpc/server'
import { type Outcome, problemOf } from '../../contract/problem.ts'
import type { AppInfo, WindowView } from '../../contract/rpc/app.ts'
import { contract } from '../../contract/rpc.ts'
import type { Engine } from '../../engine/engine.ts'
import type { McpSwitch } from '../mcp/switch.ts'
import type { Session } from './session.ts'

/** Asks the person for a folder of this machine; null when they chose none. */
export type ChooseFolder = (asked: { title: string; from: string }) => Promise<string | null>

/** The windows that a door has let in, where it has sessions: a browser does, the desktop has none. */
export interface DoorWindows {
  /** A link that lets one more window in. */
  link(): string
  list(): WindowView[]
  /** Ends the session of the window that asks, or of all others; answers how many. */
  end(which: 'own' | 'others'): number
}

/** What every procedure gets: the engine, and who this window acts for, which the window itself has no say in. */
export interface DoorContext {
  readonly engine: Engine
  readonly session: Session
  readonly door: AppInfo['door']
  /** The system's own dialog, where this door has one. */
  readonly chooseFolder: ChooseFolder | null
  /** Opens a page in the person's browser, where this door can. */
  readonly openPage?: ((url: string) => Promise<void>) | null
  readonly windows?: DoorWindows | null
  /** The door for MCP clients over HTTP, where this process opens one. */
  readonly mcpDoor?: McpSwitch | null
}

/** Turns whatever goes wrong into a `Problem`; bugs are logged with their stack and shown without it. */
export const api = implement(contract)
  .$context<DoorContext>()
  .use(async ({ next, context, path }) => {
    try {
      return await next()
    } catch (error) {
      if (error instanceof ORPCError) throw error
      const problem = problemOf(error)
      context.engine.log[problem.code === 'internal.bug' ? 'error' : 'warn'](
        { call: path.join('.'), code: problem.code, stack: error instanceof Error ? error.stack : undefined },
        problem.message,
      )
      throw asError(problem)
    }
  })

/** The value of an outcome; its problem is what the window gets instead. */
export async function unwrap<T>(outcome: Promise<Outcome<T>> | Outcome<T>): Promise<T> {
  const settled = await outcome
  if (settled.ok) return settled.value
  throw asError(settled.problem)
}

const asError = (problem: ReturnType<typeof problemOf>) =>
  new ORPCError('PROBLEM', { status: 400, data: problem, message: problem.message, defined: true })
