import { parentPort, workerData } from 'node:worker_threads'
import { hashAll } from './check-bodies.ts'
import { checkIndex } from './check-index.ts'

const { file, entries } = workerData as { file: string; entries: number }
const bodies = hashAll(file)
parentPort?.postMessage({ bodies, index: checkIndex(file, entries) }, [bodies.hashes.buffer as ArrayBuffer])
