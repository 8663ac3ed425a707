import { describe, expect, it } from 'vitest'
import { inspectCode } from './inspect.ts'

const deletions = async (code: string) => {
  const { risk, impact } = await inspectCode(code, 'bash')
  return { risk, reversible: impact.reversible, deleted: impact.filesDeleted.map(({ target }) => target) }
}

describe('a name that only the run chooses', () => {
  it.each([
    'd=$(mktemp -d); rm -rf "$d"',
    'd=$(mktemp -d work.XXXXXX); rm -rf "$d/a"',
    'd=/tmp/job.$$; mkdir "$d"; rm -rf "$d"',
    'd=build.$RANDOM; mkdir $d; rm -rf ./$d',
  ])('is nobody else’s: %s', async code => {
    expect(await deletions(code)).toMatchObject({ risk: 'low' })
  })

  it('is shown as mktemp writes it', async () => {
    expect((await deletions('rm -rf "$(mktemp -d)"')).deleted).toEqual(['/tmp/tmp.XXXXXX'])
  })

  it.each([
    ['mkdir XXX; rm -rf XXX/../reports', 'reports'],
    ['rm -rf XXXXXXXXXX/reports', 'XXXXXXXXXX/reports'],
    ['rm -rf /data/tmp.XXXXXXXXXX', '/data/tmp.XXXXXXXXXX'],
    ['d=$(mktemp -d work.XXXX); rm -rf "$d/../reports"', 'reports'],
  ])('is not what a script calls so, nor what lies beside it: %s', async (code, target) => {
    const { risk, reversible, deleted } = await deletions(code)
    expect(deleted).toEqual([target])
    expect(reversible).toBe('no')
    expect(risk).not.toBe('low')
  })
})
