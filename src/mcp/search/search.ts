import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../../clock.ts'
import type { FoundTool, ToolSearch } from '../../contract/mcp-servers.ts'
import { type Searched, WordIndex } from './bm25.ts'
import { Embedder } from './embedder.ts'
import { Index, rankingVersion } from './ranking.ts'
import { VectorFile } from './vectors.ts'

export const mostFound = 5

/** A tool as it is searched and recorded. */
export type SearchableTool = Searched & Pick<FoundTool, 'effect' | 'hash'>

export interface Search {
  /**
   * The tools that fit an intent best. By words alone where the vectors are not there in time; they are made meanwhile,
   * so that the next search has them.
   */
  find(intent: string, tools: readonly SearchableTool[], patienceMs: number): Promise<ToolSearch>
  /** Loads the model and makes vectors ahead, so that the first search finds both. */
  prepare(tools: readonly SearchableTool[]): void
  /** Done with all that was prepared. */
  idle(): Promise<void>
  close(): Promise<void>
}

export interface SearchOptions {
  /** Where vectors are kept. */
  readonly folder: string
  readonly clock: Clock
  /** A folder with a sentence model of the user's; empty means our own. */
  readonly model: () => string
}

const ownModel = 'use-lite-0.2.0'
const mostTextChars = 400

interface Model {
  readonly version: string
  readonly embedder: Embedder
  readonly vectors: VectorFile
}

interface Kept<T> {
  readonly key: string
  readonly index: T
}

export function createSearch({ folder, clock, model: chosen }: SearchOptions): Search {
  let current: { readonly folder: string; readonly model: Model } | null = null
  let index: Kept<Index> | null = null
  let words: Kept<WordIndex> | null = null
  let making: Promise<unknown> = Promise.resolve()

  function model(): Model {
    const wanted = chosen()
    if (current?.folder === wanted) return current.model
    void current?.model.embedder.close()
    const version = wanted === '' ? ownModel : versionOf(wanted)
    const made = {
      version,
      embedder: new Embedder({ folder: wanted === '' ? null : wanted }),
      vectors: new VectorFile(join(folder, `${version}.vectors`)),
    }
    current = { folder: wanted, model: made }
    return made
  }

  /** Vectors of all texts, or null where the model cannot be used. */
  async function vectorsOf({ embedder, vectors }: Model, texts: readonly string[]): Promise<Float32Array[] | null> {
    const missing = [...new Set(texts)].filter(text => !vectors.get(text))
    // In small steps, each kept: whoever is ended in the middle goes on from there.
    for (let at = 0; at < missing.length; at += 16) {
      const some = missing.slice(at, at + 16)
      const made = await embedder.embed(some)
      if (!made) return null
      vectors.add(some, made)
    }
    const all = texts.flatMap(text => vectors.get(text) ?? [])
    return all.length === texts.length ? all : null
  }

  /** An index with the vectors of all tools, or null where the model cannot be used. */
  async function indexOf(its: Model, tools: readonly SearchableTool[], corpus: string): Promise<Index | null> {
    const key = `${its.version} ${corpus}`
    if (index?.key === key) return index.index
    const vectors = await vectorsOf(its, tools.map(textOf))
    if (!vectors) return null
    const made = new Index(wordsOf(tools, corpus), vectors)
    index = { key, index: made }
    return made
  }

  /** The intent's vector and an index with those of all tools, where they are there in time. */
  async function meaningOf(intent: string, tools: readonly SearchableTool[], corpus: string, patienceMs: number) {
    const its = model()
    // The model starts first: what is done here meanwhile costs nothing.
    const embedded = its.embedder.embed([intent])
    const work = Promise.all([indexOf(its, tools, corpus), embedded])
    making = Promise.all([making, work])
    let stop: () => void = () => undefined
    const late = new Promise<null>(resolve => (stop = clock.after(patienceMs, () => resolve(null))))
    wordsOf(tools, corpus)
    const got = await Promise.race([work, late])
    stop()
    const [made, intents] = got ?? []
    const meaning = intents?.[0]
    return made && meaning ? { index: made, meaning, version: its.version } : null
  }

  function wordsOf(tools: readonly SearchableTool[], corpus: string): WordIndex {
    if (words?.key !== corpus) words = { key: corpus, index: new WordIndex(tools) }
    return words.index
  }

  return {
    async find(intent, tools, patienceMs) {
      const begun = clock.now()
      const corpus = corpusHash(tools)
      const meant = tools.length === 0 ? null : await meaningOf(intent, tools, corpus, patienceMs)
      const made = meant?.index ?? new Index(wordsOf(tools, corpus), null)
      const found = made.search(intent, meant?.meaning ?? null, mostFound).flatMap(({ tool: at, ...ranked }) => {
        const tool = tools[at]
        if (!tool) return []
        const { server, name, description, effect, hash } = tool
        return [{ server, name, description, effect, hash, ...ranked }]
      })
      const { problem } = model().embedder
      return {
        found,
        searched: tools.length,
        corpus,
        ranking: rankingVersion,
        model: meant?.version ?? null,
        note:
          meant || tools.length === 0 ? null : (problem ?? 'The sentence model was not ready: found by words alone.'),
        durationMs: clock.now() - begun,
      }
    },
    prepare(tools) {
      if (tools.length === 0) return
      const its = model()
      // The first text that a model reads takes several times as long as the next one.
      const read = its.embedder.embed([ownModel])
      making = Promise.all([making, indexOf(its, tools, corpusHash(tools)), read])
    },
    idle: async () => void (await making),
    async close() {
      await current?.model.embedder.close()
      current = null
    },
  }
}

/** Of all that ranking looks at, in order. */
export const corpusHash = (tools: readonly SearchableTool[]): string =>
  createHash('sha256')
    .update(tools.map(({ server, hash }) => `${server} ${hash}`).join('\n'))
    .digest('hex')

/** What the sentence model reads of a tool. */
const textOf = ({ name, description }: SearchableTool): string =>
  `${name.replace(/[_.-]+/g, ' ')}: ${description}`.slice(0, mostTextChars)

/** Another network in the same folder is another model. */
function versionOf(folder: string): string {
  const parts = ['config.json', 'tokenizer.json'].map(name => contents(join(folder, name)))
  const sizes = ['onnx/model.onnx', 'onnx/model_quantized.onnx', 'model.onnx'].map(name => sizeOf(join(folder, name)))
  return `folder-${createHash('sha256')
    .update(JSON.stringify([parts, sizes]))
    .digest('hex')
    .slice(0, 16)}`
}

function contents(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0
