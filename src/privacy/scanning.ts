import { Worker } from 'node:worker_threads'
import type { Finding } from '../contract/privacy.ts'
import { workerFile } from '../places.ts'
import { scanText } from './scan-text.ts'
import type { ScanAnswer, ScanQuestion } from './worker.ts'

/** Scans texts in a thread ahead of who needs the findings, so that a long output does not stop the application. */
export interface Scanning {
  /** Looks at texts in the thread. Never rejects: what it did not look at is scanned where it is needed. */
  ahead(texts: readonly string[]): Promise<void>
  /** What is in a text: at once where it was looked at. */
  find(text: string): readonly Finding[]
  close(): Promise<void>
}

/** Less than this is scanned sooner than it is sent to a thread and back. */
const worthAThread = 8_192
/** Letters of texts whose findings are kept until somebody asks. */
const mostKept = 64 * 1024 * 1024
/** Letters of short texts whose findings are kept: a model is told the same instructions and tools with every question. */
const mostRecent = 512 * 1024

export function createScanning(makeThread: () => Worker = scanThread): Scanning {
  let thread: Worker | null = null
  let closed = false
  let nextId = 0
  const waiting = new Map<number, (answer: ScanAnswer | null) => void>()
  const kept = new KeptFindings(mostKept)
  const recent = new KeptFindings(mostRecent)

  const lost = (failed: Worker): void => {
    if (thread === failed) thread = null
    for (const answer of waiting.values()) answer(null)
    waiting.clear()
  }

  function start(): Worker {
    const made = makeThread()
    made.on('message', (answer: ScanAnswer) => {
      waiting.get(answer.id)?.(answer)
      waiting.delete(answer.id)
      // A process that has nothing else to do may end.
      if (waiting.size === 0) made.unref()
    })
    made.on('error', () => lost(made))
    made.on('exit', () => lost(made))
    return made
  }

  return {
    async ahead(texts) {
      const wanted = [...new Set(texts)].filter(text => text.length > 0 && !kept.has(text))
      if (closed || wanted.reduce((sum, text) => sum + text.length, 0) < worthAThread) return
      thread ??= start()
      const asked = thread
      const answer = await new Promise<ScanAnswer | null>(resolve => {
        const question: ScanQuestion = { id: nextId++, texts: wanted }
        waiting.set(question.id, resolve)
        asked.ref()
        asked.postMessage(question)
      })
      if (answer !== null)
        for (const [at, text] of wanted.entries())
          if (!kept.has(text)) kept.add(text, answer.found[at] ?? scanText(text))
    },
    find(text) {
      const known = kept.get(text) ?? recent.get(text)
      if (known) return known
      const found = scanText(text)
      if (text.length < worthAThread) recent.add(text, found)
      return found
    },
    async close() {
      closed = true
      await thread?.terminate()
    },
  }
}

/** What was found in texts, the latest of them, up to so many letters. */
class KeptFindings {
  readonly #found = new Map<string, readonly Finding[]>()
  readonly #most: number
  #letters = 0

  constructor(most: number) {
    this.#most = most
  }

  has(text: string): boolean {
    return this.#found.has(text)
  }

  /** What is asked for again is kept longest. */
  get(text: string): readonly Finding[] | undefined {
    const found = this.#found.get(text)
    if (found) {
      this.#found.delete(text)
      this.#found.set(text, found)
    }
    return found
  }

  add(text: string, found: readonly Finding[]): void {
    this.#found.set(text, found)
    this.#letters += text.length
    for (const oldest of this.#found.keys()) {
      if (this.#letters <= this.#most) return
      this.#found.delete(oldest)
      this.#letters -= oldest.length
    }
  }
}

const scanThread = (): Worker => {
  const made = new Worker(workerFile('privacy'), { resourceLimits: { maxOldGenerationSizeMb: 1024 } })
  made.unref()
  return made
}
