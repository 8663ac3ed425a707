import type { Engine } from '../../engine/engine.ts'
import { homeFolder } from '../../places.ts'
import type { Io } from './command.ts'

/** Opens the engine for one command and closes it whatever happens. */
export async function withEngine<T>(
  io: Io,
  use: (engine: Engine) => Promise<T>,
  options: { pool?: number; preload?: boolean } = { pool: 0 },
): Promise<T> {
  const { openEngine } = await import('../../engine/engine.ts')
  const engine = await openEngine({ home: homeFolder(io.env), env: io.env, ...options })
  // Timers of the engine keep no process going: a command that waits for one alone would end in the middle.
  const going = setInterval(() => {}, 60_000)
  for (const { message, hint } of engine.settings.problems) io.stderr.write(`countersign: ${message} ${hint}\n`)
  try {
    // With the last good policy in force a run goes on as if nothing were wrong: whoever wrote the file must hear of it.
    const { problem } = await engine.approval.policy.current()
    if (problem) io.stderr.write(`countersign: ${problem.message} ${problem.hint}\n`)
    return await use(engine)
  } finally {
    await engine.close().finally(() => clearInterval(going))
  }
}

/** For a command that opens sandbox after sandbox: numerical libraries are loaded once for all of them. */
export const withManySandboxes = <T>(io: Io, use: (engine: Engine) => Promise<T>): Promise<T> =>
  withEngine(io, use, { pool: 0, preload: true })
