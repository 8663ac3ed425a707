import type { Answer, Asked } from './worker.ts'
import WorkbookWorker from './worker.ts?worker'

const patienceMs = 20_000

/** Reads a workbook in a worker of its own, which is ended when it takes too long or nobody waits any more. */
export function readInWorker(asked: Asked, signal?: AbortSignal): Promise<Answer> {
  return new Promise(resolve => {
    const worker = new WorkbookWorker()
    const end = (answer: Answer) => {
      clearTimeout(timer)
      worker.terminate()
      resolve(answer)
    }
    const timer = setTimeout(
      () => end({ problem: 'It takes too long to read. Read it with code instead.' }),
      patienceMs,
    )
    worker.onmessage = ({ data }: MessageEvent<Answer>) => end(data)
    worker.onerror = () => end({ problem: 'The file could not be read.' })
    signal?.addEventListener('abort', () => end({ problem: 'Nobody waits for it any more.' }))
    worker.postMessage(asked)
  })
}
