import { parentPort, workerData } from 'node:worker_threads'
import { drawSvg } from './draw.ts'

for (const [at, spec] of (workerData as unknown[]).entries()) {
  try {
    parentPort?.postMessage({ at, svg: await drawSvg(spec) })
  } catch {
    // The page shows the numbers behind a chart that cannot be drawn.
  }
}
