import { describe, expect, it } from 'vitest'
import { fail, type Outcome } from '../contract/problem.ts'
import { analyst, harness, must, newPath, runOf, settle } from './testing.ts'

const text = (value: string) => Buffer.from(value)

/** A path whose sandbox is open, and a file that something beside it changed there. */
async function changedBeside() {
  const kit = await harness()
  const path = newPath()
  must(await kit.run(path, 'set a 1'))
  const { files } = kit
  const file = await files.add('report.txt', text('whole'))
  const changes = { written: [file], removed: [] }
  await files.change(path, changes)
  return { ...kit, path, changes }
}

describe('what was changed on a path beside its open sandbox', () => {
  it('does not change the path once more on its way there, whatever happens on the way', async () => {
    const { contexts, local, path, files, changes } = await changedBeside()
    const before = await files.head(path)
    const { write } = local.last.files
    local.last.files.write = async (name, bytes, options) => {
      // As it would be found if the application were killed now.
      expect(await files.head(path)).toEqual(before)
      return write(name, bytes, options)
    }
    await contexts.bring(path, changes)
    expect(await files.head(path)).toEqual(before)
  })

  it('stays on the path where the disk of the sandbox is full, and the next run says what it lacks', async () => {
    const { contexts, local, path, files, changes } = await changedBeside()
    const write = async (): Promise<Outcome<undefined>> => fail('storage.full', 'The disk is full.', '')
    Object.assign(local.last.files, { write })
    await contexts.bring(path, changes)
    expect((await files.head(path)).map(({ path: name }) => name)).toEqual(['report.txt'])
    const outcome = must(await contexts.run(runOf(path, 'get a'), () => undefined, new AbortController().signal))
    expect(outcome.warnings.join()).toContain('report.txt')
  })

  it('is put there after the run under way, and nowhere where no sandbox is open', async () => {
    const { contexts, run, local, path, changes } = await changedBeside()
    const running = run(path, 'wait')
    const bringing = contexts.bring(path, changes)
    await settle()
    expect(local.last.filesNow.size).toBe(0)
    local.last.release()
    must(await running)
    await bringing
    expect(Buffer.from(local.last.filesNow.get('report.txt') ?? '').toString()).toBe('whole')
    await contexts.end(path, 'manual', analyst)
    await contexts.bring(path, changes)
    expect(local.opened).toHaveLength(1)
  })
})
