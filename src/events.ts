import type { EngineEvent } from './contract/events.ts'

/** Carries what happens in the engine to whoever listens: windows, the tray, tests. */
export interface Events {
  publish(event: EngineEvent): void
  /** Every event from now on, in order, until the signal. A listener that falls far behind is let go, not waited for. */
  stream(signal?: AbortSignal): AsyncGenerator<EngineEvent, void>
  listen(listener: (event: EngineEvent) => void): () => void
}

/** More than this waiting means that the window is gone or frozen; it asks for state again when it comes back. */
const maxWaiting = 10_000

export function createEvents(): Events {
  const listeners = new Set<(event: EngineEvent) => void>()
  const listen = (listener: (event: EngineEvent) => void) => {
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
    }
  }
  return {
    publish(event) {
      for (const listener of listeners) listener(event)
    },
    listen,
    async *stream(signal) {
      const waiting: EngineEvent[] = []
      let wake = () => {}
      const stop = listen(event => {
        waiting.push(event)
        wake()
      })
      const aborted = () => wake()
      signal?.addEventListener('abort', aborted)
      try {
        while (!signal?.aborted && waiting.length < maxWaiting) {
          const next = waiting.shift()
          if (next) yield next
          else await new Promise<void>(resolve => (wake = resolve))
        }
      } finally {
        stop()
        signal?.removeEventListener('abort', aborted)
      }
    },
  }
}
