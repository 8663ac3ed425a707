import { z } from 'zod'
import { fail, type Outcome, ok } from '../../contract/problem.ts'
import { WorkFile } from '../../contract/sandbox.ts'
import type { WorkFolder } from '../sandbox.ts'

/** One question to the supervisor and its answer. */
export type Ask = (
  request: { type: string } & Record<string, unknown>,
  payload?: Uint8Array,
) => Promise<Outcome<{ value: unknown; payload: Uint8Array }>>

const piece = 8 * 1024 * 1024

/** The working folder through the supervisor, which walks every path without following a link. */
export function workFolder(ask: Ask): WorkFolder {
  return {
    async list(folder = '') {
      const answer = await ask({ type: 'file', op: 'list', path: folder })
      if (!answer.ok) return answer
      return ok(z.array(WorkFile).parse(answer.value.value))
    },

    async read(path, range) {
      const pieces: Uint8Array[] = []
      let offset = range?.offset ?? 0
      let left = range?.length ?? Number.POSITIVE_INFINITY
      while (left > 0) {
        const answer = await ask({ type: 'file', op: 'read', path, offset, length: Math.min(piece, left) })
        if (!answer.ok) return answer
        const part = answer.value.payload
        pieces.push(part)
        offset += part.length
        left -= part.length
        if (part.length < piece) break
      }
      return ok(pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces))
    },

    async write(path, bytes, { append = false } = {}) {
      for (let at = 0; at === 0 || at < bytes.length; at += piece) {
        const answer = await ask(
          { type: 'file', op: 'write', path, append: append || at > 0 },
          bytes.subarray(at, at + piece),
        )
        if (!answer.ok) return answer
      }
      return ok(undefined)
    },

    async remove(path) {
      const answer = await ask({ type: 'file', op: 'remove', path })
      return answer.ok ? ok(undefined) : answer
    },
  }
}

/** The supervisor's refusals in the words of a person. */
export function refusal(code: string, message: string): Outcome<never> {
  switch (code) {
    case 'missing':
      return fail('not-found', message, 'Look at the list of files; the code may have removed it.')
    case 'refused':
      return fail(
        'sandbox.refused-path',
        `That path cannot be used: ${message}.`,
        'Name a plain file inside the working folder.',
      )
    case 'busy':
      return fail('sandbox.busy', message, 'Wait for the run to end, or stop it.')
    case 'cannot-fork':
      return fail('sandbox.cannot-fork', message, 'Branch without state, or restart the kernel first.')
    default:
      return fail('sandbox.failed', message, 'Try again; if it stays, restart the sandbox.')
  }
}
