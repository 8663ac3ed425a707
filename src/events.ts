import type { Caller } from './contract/caller.ts'
import type { EngineEvent } from './contract/events.ts'
import type { TenantId } from './contract/ids.ts'

/** Carries what happens in the engine to whoever listens: windows, the tray, tests. */
export interface Events {
  /** Tells those of one tenant; with null, of what belongs to the installation, everyone. */
  publish(tenant: TenantId | null, event: EngineEvent): void
  /**
   * Every event from now on that is of the caller's tenant or of the installation, in order, until the signal. A
   * listener that falls far behind is let go, not waited for.
   */
  stream(who: Pick<Caller, 'tenant'>, signal?: AbortSignal): AsyncGenerator<EngineEvent, void>
  /** All of them: for parts of the engine itself. */
  listen(listener: Listener): () => void
}

export type Listener = (event: EngineEvent, tenant: TenantId | null) => void

/** More than this waiting means that the window is gone or frozen; it asks for state again when it comes back. */
const maxWaiting = 10_000

export function createEvents(): Events {
  const listeners = new Set<Listener>()
  const listen = (listener: Listener) => {
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
    }
  }
  return {
    publish(tenant, event) {
      for (const listener of listeners) listener(event, tenant)
    },
    listen,
    async *stream(who, signal) {
      const waiting: EngineEvent[] = []
      let wake = () => {}
      const stop = listen((event, tenant) => {
        if (tenant !== null && tenant !== who.tenant) return
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
