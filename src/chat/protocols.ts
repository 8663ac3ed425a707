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

type Maker = (connection: Connection, model: string) => LanguageModel

/** The model as the library of its protocol speaks to it. */
const libraries: Record<ProviderKind, () => Promise<Maker>> = {
  async anthropic() {
    const { createAnthropic } = await import('@ai-sdk/anthropic')
    return ({ baseUrl, key, send }, model) =>
      createAnthropic({ baseURL: baseUrl, apiKey: key ?? noKey, fetch: send }).languageModel(model)
  },
  async openai() {
    const { createOpenAI } = await import('@ai-sdk/openai')
    return ({ baseUrl, key, send }, model) =>
      createOpenAI({ baseURL: baseUrl, apiKey: key ?? noKey, fetch: send }).responses(model)
  },
  async compatible() {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
    return ({ baseUrl, key, send, name }, model) =>
      createOpenAICompatible({
        name,
        baseURL: baseUrl,
        apiKey: key ?? noKey,
        fetch: send,
        includeUsage: true,
      }).chatModel(model)
  },
}

const loaded = new Map<ProviderKind, Promise<Maker>>()

/** Each library is loaded when it is first wanted, and kept: even the import of a loaded module takes a while. */
export async function languageModel(connection: Connection, model: string): Promise<LanguageModel> {
  const { kind } = connection
  const library = loaded.get(kind) ?? libraries[kind]()
  loaded.set(kind, library)
  return (await library)(connection, model)
}

/** What each protocol must be told so that it keeps nothing: OpenAI stores answers unless it is told not to. */
export const providerOptions: Record<ProviderKind, Record<string, Record<string, boolean>>> = {
  anthropic: {},
  openai: { openai: { store: false, parallelToolCalls: true } },
  compatible: {},
}
