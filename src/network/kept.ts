import { grantHost, type NetworkRequest } from '../contract/network.ts'

export interface Taken {
  readonly requests: NetworkRequest[]
  /** How many more were refused than are kept. */
  readonly dropped: number
}

/**
 * What a run asked for. Of many refusals the later ones are only counted: nothing left by them. What was reached is never
 * left out, since code could fill the list first; beyond it each rule has one line with the number and the bytes of all.
 */
export class Kept {
  readonly #most: number
  #entries: NetworkRequest[] = []
  readonly #further = new Map<string, NetworkRequest>()
  #dropped = 0

  constructor(most: number) {
    this.#most = most
  }

  add(entry: NetworkRequest): void {
    if (this.#entries.length < this.#most) this.#entries.push(entry)
    else if (entry.allowed) this.#merge(entry.rule ?? '', entry)
    else this.#dropped++
  }

  /** All since the last time, in order. */
  take(): Taken {
    const requests = [...this.#entries, ...this.#further.values()].sort((a, b) => a.at - b.at)
    const taken = { requests, dropped: this.#dropped }
    this.#entries = []
    this.#further.clear()
    this.#dropped = 0
    return taken
  }

  #merge(rule: string, entry: NetworkRequest): void {
    const before = this.#further.get(rule)
    if (!before) {
      this.#further.set(rule, entry)
      return
    }
    this.#further.set(rule, {
      ...before,
      host: before.host === entry.host ? entry.host : grantHost(rule),
      address: before.address === entry.address ? entry.address : null,
      method: before.method === entry.method ? entry.method : null,
      refusal: entry.refusal ?? before.refusal,
      ...(entry.reason ? { reason: entry.reason } : {}),
      count: (before.count ?? 1) + 1,
      bytesSent: before.bytesSent + entry.bytesSent,
      bytesReceived: before.bytesReceived + entry.bytesReceived,
      ms: before.ms + entry.ms,
    })
  }
}
