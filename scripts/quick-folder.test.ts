import { existsSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../src/storage/testing.ts'
import { quickFolder } from './quick-folder.mjs'

describe('a folder in memory for tests', () => {
  it('can be entered by others, and is gone when it is removed', () => {
    const made = quickFolder(temporaryFolder())
    // A machine with little memory has none.
    if (!made) return
    expect(statSync(made.folder).mode & 0o777).toBe(0o755)
    made.remove()
    expect(existsSync(made.folder)).toBe(false)
  })

  it('is not there where there is no place for it', () => {
    expect(quickFolder(join(temporaryFolder(), 'nowhere'))).toBeNull()
  })

  it('takes away what a run that was killed has left, and nothing else', () => {
    const parent = temporaryFolder()
    // Larger than any number that a system gives out.
    const [left, alive, foreign] = ['countersign-test-99999999', `countersign-test-${process.ppid}`, 'other']
    for (const name of [left, alive, foreign]) mkdirSync(join(parent, name, 'in'), { recursive: true })
    quickFolder(parent)?.remove()
    expect([left, alive, foreign].map(name => existsSync(join(parent, name)))).toEqual([false, true, true])
  })
})
