const words: Readonly<Record<string, string>> = {
  ok: 'answered',
  stopped: 'stopped',
  'chat.key': 'key refused',
  'chat.credit': 'no credit',
  'chat.rate-limit': 'too many requests',
  'chat.overloaded': 'overloaded',
  'chat.unknown-model': 'unknown model',
  'chat.no-network': 'not reached',
  'chat.cut': 'cut off',
  'chat.garbled': 'unreadable',
  'chat.provider': 'error of the provider',
  'chat.slow': 'fell silent',
  'chat.limit': 'too long an answer',
  'chat.too-long': 'too long for the model',
  'privacy.held': 'held back here',
}

/** How a request to a model ended, in two words. */
export const resultWords = (result: string): string => words[result] ?? result
