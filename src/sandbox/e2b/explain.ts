/** What went wrong at the service, in words that hold neither the key nor anything that the service wrote. */
export interface Trouble {
  readonly kind: 'key' | 'rate' | 'quota' | 'service' | 'gone' | 'unreachable' | 'refused'
  readonly message: string
  readonly hint: string
}

const troubles: Record<Trouble['kind'], Omit<Trouble, 'kind'>> = {
  key: {
    message: 'The cloud sandbox service does not accept the key.',
    hint: 'Set a key that is valid for this domain: in the settings under Cloud, or as E2B_API_KEY.',
  },
  rate: {
    message: 'The cloud sandbox service has had too many requests and answers no more for now.',
    hint: 'Wait a minute and run again.',
  },
  quota: {
    message: 'The account has as many cloud sandboxes as it may have.',
    hint: 'Close sandboxes of other paths, or raise the limit of the account.',
  },
  service: {
    message: 'The cloud sandbox service failed.',
    hint: 'Run again later, or choose a sandbox of this machine.',
  },
  gone: {
    message: 'The cloud sandbox has ended: it was closed or its time was over.',
    hint: 'Run again; a new sandbox is made, and the variables are gone.',
  },
  unreachable: {
    message: 'The cloud sandbox service cannot be reached.',
    hint: 'Check the connection and the domain of the service, or choose a sandbox of this machine.',
  },
  refused: {
    message: 'The cloud sandbox service refused the request.',
    hint: 'Check the template and the limits of the account.',
  },
}

/** Sorts an error of the SDK by its class and status; the class name, since the SDK is loaded only when it is used. */
export function explain(error: unknown): Trouble {
  const kind = kindOf(error)
  return { kind, ...troubles[kind] }
}

function kindOf(error: unknown): Trouble['kind'] {
  if (!(error instanceof Error)) return 'service'
  const status = Number(Reflect.get(error, 'statusCode') ?? /^(\d{3})\b/.exec(error.message)?.[1] ?? 0)
  switch (error.name) {
    case 'AuthenticationError':
      return 'key'
    case 'RateLimitError':
      return /concurrent|maximum|quota/i.test(error.message) ? 'quota' : 'rate'
    case 'ServiceBusyError':
      return 'service'
    case 'SandboxNotFoundError':
    case 'NotFoundError':
      return 'gone'
    case 'TimeoutError':
      return /killed|sandbox timeout|end of life/i.test(error.message) ? 'gone' : 'unreachable'
  }
  if (status === 401 || status === 403) return 'key'
  if (status === 402) return 'quota'
  if (status === 429) return 'rate'
  if (status >= 500) return 'service'
  if (status >= 400) return 'refused'
  return 'unreachable'
}
