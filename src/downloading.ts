import { createHash } from 'node:crypto'
import type { Audit } from './audit/audit.ts'
import type { Contexts } from './contexts/contexts.ts'
import type { AuditAction } from './contract/audit.ts'
import type { PathRef } from './contract/contexts.ts'
import type { PathId, RunId } from './contract/ids.ts'
import { fail, type Outcome, ok } from './contract/problem.ts'
import type { Caller, Conversations } from './conversations/conversations.ts'
import type { SandboxRegistry } from './sandbox/registry.ts'
import type { WorkFolder } from './sandbox/sandbox.ts'

/** Files and whole outputs on their way to and from a person. What goes in and out is on the record, with its hash. */
export interface Downloading {
  /** The working folder of a path. */
  files(who: Caller, path: PathId): Promise<Outcome<WorkFolder>>
  /** A piece of all that a run printed, where the record keeps only the start. */
  wholeOutput(who: Caller, run: RunId, piece: { offset: number; length: number }): Promise<Outcome<Uint8Array>>
}

export interface DownloadingOptions {
  readonly conversations: Conversations
  readonly contexts: Contexts
  readonly registry: SandboxRegistry
  readonly audit: Audit
}

type FileAction = Extract<AuditAction, `file.${string}`>

export function createDownloading({ conversations, contexts, registry, audit }: DownloadingOptions): Downloading {
  const note = (who: Caller, { conversation, path }: PathRef, action: FileAction, file: string, bytes?: Uint8Array) =>
    audit.record({
      action,
      tenant: who.tenant,
      actor: who.user,
      conversation,
      path,
      details: bytes
        ? { file, bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }
        : { file },
    })

  return {
    async files(who, path) {
      const conversation = await conversations.locate(who, path)
      if (!conversation.ok) return conversation
      const ref = { tenant: who.tenant, conversation: conversation.value, path }
      const folder = contexts.files(ref, who.user)
      return ok({
        list: at => folder.list(at),
        async remove(file) {
          const removed = await folder.remove(file)
          if (removed.ok) await note(who, ref, 'file.removed', file)
          return removed
        },
        async read(file, range) {
          const bytes = await folder.read(file, range)
          if (bytes.ok && (range?.offset ?? 0) === 0) await note(who, ref, 'file.downloaded', file)
          return bytes
        },
        async write(file, bytes, how) {
          const written = await folder.write(file, bytes, how)
          if (written.ok) await note(who, ref, 'file.uploaded', file, bytes)
          return written
        },
      })
    },

    async wholeOutput(who, run, piece) {
      const ran = await conversations.whereRan(who, run)
      if (!ran.ok) return ran
      const bytes = await registry.readOutput(run, piece)
      if (!bytes) return fail('not-found', 'The whole output is not kept any more.', 'Run the cell again.')
      if (piece.offset === 0) await note(who, ran.value, 'file.downloaded', `output of run ${run}`)
      return ok(bytes)
    },
  }
}
