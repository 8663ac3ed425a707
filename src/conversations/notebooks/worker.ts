import { parentPort, workerData } from 'node:worker_threads'
import { readNotebook } from './read.ts'

parentPort?.postMessage(readNotebook(workerData, () => crypto.randomUUID()))
