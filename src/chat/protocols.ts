import { AsyncLocalStorage } from 'node:async_hooks'
import type { ProviderKind } from '../contract/chat.ts'
import type { LanguageModel } from './language-model.ts'

export interface Connection {
  readonly kind: ProviderKind
  readonly name: string
  readonly baseUrl: string
  readonly key: string | null
  /** The one way to send: `guardedFetch`. */
  readonly send: typeof fetch
}

/** How each protocol is told a key. */
export const keyHeaders: Record<ProviderKind, (key: string) => Record<string, string>> = {
  anthropic: key => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
  openai: key => ({ authorization: `Bearer ${key}` }),
  compatible: key => ({ authorization: `Bearer ${key}` }),
}

/** The request that is being made: a model is made once, and each request has its own way out. */
const sending = new AsyncLocalStorage<Pick<Connection, 'kind' | 'key' | 'send'>>()

const send: typeof fetch = (input, init) => {
  const now = sending.getStore()
  if (!now) throw new Error('a library sent something outside of a request')
  const headers = new Headers(init?.headers)
  for (const [name, value] of Object.entries(now.key === null ? {} : keyHeaders[now.kind](now.key)))
    headers.set(name, value)
  return now.send(input, { ...init, headers })
}

/** Address and key are always given: the libraries would else take them from the environment. The true key is set last. */
const given = (baseURL: string) => ({ baseURL, apiKey: 'none', fetch: send })

type Maker = (connection: Connection, model: string) => LanguageModel

/** The model as the library of its protocol speaks to it. */
const libraries: Record<ProviderKind, () => Promise<Maker>> = {
  async anthropic() {
    const { createAnthropic } = await import('@ai-sdk/anthropic')
    return ({ baseUrl }, model) => createAnthropic(given(baseUrl)).languageModel(model)
  },
  async openai() {
    const { createOpenAI } = await import('@ai-sdk/openai')
    return ({ baseUrl }, model) => createOpenAI(given(baseUrl)).responses(model)
  },
  async compatible() {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
    return ({ baseUrl, name }, model) =>
      createOpenAICompatible({ name, ...given(baseUrl), includeUsage: true }).chatModel(model)
  },
}

const mostKept = 16
const loaded = new Map<ProviderKind, Promise<Maker>>()
const made = new Map<string, LanguageModel>()

/** Libraries and models are made when they are first wanted, and kept: a person waits while a request is made. */
export async function languageModel(connection: Connection, model: string): Promise<LanguageModel> {
  const { kind, name, baseUrl } = connection
  const library = loaded.get(kind) ?? libraries[kind]()
  loaded.set(kind, library)
  const make = await library
  const which = JSON.stringify([kind, name, baseUrl, model])
  const spoken = made.get(which) ?? make(connection, model)
  made.delete(which)
  made.set(which, spoken)
  for (const oldest of made.keys()) if (made.size > mostKept) made.delete(oldest)
  return {
    specificationVersion: 'v4',
    provider: spoken.provider,
    modelId: spoken.modelId,
    supportedUrls: {},
    doStream: options => sending.run(connection, () => spoken.doStream(options)),
    doGenerate: options => sending.run(connection, () => spoken.doGenerate(options)),
  }
}

/** What each protocol must be told so that it keeps nothing: OpenAI stores answers unless it is told not to. */
export const providerOptions: Record<ProviderKind, Record<string, Record<string, boolean>>> = {
  anthropic: {},
  openai: { openai: { store: false } },
  compatible: {},
}
