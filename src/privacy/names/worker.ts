import { basename, dirname } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { env, pipeline } from '@huggingface/transformers'
import type { Finding } from '../../contract/privacy.ts'
import { joinPieces, type LabelledPiece, partsOf } from './entities.ts'
import type { NamesAnswer, NamesRequest } from './protocol.ts'

/** The thread with the names model. It reads one folder and reaches no network. */

const folder = String((workerData as { folder: string }).folder)
const answer = (message: NamesAnswer): void => parentPort?.postMessage(message)
/** Parts that go through the model together. */
const batch = 16

env.allowRemoteModels = false
env.allowLocalModels = true
env.localModelPath = dirname(folder)

type Classify = (texts: string[], options: { ignore_labels: string[] }) => Promise<LabelledPiece[][]>

async function load(): Promise<Classify> {
  const { existsSync } = await import('node:fs')
  const quantized = [`${folder}/onnx/model_quantized.onnx`, `${folder}/model_quantized.onnx`].some(file =>
    existsSync(file),
  )
  const plain = [`${folder}/onnx/model.onnx`, `${folder}/model.onnx`].some(file => existsSync(file))
  const inFolder = existsSync(`${folder}/onnx`) ? 'onnx' : ''
  const classifier = await pipeline('token-classification', basename(folder), {
    local_files_only: true,
    dtype: plain || !quantized ? 'fp32' : 'q8',
    device: 'cpu',
    subfolder: inFolder,
  })
  return (texts, options) => classifier(texts, options) as unknown as Promise<LabelledPiece[][]>
}

async function look(classify: Classify, texts: readonly string[]): Promise<Finding[][]> {
  const findings: Finding[][] = texts.map(() => [])
  const parts = texts.flatMap((text, owner) => partsOf(text).map(part => ({ ...part, owner })))
  for (let at = 0; at < parts.length; at += batch) {
    const together = parts.slice(at, at + batch)
    const labelled = await classify(
      together.map(part => part.text),
      { ignore_labels: [] },
    )
    for (const [index, part] of together.entries()) {
      for (const finding of joinPieces(part.text, labelled[index] ?? [])) {
        findings[part.owner]?.push({ ...finding, start: finding.start + part.start, end: finding.end + part.start })
      }
    }
  }
  return findings
}

try {
  const classify = await load()
  answer({ type: 'ready' })
  let before: Promise<void> = Promise.resolve()
  parentPort?.on('message', (request: NamesRequest) => {
    // One after another: two batches at once would only take each other's processor.
    before = before.then(async () => {
      try {
        answer({ type: 'found', id: request.id, findings: await look(classify, request.texts) })
      } catch (error) {
        answer({ type: 'failed', message: error instanceof Error ? error.message : String(error) })
      }
    })
  })
} catch (error) {
  answer({ type: 'failed', message: error instanceof Error ? error.message : String(error) })
}
