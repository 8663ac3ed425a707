import { type Problem, problemOf } from '../../contract/problem.ts'
import type { Engine } from '../../engine/engine.ts'
import type { McpDoor } from './http.ts'
import { mcpToken } from './token.ts'

/** The door for MCP clients over HTTP, opened and closed as the settings say. */
export interface McpSwitch {
  state(): { open: boolean; url: string; problem: Problem | null }
  /** Once a change of the settings has been followed. */
  settled(): Promise<void>
  close(): Promise<void>
}

interface Open {
  readonly door: McpDoor
  close(): Promise<void>
}

/** Opens the door while `mcp.http` is set. It loads what it needs only then. */
export function followMcpSettings(engine: Engine): McpSwitch {
  let open: Open | null = null
  let problem: Problem | null = null
  let port = 0
  let work: Promise<void> = Promise.resolve()

  const tell = () => engine.events.publish(engine.caller.tenant, { type: 'mcp' })

  async function follow(wanted: { http: boolean; port: number } | null): Promise<void> {
    if (open && (!wanted?.http || wanted.port !== port)) {
      await open.close()
      open = null
    }
    problem = null
    if (wanted?.http && !open) {
      port = wanted.port
      try {
        open = await openDoor(engine, port)
      } catch (error) {
        problem = problemOf(error)
      }
    }
    tell()
  }
  const then = (wanted: Parameters<typeof follow>[0]) => {
    work = work.then(() => follow(wanted))
    return work
  }
  const stop = engine.settings.onChange(({ mcp }) => {
    if (mcp.http !== (open !== null) || (open && mcp.port !== port) || problem) void then(mcp)
  })
  if (engine.settings.current.mcp.http) void then(engine.settings.current.mcp)

  return {
    state: () => ({
      open: open !== null,
      url: open?.door.url ?? `http://127.0.0.1:${engine.settings.current.mcp.port}/mcp`,
      problem,
    }),
    settled: () => work,
    async close() {
      stop()
      await then(null)
    },
  }
}

async function openDoor(engine: Engine, port: number): Promise<Open> {
  const [{ openMcpDoor }, { createMcp }] = await Promise.all([import('./http.ts'), import('./server.ts')])
  const mcp = createMcp({ engine })
  try {
    const door = await openMcpDoor({ factory: mcp.factory, port, token: mcpToken(engine.home), log: engine.log })
    return {
      door,
      async close() {
        await door.close()
        mcp.close()
      },
    }
  } catch (error) {
    mcp.close()
    throw error
  }
}
