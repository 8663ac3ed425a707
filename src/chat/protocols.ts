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

/** Address and key are always given: the libraries would else take them from the environment. */
const noKey = 'none'

/** The model as the library of its protocol speaks to it. Each library is loaded when it is first wanted. */
const makers: Record<ProviderKind, (connection: Connection, model: string) => Promise<LanguageModel>> = {
  async anthropic({ baseUrl, key, send }, model) {
    const { createAnthropic } = await import('@ai-sdk/anthropic')
    return createAnthropic({ baseURL: baseUrl, apiKey: key ?? noKey, fetch: send }).languageModel(model)
  },
  async openai({ baseUrl, key, send }, model) {
    const { createOpenAI } = await import('@ai-sdk/openai')
    return createOpenAI({ baseURL: baseUrl, apiKey: key ?? noKey, fetch: send }).responses(model)
  },
  async compatible({ baseUrl, key, send, name }, model) {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
    return createOpenAICompatible({
      name,
      baseURL: baseUrl,
      apiKey: key ?? noKey,
      fetch: send,
      includeUsage: true,
    }).chatModel(model)
  },
}

export const languageModel = (connection: Connection, model: string): Promise<LanguageModel> =>
  makers[connection.kind](connection, model)

/** What each protocol must be told so that it keeps nothing: OpenAI stores answers unless it is told not to. */
export const providerOptions: Record<ProviderKind, Record<string, Record<string, boolean>>> = {
  anthropic: {},
  openai: { openai: { store: false, parallelToolCalls: true } },
  compatible: {},
}
