import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../storage/testing.ts'
import { modelIn, readModelFolder } from './folder.ts'
import { writeTinyModel } from './tiny-model.testing.ts'

const modelFolder = (labels?: readonly string[]): string =>
  writeTinyModel(join(temporaryFolder(), 'tiny'), labels ? { labels } : {})

async function problemWith(folder: string) {
  const found = await readModelFolder(folder)
  if (found.ok) throw new Error('it is usable')
  return found.problem
}

describe('a folder with a model', () => {
  it('tells its labels once each, what they count as, and the size of what is read', async () => {
    const folder = modelFolder(['O', 'B-PER', 'I-PER', 'B-given_name', 'B-MISC'])
    writeFileSync(join(folder, 'README.md'), 'x'.repeat(50_000))
    const before = await modelIn(folder)
    expect(before?.labels).toEqual([
      { label: 'PER', type: 'PERSON' },
      { label: 'given_name', type: 'PERSON' },
      { label: 'MISC', type: null },
    ])
    expect(before?.bytes).toBeLessThan(50_000)
    writeFileSync(join(folder, 'onnx', 'model.onnx_data'), 'x'.repeat(60_000))
    expect((await modelIn(folder))?.bytes).toBe((before?.bytes ?? 0) + 60_000)
  })

  it('prefers the exact network, and takes a smaller one or one beside the other files', async () => {
    const folder = modelFolder()
    const network = async () => {
      const found = await readModelFolder(folder)
      return found.ok ? found.value.network : null
    }
    writeFileSync(join(folder, 'onnx', 'model_quantized.onnx'), '')
    expect(await network()).toBe('onnx/model.onnx')
    renameSync(join(folder, 'onnx', 'model.onnx'), join(folder, 'model.onnx'))
    expect(await network()).toBe('model.onnx')
    rmSync(join(folder, 'model.onnx'))
    expect(await network()).toBe('onnx/model_quantized.onnx')
  })
})

describe('a folder without a usable model', () => {
  it('is told apart from a file and from nothing', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'model.onnx'), '')
    expect(await problemWith(join(folder, 'nowhere'))).toMatchObject({ code: 'names.no-folder' })
    expect((await problemWith(join(folder, 'model.onnx'))).message).toContain('is a file')
    expect(await modelIn(join(folder, 'nowhere'))).toBeNull()
  })

  it('is told what it lacks, and nothing else', async () => {
    const folder = modelFolder()
    rmSync(join(folder, 'tokenizer.json'))
    expect(await problemWith(folder)).toMatchObject({
      code: 'names.incomplete',
      message: expect.stringContaining(': tokenizer.json is missing.'),
    })
    expect((await problemWith(temporaryFolder())).message).toContain(
      'config.json, tokenizer.json, tokenizer_config.json and onnx/model.onnx are missing',
    )
    expect(await modelIn(folder)).toBeNull()
  })

  it('leads to the one beside it that was meant', async () => {
    const folder = modelFolder()
    mkdirSync(join(folder, '..', 'another'))
    expect((await problemWith(join(folder, '..'))).hint).toContain('Choose the folder tiny in it')
    expect((await problemWith(join(folder, 'onnx'))).hint).toContain('Choose the folder above it')
  })

  it('is told how a model in another form becomes one that can be read', async () => {
    const folder = modelFolder()
    rmSync(join(folder, 'onnx'), { recursive: true })
    expect((await problemWith(folder)).hint).not.toContain('Export it')
    writeFileSync(join(folder, 'model.safetensors'), '')
    expect((await problemWith(folder)).hint).toContain('Export it to ONNX')
  })

  it('is refused when it labels no persons, with the labels that it has', async () => {
    const folder = modelFolder(['O', 'B-DISEASE', 'I-DISEASE', 'B-DRUG'])
    expect(await problemWith(folder)).toMatchObject({
      code: 'names.no-persons',
      message: expect.stringContaining('it gives DISEASE and DRUG'),
    })
    expect(await modelIn(folder)).toBeNull()
  })

  it('is refused when its description cannot be read', async () => {
    const folder = modelFolder()
    writeFileSync(join(folder, 'config.json'), '{ "id2label"')
    expect(await problemWith(folder)).toMatchObject({ code: 'names.unreadable' })
    writeFileSync(join(folder, 'config.json'), '{}')
    expect((await problemWith(folder)).message).toContain('it names no labels')
  })

  it('is refused when the system does not let it be looked into', async () => {
    // A path that is too long fails for everybody; missing rights would not stop the superuser.
    expect(await problemWith(join(temporaryFolder(), 'x'.repeat(300)))).toMatchObject({ code: 'names.unreadable' })
  })
})
