import { useEffect, useRef, useState } from 'react'

type Step<T> = { type: 'progress'; done: number; total: number } | { type: 'done'; result: T }

interface Work<T> {
  readonly running: boolean
  readonly progress: { done: number; total: number } | null
  readonly error: unknown
  /** Starts; resolves with what came of it, or null when it failed or was stopped. */
  start(begin: (signal: AbortSignal) => Promise<AsyncIterable<Step<T>>>): Promise<T | null>
  stop(): void
}

/** Long work of the engine, with how far it is and a way to stop it. It also stops when the view goes away. */
export function useWork<T>(): Work<T> {
  const [state, setState] = useState<Pick<Work<T>, 'running' | 'progress' | 'error'>>(idle)
  const current = useRef<AbortController>(null)
  useEffect(() => () => current.current?.abort(), [])
  return {
    ...state,
    stop() {
      current.current?.abort()
      setState(idle)
    },
    async start(begin) {
      current.current?.abort()
      const stop = new AbortController()
      current.current = stop
      setState({ ...idle, running: true })
      try {
        for await (const step of await begin(stop.signal)) {
          if (stop.signal.aborted) return null
          if (step.type === 'done') {
            setState(idle)
            return step.result
          }
          setState({ running: true, progress: step, error: null })
        }
        return null
      } catch (error) {
        if (!stop.signal.aborted) setState({ ...idle, error })
        return null
      }
    },
  }
}

const idle = { running: false, progress: null, error: null }
