import { parentPort, workerData } from 'node:worker_threads'
import { hashAll } from './check-bodies.ts'

const answer = hashAll((workerData as { file: string }).file)
parentPort?.postMessage(answer, [answer.hashes.buffer as ArrayBuffer])
