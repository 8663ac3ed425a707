import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { describeEnvironment } from './environments/describe.ts'
import { readSmallFile } from './small-file.ts'
import { temporaryFolder } from './storage/testing.ts'

it('reads a plain file up to its limit, and waits for nothing else', async () => {
  const folder = temporaryFolder()
  const at = (name: string) => join(folder, name)
  writeFileSync(at('small'), 'text')
  writeFileSync(at('empty'), '')
  symlinkSync(at('small'), at('link'))
  symlinkSync('/dev/zero', at('endless'))
  execFileSync('mkfifo', [at('pipe')])
  const read = async (name: string, most = 4) => (await readSmallFile(at(name), most))?.toString() ?? null
  expect([await read('small'), await read('link'), await read('empty')]).toEqual(['text', 'text', ''])
  expect([await read('small', 3), await read('endless'), await read('pipe'), await read('none')]).toEqual(
    Array(4).fill(null),
  )
  expect(await read('.')).toBeNull()
})

it('lets nobody hold up the search for environments by a pipe in the place of a file', async () => {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'bin'))
  writeFileSync(join(folder, 'bin', 'python'), '')
  execFileSync('mkfifo', [join(folder, 'pyvenv.cfg')])
  mkdirSync(join(folder, 'lib', 'python3.12', 'site-packages'), { recursive: true })
  mkdirSync(join(folder, 'include', 'python3.12'), { recursive: true })
  symlinkSync('/dev/zero', join(folder, 'include', 'python3.12', 'patchlevel.h'))
  expect(await describeEnvironment(folder)).toMatchObject({ kind: 'system', version: '3.12' })
})
