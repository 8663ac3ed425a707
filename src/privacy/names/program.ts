import { basename, dirname } from 'node:path'
import { env, pipeline } from '@huggingface/transformers'
import type { Finding } from '../../contract/privacy.ts'
import { joinPieces, type LabelledPiece } from './entities.ts'
import { ownedBy, partsOf } from './parts.ts'
import type { NamesAnswer, NamesRequest, NamesTask } from './protocol.ts'

/** The process with the names model. It reads one folder and reaches no network. */

const { folder, network, trial } = JSON.parse(process.argv[2] ?? '') as NamesTask
const answer = (message: NamesAnswer): void => void process.send?.(message)
/** Parts that go through the model together. */
const batch = 16

env.allowRemoteModels = false
env.allowLocalModels = true
env.localModelPath = dirname(folder)

type Classify = (texts: string[], options: { ignore_labels: string[] }) => Promise<LabelledPiece[][]>

async function load(): Promise<Classify> {
  const classifier = await pipeline('token-classification', basename(folder), {
    local_files_only: true,
    dtype: network.includes('_quantized') ? 'q8' : 'fp32',
    device: 'cpu',
    subfolder: network.startsWith('onnx/') ? 'onnx' : '',
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
      findings[part.owner]?.push(...ownedBy(part, joinPieces(part.text, labelled[index] ?? [])))
    }
  }
  return findings
}

// The application may have been killed: nobody else would ever end this process.
process.on('disconnect', () => process.exit())

const failed = (error: unknown): void =>
  answer({ type: 'failed', message: error instanceof Error ? error.message : String(error) })

try {
  const begun = performance.now()
  const classify = await load()
  const loaded = performance.now()
  answer({ type: 'loaded', ms: loaded - begun })
  const [findings = []] = await look(classify, [trial])
  answer({ type: 'ready', ms: performance.now() - loaded, findings })
  let before: Promise<void> = Promise.resolve()
  process.on('message', (request: NamesRequest) => {
    // One after another: two batches at once would only take each other's processor.
    before = before.then(async () => {
      try {
        answer({ type: 'found', id: request.id, findings: await look(classify, request.texts) })
      } catch (error) {
        failed(error)
      }
    })
  })
} catch (error) {
  failed(error)
}
