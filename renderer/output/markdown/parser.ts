import type { Root } from 'hast'

/** As much of a worker as is needed here. */
export interface ParserWorker {
  onmessage: ((event: MessageEvent<Root | null>) => void) | null
  postMessage(text: string): void
  terminate(): void
}

interface Job {
  readonly text: string
  readonly done: (tree: Root | null) => void
}

/** Longer than this means harm, or a text that nobody wants set. */
const limit = 5000

/** Parses one text after another in a worker; one that takes too long is given up together with its worker. */
export class MarkdownParser {
  readonly #start: () => ParserWorker
  readonly #waiting: Job[] = []
  #worker: ParserWorker | null = null
  #busy = false

  constructor(start: () => ParserWorker) {
    this.#start = start
  }

  /** Calls back with the tree, or with `null` when there is none. The returned function withdraws what has not begun. */
  parse(text: string, done: (tree: Root | null) => void): () => void {
    const job = { text, done }
    this.#waiting.push(job)
    this.#next()
    return () => {
      const at = this.#waiting.indexOf(job)
      if (at >= 0) this.#waiting.splice(at, 1)
    }
  }

  #next(): void {
    const job = this.#busy ? undefined : this.#waiting.shift()
    if (!job) return
    this.#busy = true
    const worker = this.#ready()
    const finish = (tree: Root | null) => {
      clearTimeout(timer)
      this.#busy = false
      job.done(tree)
      this.#next()
    }
    const timer = setTimeout(() => {
      worker?.terminate()
      this.#worker = null
      finish(null)
    }, limit)
    if (worker) {
      worker.onmessage = ({ data }) => finish(data)
      worker.postMessage(job.text)
    } else finish(null)
  }

  #ready(): ParserWorker | null {
    try {
      this.#worker ??= this.#start()
    } catch {
      // No workers here: long texts are then shown as they were written.
    }
    return this.#worker
  }
}
