import { createHash } from 'node:crypto'
import type { RunId } from '../contract/ids.ts'
import { toolLimits } from '../contract/tools.ts'
import type { PathFiles } from '../files/files.ts'
import type { RunCalls } from '../mcp/mcp.ts'
import type { ClearedRun } from '../runs/run.ts'
import { insertRow } from '../storage/prepared.ts'
import type { Storage } from '../storage/storage.ts'

/** Which call it was: the same tool with the same arguments may be called several times in a run. */
export interface CallKey {
  readonly server: string
  readonly tool: string
  readonly argumentsHash: string
  readonly ordinal: number
}

export interface KeptResult {
  /** JSON. */
  readonly text: string
  readonly resultHash: string
}

/** Results of calls, kept so that a replay can be answered without calling anybody. Long ones lie among the files. */
export interface Results {
  /** `write`: along with what the record is told of the call. */
  keep(
    write: RunCalls['write'],
    run: ClearedRun,
    key: CallKey,
    toolHash: string,
    result: KeptResult,
    at: number,
  ): Promise<void>
  find(run: RunId, key: CallKey): Promise<KeptResult | null>
  prune(before: number): Promise<void>
}

export function openResults(storage: Storage, files: Pick<PathFiles, 'add' | 'read'>): Results {
  return {
    async keep(write, { id, tenant, conversation, path }, key, toolHash, { text, resultHash }, at) {
      const bytes = Buffer.byteLength(text)
      // A long one was written to the working folder too, whose files are kept by the same hash for as long as the run.
      const isLong = bytes > toolLimits.bytes
      if (isLong) await files.add(`${resultHash}.json`, Buffer.from(text))
      const row = {
        ...{ run: id, tenant, conversation, path, server: key.server, tool: key.tool, tool_hash: toolHash },
        ...{ arguments_hash: key.argumentsHash, ordinal: key.ordinal, result_hash: resultHash },
        ...{ result: isLong ? null : text, bytes, created_at: at },
      }
      write(transaction => insertRow(transaction, 'tool_results', row))
    },
    async find(run, { server, tool, argumentsHash, ordinal }) {
      const row = await storage.read
        .selectFrom('tool_results')
        .select(['result', 'result_hash'])
        .where('run', '=', run)
        .where('server', '=', server)
        .where('tool', '=', tool)
        .where('arguments_hash', '=', argumentsHash)
        .where('ordinal', '=', ordinal)
        .executeTakeFirst()
      if (!row) return null
      const text = row.result ?? (await read(files, row.result_hash))
      // A row is a claim: what does not have the recorded hash was never answered.
      return text !== null && hashText(text) === row.result_hash ? { text, resultHash: row.result_hash } : null
    },
    async prune(before) {
      await storage.write(t => t.deleteFrom('tool_results').where('created_at', '<', before).execute())
    },
  }
}

async function read(files: Pick<PathFiles, 'read'>, sha256: string): Promise<string | null> {
  const pieces: Uint8Array[] = []
  for await (const piece of files.read(sha256)) {
    if (!piece.ok) return null
    pieces.push(piece.value)
  }
  return Buffer.concat(pieces).toString('utf8')
}

export const hashText = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex')
