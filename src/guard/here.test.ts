import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { nothingKnown } from './dependencies.ts'
import type { Guard } from './guard.ts'
import { readingHere } from './here.ts'
import { inspectProgram } from './inspect.ts'

const answer = inspectProgram('ls', 'bash')

/** Notes what it is asked. */
function thread(): Guard & { readonly asked: string[] } {
  const asked: string[] = []
  return {
    asked,
    inspect: async code => {
      asked.push(code)
      return answer
    },
    dependencies: async () => nothingKnown,
    close: async () => {},
  }
}

describe('reading without a thread', () => {
  it('gives the answer itself where a program can be read to its end', async () => {
    const guard = thread()
    const here = readingHere(guard)
    expect(await here.inspect('rm -rf /', 'bash')).toEqual(inspectProgram('rm -rf /', 'bash'))
    expect(await here.inspect('import socket\n', 'python')).toEqual(inspectProgram('import socket\n', 'python'))
    expect(guard.asked).toEqual([])
  })

  it('asks the compiler about what somebody may be asked about, as the thread does', async () => {
    const guard = thread()
    const python = execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).trim()
    const here = readingHere(guard, { python: async () => python })
    expect(await here.inspect('import os\nos.remove("x")\nreturn', 'python')).toMatchObject({
      syntaxError: { line: 3 },
    })
    expect((await here.inspect('x = 1\nreturn', 'python')).syntaxError).toBeUndefined()
    expect(guard.asked).toEqual([])
  })

  it('leaves long texts, broken ones and those that need a grammar to the thread', async () => {
    const guard = thread()
    const here = readingHere(guard)
    const left = [`#${' '.repeat(70_000)}\n`, 'if then (', 'x = <div/>']
    await here.inspect(left[0] ?? '', 'bash')
    await here.inspect(left[1] ?? '', 'bash')
    expect(await here.inspect(left[2] ?? '', 'typescript')).toBe(answer)
    expect(guard.asked).toEqual(left)
  })

  it('leaves everything to the thread once something had to be stopped', async () => {
    const guard = thread()
    const here = readingHere(guard, { timeLimitMs: 1 })
    const slow = 'for x in a b c d e f g h; do echo "$x" | sed s/a/b/ > "$x"; done\n'.repeat(800)
    await here.inspect(slow, 'bash')
    await here.inspect('ls', 'bash')
    expect(guard.asked).toEqual([slow, 'ls'])
  })

  it('is not begun after an interrupt', async () => {
    const guard = thread()
    await expect(readingHere(guard).inspect('ls', 'bash', AbortSignal.abort())).rejects.toThrow()
    expect(guard.asked).toEqual([])
  })
})
