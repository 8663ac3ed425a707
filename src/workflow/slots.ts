/** Lets some in at a time; the others wait in order. */
export class Slots {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(count: number) {
    this.#free = count
  }

  async with<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--
    else await new Promise<void>(resolve => this.#waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#free++
    }
  }
}

/** Lets some of each kind in at a time, and some of all: what is slow of one kind holds up no other. */
export class SlotsOfEach<Kind> {
  readonly #ofEach: number
  readonly #all: Slots
  readonly #kinds = new Map<Kind, { readonly slots: Slots; asked: number }>()

  constructor(ofEach: number, ofAll: number) {
    this.#ofEach = ofEach
    this.#all = new Slots(ofAll)
  }

  async with<T>(kind: Kind, work: () => Promise<T>): Promise<T> {
    const own = this.#kinds.get(kind) ?? { slots: new Slots(this.#ofEach), asked: 0 }
    this.#kinds.set(kind, own)
    own.asked++
    try {
      // In this order: whoever waits for others of its kind takes no place of another kind meanwhile.
      return await own.slots.with(() => this.#all.with(work))
    } finally {
      if (--own.asked === 0) this.#kinds.delete(kind)
    }
  }
}
