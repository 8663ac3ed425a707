import type { Audit } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import type { Caller } from '../contract/caller.ts'
import type { RunId } from '../contract/ids.ts'
import type { ServerTool } from '../contract/mcp-servers.ts'
import type { KnownTool, ToolGrant } from '../contract/tools.ts'
import type { PathFiles } from '../files/files.ts'
import type { McpServers } from '../mcp/mcp.ts'
import type { ClearedRun } from '../runs/run.ts'
import type { Storage } from '../storage/storage.ts'
import { printedFor } from './definitions.ts'
import { namesInCode, speaksOf } from './names.ts'
import { openSession, type ToolSession } from './session.ts'
import { openResults } from './store.ts'

export { withTools } from './impact.ts'
export type { ToolSession } from './session.ts'

/** Tools of the user's MCP servers inside cells: which a run is given, and who answers when it calls one. */
export interface Tools {
  /** Those that a person has accepted, as code calls them. */
  known(who: Caller): Promise<KnownTool[]>
  /** Those of them that this code speaks of. */
  grantsFor(who: Caller, code: string): Promise<ToolGrant[]>
  /** `replayOf`: the run whose answers are given again; null where there was none. Left out: tools are called. */
  session(run: ClearedRun, replayOf?: RunId | null): ToolSession
  /** Forgets results from before `time`. */
  prune(time: number): Promise<void>
}

export interface ToolsOptions {
  readonly servers: Pick<McpServers, 'accepted' | 'callsOf'>
  readonly storage: Storage
  readonly files: Pick<PathFiles, 'add' | 'read'>
  readonly audit: Pick<Audit, 'query'>
  readonly clock: Clock
}

const mostGrants = 64

export function createTools({ servers, storage, files, audit, clock }: ToolsOptions): Tools {
  const results = openResults(storage, files)
  return {
    async known(who) {
      const names = namesInCode(await servers.accepted(who))
      return [...names].map(([tool, calledAs]) => ({
        ...grantOf(tool, calledAs),
        ...printedFor(calledAs, tool.inputSchema, tool.outputSchema),
      }))
    },
    async grantsFor(who, code) {
      const isMeant = speaksOf(code)
      // Most code speaks of no tool, and then nobody is asked for the list.
      if (!/\btools\b/.test(code)) return []
      const names = [...namesInCode(await servers.accepted(who))].filter(([, calledAs]) => isMeant(calledAs))
      return names.slice(0, mostGrants).map(([tool, calledAs]) => grantOf(tool, calledAs))
    },
    session: (run, replayOf) => openSession({ servers, results, audit, clock }, run, replayOf),
    prune: time => results.prune(time),
  }
}

const grantOf = ({ server, name, hash, description, effect }: ServerTool, calledAs: ToolGrant['calledAs']) => ({
  server,
  tool: name,
  calledAs,
  hash,
  // Well-formed, as everything that is hashed for an approval.
  description: description.slice(0, 2000).toWellFormed(),
  effect,
})
