import { z } from 'zod'
import { type ChatModel, type FoundServer, isLoopback } from '../contract/chat.ts'
import { fail, type Outcome, ok } from '../contract/problem.ts'
import { explainResponse, explainThrown, withoutKey } from './failures.ts'
import { describeModel } from './known-models.ts'
import { type Connection, keyHeaders } from './protocols.ts'

/** What the three protocols answer to "which models do you have"; fields that only some servers give are optional. */
const Listed = z.object({
  data: z
    .array(
      z.object({
        id: z.string().min(1).max(200),
        max_model_len: z.number().int().positive().optional(),
        max_context_length: z.number().int().positive().optional(),
        meta: z.object({ n_ctx: z.number().int().positive().optional() }).nullish(),
      }),
    )
    .max(2000),
})

const patienceMs = 15_000

/** The models of a provider; the answer also says whether address and key are right. */
export async function listModels(connection: Connection, signal?: AbortSignal): Promise<Outcome<ChatModel[]>> {
  const { kind, baseUrl, key, send } = connection
  const limit = AbortSignal.timeout(patienceMs)
  try {
    const response = await send(`${baseUrl.replace(/\/+$/, '')}/models`, {
      headers: key === null ? {} : keyHeaders[kind](key),
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
    })
    if (!response.ok)
      return {
        ok: false,
        problem: withoutKey(explainResponse(response.status, response.headers, await excerpt(response)), key),
      }
    const list = Listed.safeParse(await response.json().catch(() => null))
    if (!list.success)
      return fail(
        'chat.garbled',
        'What answered at this address is not a model server.',
        'Check the address; it often ends in /v1.',
      )
    const local = isLoopback(baseUrl)
    return ok(list.data.data.map(each => describeModel(each.id, { local, windowTokens: windowOf(each, baseUrl) })))
  } catch (error) {
    return { ok: false, problem: withoutKey(explainThrown(error), key) }
  }
}

/** Ollama's chat endpoint takes 4,096 tokens whatever the model could, and cuts the rest off without a word. */
const ollamaWindow = 4096

const windowOf = (
  { max_model_len, max_context_length, meta }: z.infer<typeof Listed>['data'][number],
  baseUrl: string,
): number | null =>
  max_model_len ?? max_context_length ?? meta?.n_ctx ?? (new URL(baseUrl).port === '11434' ? ollamaWindow : null)

const excerpt = async (response: Response): Promise<string> => (await response.text().catch(() => '')).slice(0, 2000)

/** Model servers by the port that they take unless told otherwise. */
export const usualServers: readonly { name: string; port: number }[] = [
  { name: 'Ollama', port: 11434 },
  { name: 'LM Studio', port: 1234 },
  { name: 'vLLM', port: 8000 },
  { name: 'llama.cpp', port: 8080 },
]
const probeMs = 300

/** Looks at the usual ports of this machine. Whatever does not answer as a model server at once is none. */
export async function findServers(
  sendTo: (baseUrl: string) => typeof fetch,
  servers: readonly { name: string; port: number }[] = usualServers,
  waitMs = probeMs,
): Promise<FoundServer[]> {
  const found = await Promise.all(
    servers.map(async ({ name, port }) => {
      const baseUrl = `http://127.0.0.1:${port}/v1`
      const connection = { kind: 'compatible', name, baseUrl, key: null, send: sendTo(baseUrl) } as const
      const models = await listModels(connection, AbortSignal.timeout(waitMs))
      return models.ok ? [{ name, baseUrl, models: models.value }] : []
    }),
  )
  return found.flat()
}
