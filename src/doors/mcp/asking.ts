import {
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  type ElicitRequestFormParams,
  type InputRequiredResult,
  inputRequired,
  type McpServer,
  type RequestStateCodec,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { RunView } from '../../contract/runs.ts'
import { type Asking, type AskPerson, type Wish, wishes } from './calls.ts'

/** What travels through the client while its person is asked: which run the next call goes on with. */
const State = z.object({ resume: z.uuid() })
type State = z.infer<typeof State>

const Given = z.object({ action: z.enum(['accept', 'decline', 'cancel']), content: z.unknown().optional() })
const Content = z.object({ wish: z.enum(wishes) })

export type AskState = RequestStateCodec<unknown>

/** States are signed for this process: one that a client made up, or kept over a restart, is refused. */
export const askState = (key: Uint8Array): AskState => createRequestStateCodec({ key })

/** Whether and how the client's person can be asked, by what the client declares. */
export function askPerson(server: McpServer, { mcpReq }: ServerContext): AskPerson {
  const envelope: Readonly<Record<string, unknown>> = mcpReq.envelope ?? {}
  const declared = Capabilities.safeParse(
    envelope[CLIENT_CAPABILITIES_META_KEY] ?? server.server.getClientCapabilities(),
  )
  const elicitation = declared.data?.elicitation
  // A client that says no more than that it can ask can ask by form.
  if (!elicitation || (elicitation.url !== undefined && elicitation.form === undefined)) return 'never'
  if (CLIENT_CAPABILITIES_META_KEY in envelope) return 'instead'
  return (risk, signal) => mcpReq.elicitInput(question(risk), { signal, timeout: longestMs }).then(wishOf, () => null)
}

const Capabilities = z.looseObject({
  elicitation: z.looseObject({ form: z.unknown().optional(), url: z.unknown().optional() }).optional(),
})
const longestMs = 600_000

export async function asQuestion({ asking, risk }: Asking, state: AskState): Promise<InputRequiredResult> {
  const requestState = await state.mint({ resume: asking } satisfies State)
  return inputRequired({ inputRequests: { waiting: inputRequired.elicit(question(risk)) }, requestState })
}

/** The run that a call goes on with, and what its person said; null for a call that begins. */
export function goingOn({ mcpReq }: ServerContext): { resume: string; wish: Wish | null } | null {
  const state = State.safeParse(mcpReq.requestState())
  if (!state.success) return null
  return { resume: state.data.resume, wish: wishOf(mcpReq.inputResponses?.waiting) }
}

/** Whatever is not a clear word means no wish: the run waits on, as it would have without the question. */
function wishOf(answer: unknown): Wish | null {
  const given = Given.safeParse(answer)
  if (!given.success || given.data.action !== 'accept') return null
  return Content.safeParse(given.data.content).data?.wish ?? null
}

/** Fixed words: nothing of the program, which may have been written by somebody else than the person who reads this. */
const question = (risk: RunView['risk']): ElicitRequestFormParams => ({
  mode: 'form',
  message:
    `A program${risk ? ` of ${risk} risk` : ''} waits in Countersign for a reviewer, who decides there. ` +
    'What you answer here approves nothing.',
  requestedSchema: {
    type: 'object',
    properties: {
      wish: {
        type: 'string',
        title: 'Meanwhile',
        oneOf: [
          { const: 'wait', title: 'Wait for the reviewer' },
          { const: 'later', title: 'Go on without it; it can be asked for later' },
          { const: 'withdraw', title: 'Withdraw the program' },
        ],
        default: 'wait',
      },
    },
    required: ['wish'],
  },
})
