import type { AnthropicProvider } from '@ai-sdk/anthropic'

/** The library's interface to a model, by the names that we use. All three protocols give the same one. */
export type LanguageModel = ReturnType<AnthropicProvider['languageModel']>
export type CallOptions = Parameters<LanguageModel['doStream']>[0]
export type Prompt = CallOptions['prompt']
export type PromptMessage = Prompt[number]
export type FunctionTool = Extract<NonNullable<CallOptions['tools']>[number], { type: 'function' }>
export type StreamResult = Awaited<ReturnType<LanguageModel['doStream']>>
export type StreamPart = StreamResult['stream'] extends ReadableStream<infer Part> ? Part : never
