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

export function createScanning(makeThread: () => Worker = scanThread): Scanning {
  let thread: Worker | null = null
  let closed = false
  let nextId = 0
  const waiting = new Map<number, (answer: ScanAnswer | null) => void>()
  const kept = new Map<string, readonly Finding[]>()
  let letters = 0

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

  function keep(text: string, found: readonly Finding[]): void {
    kept.set(text, found)
    letters += text.length
    for (const oldest of kept.keys()) {
      if (letters <= mostKept) return
      kept.delete(oldest)
      letters -= oldest.length
    }
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
        for (const [at, text] of wanted.entries()) if (!kept.has(text)) keep(text, answer.found[at] ?? scanText(text))
    },
    find: text => kept.get(text) ?? scanText(text),
    async close() {
      closed = true
      await thread?.terminate()
    },
  }
}

const scanThread = (): Worker => {
  const made = new Worker(workerFile('privacy'), { resourceLimits: { maxOldGenerationSizeMb: 1024 } })
  made.unref()
  return made
}
