interface Progress {
  readonly done: number
  readonly total: number
}

export type Working<T> = ({ type: 'progress' } & Progress) | { type: 'done'; result: T }

/**
 * Long work as a stream: how far it is, then what came of it. A window that looks away gets only the latest figure.
 * Whoever ends the stream stops the work, whether by its signal or by not asking for more.
 */
export async function* working<T>(
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal, onProgress: (done: number, total: number) => void) => Promise<T>,
): AsyncGenerator<Working<T>, void> {
  const stop = new AbortController()
  const abort = () => stop.abort()
  if (signal?.aborted) abort()
  signal?.addEventListener('abort', abort)
  const now: { progress: Progress | null; over: boolean; wake: () => void } = {
    progress: null,
    over: false,
    wake: () => undefined,
  }
  const result = work(stop.signal, (done, total) => {
    now.progress = { done, total }
    now.wake()
  })
  const end = () => {
    now.over = true
    now.wake()
  }
  // Both ways, so that work which fails after the window has gone is not an error that nobody handles.
  result.then(end, end)
  try {
    while (!now.over) {
      const { progress } = now
      now.progress = null
      if (progress) yield { type: 'progress', ...progress }
      else await new Promise<void>(resolve => (now.wake = resolve))
    }
    yield { type: 'done', result: await result }
  } finally {
    signal?.removeEventListener('abort', abort)
    stop.abort()
  }
}
