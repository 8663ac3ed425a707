import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { z } from 'zod'
import type { ModelFacts } from '../../contract/names.ts'
import { fail, type Outcome, ok } from '../../contract/problem.ts'
import { readLabel } from './entities.ts'

/** A folder with all that a model for names needs. */
export interface ModelFolder {
  readonly facts: ModelFacts
  /** The network itself, within the folder. */
  readonly network: string
}

const needed = ['config.json', 'tokenizer.json', 'tokenizer_config.json']
/** The exact network before the one that was made smaller, which finds a little less. */
const networks = ['onnx/model.onnx', 'model.onnx', 'onnx/model_quantized.onnx', 'model_quantized.onnx']
/** No model describes itself at such length; whatever is longer would only fill the memory. */
const longestConfig = 4 * 1024 * 1024

const Config = z.object({ id2label: z.record(z.string(), z.string()) })

/** Says whether a folder holds a usable model for names, and if not, why. It only looks: nothing is loaded. */
export async function readModelFolder(folder: string): Promise<Outcome<ModelFolder>> {
  const names = await filesIn(folder)
  if (!names.ok) return names
  const network = networks.find(name => names.value.has(name))
  const missing = needed.filter(name => !names.value.has(name))
  if (!network || missing.length > 0) {
    if (!network) missing.push('onnx/model.onnx')
    const message = `The folder ${folder} holds no model for names: ${listed(missing)} ${missing.length === 1 ? 'is' : 'are'} missing.`
    return fail('names.incomplete', message, await wayOut(folder, names.value))
  }
  const labels = await labelsIn(folder)
  if (!labels.ok) return labels
  // A large network keeps its weights in a second file beside it.
  const read = [...needed, network, `${network}_data`]
  const sizes = await Promise.all(read.map(name => sizeOf(join(folder, name))))
  const bytes = sizes.reduce((sum, size) => sum + size, 0)
  return ok({ facts: { folder, labels: labels.value, bytes }, network })
}

/** The facts of the model in a folder, for lists of many folders, most of which hold none. */
export async function modelIn(folder: string): Promise<ModelFacts | null> {
  if (!(await looksLikeModel(folder))) return null
  const found = await readModelFolder(folder)
  return found.ok ? found.value.facts : null
}

async function filesIn(folder: string): Promise<Outcome<ReadonlySet<string>>> {
  try {
    const inside = await readdir(folder)
    const below = inside.includes('onnx') ? await readdir(join(folder, 'onnx')).catch(() => []) : []
    return ok(new Set([...inside, ...below.map(name => `onnx/${name}`)]))
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT')
      return fail('names.no-folder', `The folder ${folder} is not there.`, 'Choose another one, or clear the field.')
    if (code === 'ENOTDIR')
      return fail('names.no-folder', `${folder} is a file, not a folder.`, 'Choose the folder of the model.')
    const why = error instanceof Error ? error.message : String(error)
    return fail('names.unreadable', `The folder ${folder} cannot be read: ${why}.`, 'Check that you may read it.')
  }
}

/** People choose the folder above, the one below, or a model in another form: say which it was. */
async function wayOut(folder: string, names: ReadonlySet<string>): Promise<string> {
  const above = dirname(folder)
  if (basename(folder) === 'onnx' && (await readModelFolder(above)).ok) return `Choose the folder above it, ${above}.`
  for (const name of names) {
    if (name !== 'onnx' && !name.includes('/') && (await looksLikeModel(join(folder, name))))
      return `Choose the folder ${name} in it, which holds one.`
  }
  if ([...names].some(name => /\.(?:safetensors|bin|pt|h5)$/.test(name)))
    return 'Its weights are in another form. Export it to ONNX, for example with optimum-cli export onnx.'
  return 'Choose a model for token classification in the form of Hugging Face, exported to ONNX.'
}

/** By its files alone, without a word about why not: folders in folders are not searched to the ground. */
async function looksLikeModel(folder: string): Promise<boolean> {
  const names = await filesIn(folder)
  return names.ok && needed.every(name => names.value.has(name)) && networks.some(name => names.value.has(name))
}

async function labelsIn(folder: string): Promise<Outcome<ModelFacts['labels']>> {
  const file = join(folder, 'config.json')
  let labels: string[]
  try {
    if ((await sizeOf(file)) > longestConfig) throw new Error('it is too long')
    labels = Object.values(Config.parse(JSON.parse(await readFile(file, 'utf8'))).id2label)
  } catch (error) {
    const why =
      error instanceof z.ZodError ? 'it names no labels' : error instanceof Error ? error.message : String(error)
    return fail(
      'names.unreadable',
      `${file} cannot be used: ${why}.`,
      'Check that it came over whole, and that the model is one for token classification.',
    )
  }
  const known = new Map(labels.map(readLabel).map(({ label, type }) => [label, type]))
  known.delete('O')
  const found = [...known].map(([label, type]) => ({ label, type }))
  if (found.some(({ type }) => type === 'PERSON')) return ok(found)
  const given = found.length > 0 ? `it gives ${listed(found.slice(0, 12).map(each => each.label))}` : 'it gives none'
  return fail(
    'names.no-persons',
    `The model in ${folder} has no label for persons: ${given}.`,
    'Choose one that was trained to find names, with a label such as PER, PERSON or NAME.',
  )
}

const sizeOf = (file: string): Promise<number> =>
  stat(file).then(
    ({ size }) => size,
    () => 0,
  )

const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
