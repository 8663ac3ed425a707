import { Worker } from 'node:worker_threads'
import { workerFile } from '../places.ts'

const timeLimitMs = 10_000
const memoryLimitMb = 1024

/** Charts as SVG, in order; null for one that cannot be drawn. All of them share one thread and one time limit. */
export function drawCharts(specs: readonly unknown[]): Promise<(string | null)[]> {
  if (specs.length === 0) return Promise.resolve([])
  return new Promise(resolve => {
    const drawn: (string | null)[] = specs.map(() => null)
    const worker = new Worker(workerFile('charts'), {
      workerData: specs,
      resourceLimits: { maxOldGenerationSizeMb: memoryLimitMb },
    })
    const settle = () => {
      clearTimeout(timer)
      resolve(drawn)
      void worker.terminate()
    }
    // Those that were done by then are kept.
    const timer = setTimeout(settle, timeLimitMs)
    worker.on('message', ({ at, svg }: { at: number; svg: string }) => {
      drawn[at] = svg
    })
    worker.once('error', settle)
    worker.once('exit', settle)
  })
}
