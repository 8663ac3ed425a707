import { z } from 'zod'
import * as c from '../chat.ts'
import { CellId, ConversationId, PathId } from '../ids.ts'
import { procedure } from './base.ts'

export const chatContract = {
  providers: procedure.output(z.array(c.Provider)),
  saveProvider: procedure.input(c.SaveProvider).output(c.Provider),
  removeProvider: procedure.input(c.ProviderId).output(z.void()),
  /** Asks the provider for its models: whether address and key are right, and what there is. */
  checkProvider: procedure.input(c.ProviderId).output(c.ProviderCheck),
  /** Looks for model servers on their usual ports of this machine. Only ever on a click. */
  findServers: procedure.output(z.array(c.FoundServer)),

  open: procedure.input(c.OpenChatRequest).output(c.ChatView),
  turn: procedure.input(c.TurnId).output(c.TurnView),
  /** Somebody writes a question on this path: where its code would run is looked up meanwhile. Nothing leaves. */
  prepare: procedure.input(PathId).output(z.void()),
  ask: procedure.input(c.AskRequest).output(c.Turn),
  retry: procedure.input(c.RetryRequest).output(c.Turn),
  resend: procedure.input(c.ResendRequest).output(c.Turn),
  /** Goes on with an answer that was stopped, cut, limited or failed; what came stays. */
  goOn: procedure.input(c.TurnId).output(c.Turn),
  stop: procedure.input(c.TurnId).output(z.void()),
  preview: procedure.input(c.PreviewRequest).output(c.ChatPreview),
  forceTool: procedure.input(c.ForceTool).output(z.object({ cell: CellId })),

  ledger: procedure
    .input(
      z.object({
        conversation: ConversationId.optional(),
        before: z.uuid().optional(),
        limit: z.number().int().min(1).max(500).default(100),
      }),
    )
    .output(z.array(c.LedgerEntry)),
  spending: procedure.input(ConversationId).output(c.Spending),
  setConfidential: procedure
    .input(z.object({ conversation: ConversationId, confidential: z.boolean() }))
    .output(z.void()),
}
