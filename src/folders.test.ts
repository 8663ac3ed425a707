import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { listFolders } from './folders.ts'
import { writeTinyModel } from './privacy/names/tiny-model.testing.ts'
import { temporaryFolder } from './storage/testing.ts'

async function listed(folder: string, hidden = false) {
  const page = await listFolders(folder, hidden)
  if (!page.ok) throw new Error(page.problem.message)
  return page.value
}

it('lists folders and nothing else, as people sort them, and marks those with a usable model', async () => {
  const folder = temporaryFolder()
  for (const name of ['model 10', 'Model 9', '.hidden', 'half']) mkdirSync(join(folder, name))
  writeFileSync(join(folder, 'a file'), '')
  writeFileSync(join(folder, 'half', 'config.json'), '{}')
  writeTinyModel(join(folder, 'tiny'))
  writeTinyModel(join(folder, 'other'), { labels: ['O', 'B-DRUG', 'I-DRUG', 'B-DOSE'] })
  symlinkSync(join(folder, 'tiny'), join(folder, 'link'))
  const page = await listed(folder)
  expect(page.folders.map(({ name, hasModel }) => (hasModel ? `${name} *` : name))).toEqual([
    'half',
    'link *',
    'Model 9',
    'model 10',
    'other',
    'tiny *',
  ])
  expect(page).toMatchObject({ path: folder, left: 0, model: null })
  expect((await listed(folder, true)).folders.map(({ name }) => name)).toContain('.hidden')
  expect((await listed(join(folder, 'tiny'))).model?.labels.map(({ label }) => label)).toEqual(['PER', 'LOC', 'ORG'])
})

it('leads from the root to where it is', async () => {
  const folder = temporaryFolder()
  const { above } = await listed(join(folder, '.', 'x', '..'))
  expect(above[0]).toEqual({ name: '/', path: '/' })
  expect(above.at(-1)).toMatchObject({ path: folder })
  expect(above.at(-2)?.path).toBe(join(folder, '..'))
  expect((await listed('')).path).toBe(homedir())
})

it('says how many it left out of a very long list', async () => {
  const folder = temporaryFolder()
  for (let at = 0; at < 503; at++) mkdirSync(join(folder, `folder ${at}`))
  const page = await listed(folder)
  expect([page.folders.length, page.left]).toEqual([500, 3])
  expect(page.folders[2]?.name).toBe('folder 2')
})

it('says what is wrong with a folder that cannot be opened', async () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'file'), '')
  for (const name of ['nowhere', 'file'])
    expect(await listFolders(join(folder, name), false)).toMatchObject({ ok: false, problem: { code: 'not-found' } })
})
