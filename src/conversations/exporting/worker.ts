import { parentPort, workerData } from 'node:worker_threads'
import { toHtml } from './html.ts'
import type { ExportedPath } from './load.ts'

const { title, path } = workerData as { title: string; path: ExportedPath }
parentPort?.postMessage(toHtml(title, path))
