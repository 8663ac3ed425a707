import { Worker } from 'node:worker_threads'
import { workerFile, type workers } from '../places.ts'

const memoryLimitMb = 2048

/**
 * Asks a thread of its own for one answer. A file or text that takes for ever or eats all memory costs the thread, which
 * is then ended: the answer is null.
 */
export function askThread<Answer>(
  name: keyof typeof workers,
  question: unknown,
  timeLimitMs: number,
): Promise<Answer | null> {
  return new Promise(resolve => {
    const worker = new Worker(workerFile(name), {
      workerData: question,
      resourceLimits: { maxOldGenerationSizeMb: memoryLimitMb },
    })
    const settle = (answer: Answer | null) => {
      clearTimeout(timer)
      resolve(answer)
      void worker.terminate()
    }
    const timer = setTimeout(() => settle(null), timeLimitMs)
    worker.once('message', (answer: Answer) => settle(answer))
    worker.once('error', () => settle(null))
    worker.once('exit', () => settle(null))
  })
}
