import type { Clock } from '../clock.ts'
import { fail, type Outcome, ok } from '../contract/problem.ts'
import { toolLimits } from '../contract/tools.ts'

const { perMinute, open: mostOpen } = toolLimits
const minuteMs = 60_000

/** How often and how many at once: a loop in a cell must not drown somebody's server. */
export class Rate {
  readonly #clock: Clock
  readonly #calls = new Map<string, number[]>()
  #open = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Resolves what `call` does, or refuses it. */
  async within<T>(tool: string, call: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
    const begun = this.#begin(tool)
    if (!begun.ok) return begun
    try {
      return await call()
    } finally {
      this.#open -= 1
    }
  }

  #begin(tool: string): Outcome<void> {
    const now = this.#clock.now()
    const recent = (this.#calls.get(tool) ?? []).filter(at => now - at < minuteMs)
    if (recent.length >= perMinute)
      return fail('mcp.busy', `${tool} was called ${perMinute} times within a minute.`, 'Call it again in a while.')
    if (this.#open >= mostOpen) return fail('mcp.busy', `${mostOpen} calls are under way.`, 'Wait for one to end.')
    recent.push(now)
    this.#calls.set(tool, recent)
    this.#open += 1
    return ok(undefined)
  }
}
