import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Language } from '../contract/run.ts'
import { rejection } from './compiler.ts'
import { createGuard } from './guard.ts'
import { inspectCode } from './inspect.ts'

const python = execFileSync('sh', ['-c', 'command -v python3'], { encoding: 'utf8' }).trim()

describe('the compiler of a language', () => {
  it.each<[Language, string, number | null]>([
    ['python', 'f(:, 1)', 1],
    ['python', 'x = 1\nif x:\nprint(x)', 3],
    ['python', "a = 1\r\ns = 'abc", 2],
    ['python', '%cd data\n!ls\nf(:, 1)', 3],
    ['javascript', 'const a = 1\nf(:, 1)', 2],
    ['javascript', "let s = 'abc", 1],
    ['typescript', 'f(:, 1)', null],
    ['typescript', 'const a: number = ;', null],
  ])('rejects a mistake in %s: %j', async (language, code, line) => {
    const rejected = await rejection(code, language, python)
    expect(rejected?.message).toMatch(/Error: \S/)
    expect(rejected?.line).toBe(line)
  })

  it.each<[Language, string]>([
    ['python', 'x = 1'],
    ['python', 'await f()'],
    ['python', '%timeit f(1)\nx = !ls\ndf?'],
    ['javascript', 'with (a) {}'],
    ['javascript', 'import x from "y"\nawait x()'],
    ['typescript', 'enum A { B }\nconst c: A = A.B'],
    ['bash', 'if'],
  ])('has nothing against %s: %j', async (language, code) => {
    expect(await rejection(code, language, python)).toBeNull()
  })

  it('runs nothing of what it is asked about', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'compiler-'))
    const file = join(folder, 'ran')
    try {
      await rejection(`open(${JSON.stringify(file)}, 'w')\nf(:, 1)`, 'python', python)
      await rejection(`open(${JSON.stringify(file)}, 'w')`, 'python', python)
      const script = `require('node:fs').writeFileSync(${JSON.stringify(file)}, '')`
      await rejection(`}); ${script}; (() => {`, 'javascript', python)
      await rejection(`${script}\nf(:`, 'typescript', python)
      expect(existsSync(file)).toBe(false)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('that is not there, or is worn out, says nothing', async () => {
    expect(await rejection('f(:, 1)', 'python', null)).toBeNull()
    expect(await rejection('f(:, 1)', 'python', '/nowhere/python3')).toBeNull()
    expect(await rejection('f(:, 1)', 'python', '/bin/false')).toBeNull()
    expect(await rejection('f(:, 1)', 'python', '/bin/echo')).toBeNull()
    expect(await rejection(`x = ${'-'.repeat(900_000)}1`, 'python', python)).toBeNull()
  })
})

describe('a text that the compiler rejects', () => {
  it('is a syntax error on its line', async () => {
    const { syntaxError, violations, complete } = await inspectCode('a = 1\nf(:, 1)', 'python', python)
    expect(complete).toBe(false)
    expect(syntaxError).toMatchObject({ line: 2, message: 'SyntaxError: invalid syntax' })
    expect(violations[0]).toMatchObject({ rule: 'surface/unparseable', line: 2, message: syntaxError?.message })
  })

  it('is only unread when nobody can ask the compiler', async () => {
    expect(await inspectCode('f(:, 1)', 'python')).toMatchObject({ complete: false, risk: 'medium' })
    expect((await inspectCode('f(:, 1)', 'python')).syntaxError).toBeUndefined()
  })

  it('never is a shell script, which runs line by line', async () => {
    const { syntaxError, complete } = await inspectCode('rm -rf /data\nif', 'bash', python)
    expect(syntaxError).toBeUndefined()
    expect(complete).toBe(false)
  })

  it('is asked about only where it is needed', async () => {
    let asked = 0
    const interpreter = async () => {
      asked++
      return python
    }
    const guard = createGuard({ python: interpreter })
    try {
      expect((await guard.inspect('x = 1', 'python')).syntaxError).toBeUndefined()
      expect(asked).toBe(0)
      expect((await guard.inspect('f(:, 1)', 'python')).syntaxError?.line).toBe(1)
      expect(asked).toBe(1)
    } finally {
      await guard.close()
    }
  })
})
