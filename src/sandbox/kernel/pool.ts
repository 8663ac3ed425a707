/** Lets a few in at a time; the others wait in order. Opening a hundred sandboxes at once is then no slower than in turn. */
export class Turnstile {
  readonly #limit: number
  #inside = 0
  readonly #queue: (() => void)[] = []

  constructor(limit: number) {
    this.#limit = limit
  }

  async pass<T>(work: () => Promise<T>): Promise<T> {
    if (this.#inside >= this.#limit) await new Promise<void>(resolve => this.#queue.push(resolve))
    else this.#inside++
    try {
      return await work()
    } finally {
      const next = this.#queue.shift()
      if (next) next()
      else this.#inside--
    }
  }
}

export interface Pooled {
  readonly ended: Promise<void>
}

/**
 * Keeps some things ready. What is taken is replaced in the background, one at a time and only while nobody is being
 * served (`idle`), so that filling up never competes with work that a person waits for.
 */
export class Pool<T extends Pooled> {
  readonly #size: number
  readonly #make: () => Promise<T | null>
  readonly #discard: (thing: T) => Promise<void>
  readonly #ready: T[] = []
  #filling: Promise<void> | null = null
  #closed = false

  constructor(size: number, make: () => Promise<T | null>, discard: (thing: T) => Promise<void>) {
    this.#size = size
    this.#make = make
    this.#discard = discard
  }

  get waiting(): number {
    return this.#ready.length
  }

  get size(): number {
    return this.#size
  }

  take(): T | undefined {
    const thing = this.#ready.shift()
    void this.fill()
    return thing
  }

  fill(): Promise<void> {
    this.#filling ??= this.#fill().finally(() => {
      this.#filling = null
    })
    return this.#filling
  }

  async #fill(): Promise<void> {
    // Whoever took one is served first.
    await new Promise(resolve => setImmediate(resolve))
    while (!this.#closed && this.#ready.length < this.#size) {
      const thing = await this.#make()
      if (!thing) return
      if (this.#closed) return this.#discard(thing)
      this.#ready.push(thing)
      void thing.ended.then(() => {
        const at = this.#ready.indexOf(thing)
        if (at >= 0) this.#ready.splice(at, 1)
      })
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#filling
    await Promise.all(this.#ready.splice(0).map(this.#discard))
  }
}
