import { parentPort } from 'node:worker_threads'
import { keepCompiledCode } from '../code-cache.ts'
import type { Finding } from '../contract/privacy.ts'

/** What is asked of the thread that scans texts, and what it answers. */
export interface ScanQuestion {
  readonly id: number
  readonly texts: readonly string[]
}
export interface ScanAnswer {
  readonly id: number
  readonly found: readonly (readonly Finding[])[]
}

keepCompiledCode()
const scanning = import('./scan-text.ts')

parentPort?.on('message', async ({ id, texts }: ScanQuestion) => {
  const { scanText } = await scanning
  const answer: ScanAnswer = { id, found: texts.map(text => scanText(text)) }
  parentPort?.postMessage(answer)
})
