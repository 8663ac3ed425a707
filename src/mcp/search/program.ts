import { basename, dirname } from 'node:path'
import type { EmbedAnswer, EmbedRequest, EmbedTask } from './protocol.ts'

/** The process with the sentence model. It reads its files and reaches no network. */

const { folder } = JSON.parse(process.argv[2] ?? '') as EmbedTask
const answer = (message: EmbedAnswer): void => void process.send?.(message)

type Embed = (texts: string[]) => Promise<ArrayLike<number>[]>

async function ownModel(): Promise<Embed> {
  const { loadUseLite } = await import('./use-lite.ts')
  const embed = loadUseLite()
  return async texts => texts.map(embed)
}

/** Any sentence model in the form that transformers reads, of a folder that the user chose. */
async function modelOf(place: string): Promise<Embed> {
  const { env, pipeline } = await import('@huggingface/transformers')
  env.allowRemoteModels = false
  env.allowLocalModels = true
  env.localModelPath = dirname(place)
  const extract = await pipeline('feature-extraction', basename(place), { local_files_only: true, device: 'cpu' })
  return async texts => (await extract(texts, { pooling: 'mean', normalize: true })).tolist() as number[][]
}

/** Of length one, so that a product is the cosine. */
function unit(vector: ArrayLike<number>): Float32Array<ArrayBuffer> {
  const length = Math.hypot(...Array.from(vector)) || 1
  return Float32Array.from(vector, value => value / length)
}

// The application may have been killed: nobody else would ever end this process.
process.on('disconnect', () => process.exit())

const failed = (error: unknown): void =>
  answer({ type: 'failed', message: error instanceof Error ? error.message : String(error) })

try {
  const embed = await (folder === null ? ownModel() : modelOf(folder))
  answer({ type: 'ready' })
  let before: Promise<void> = Promise.resolve()
  process.on('message', ({ id, texts }: EmbedRequest) => {
    // One after another: two at once would only take each other's processor.
    before = before.then(async () => {
      try {
        const vectors: Float32Array<ArrayBuffer>[] = []
        // One by one: a short intent must not be padded to the longest description beside it.
        for (const text of texts) vectors.push(...(await embed([text])).map(unit))
        answer({ type: 'vectors', id, vectors })
      } catch (error) {
        failed(error)
      }
    })
  })
} catch (error) {
  failed(error)
}
