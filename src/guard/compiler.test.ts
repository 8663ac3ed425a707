import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Language } from '../contract/run.ts'
import { rejection } from './compiler.ts'
import { createGuard } from './guard.ts'
import { inspectCode } from './inspect.ts'

const python = execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).trim()

const minor = Number(execFileSync(python, ['-c', 'import sys; print(sys.version_info.minor)'], { encoding: 'utf8' }))

describe('the compiler of a language', () => {
  it.each<[Language, string, number | null]>([
    ['python', 'f(:, 1)', 1],
    ['python', 'x = 1\nif x:\nprint(x)', 3],
    ['python', "a = 1\r\ns = 'abc", 2],
    ['python', '%cd data\n!ls\nf(:, 1)', 3],
    ['javascript', 'const a = 1\nf(:, 1)', 2],
    ['javascript', "let s = 'abc", 1],
    ['typescript', 'const a = 1\nf(:, 1)', 2],
    ['typescript', 'const a: number = ;', 1],
  ])('rejects a mistake in %s: %j', async (language, code, line) => {
    const rejected = await rejection(code, language, python, true)
    expect(rejected?.message).toMatch(/Error: \S/)
    expect(rejected?.line).toBe(line)
  })

  it.each<[Language, string]>([
    ['python', 'x = 1'],
    ['python', 'await f()'],
    ['python', '%timeit f(1)\nx = !ls\ndf?'],
    ['python', '>>> if a:\n...     f(1)\n>>> x'],
    ['python', '    x = 1\n    f(x)'],
    ['javascript', 'with (a) {}'],
    ['javascript', 'import x from "y"\nawait x()'],
    ['typescript', 'enum A { B }\nconst c: A = A.B'],
    ['bash', 'if'],
  ])('has nothing against %s: %j', async (language, code) => {
    expect(await rejection(code, language, python, true)).toBeNull()
  })

  it('runs nothing of what it is asked about', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'compiler-'))
    const file = join(folder, 'ran')
    try {
      await rejection(`open(${JSON.stringify(file)}, 'w')\nf(:, 1)`, 'python', python, true)
      await rejection(`open(${JSON.stringify(file)}, 'w')`, 'python', python, true)
      const script = `require('node:fs').writeFileSync(${JSON.stringify(file)}, '')`
      await rejection(`}); ${script}; (() => {`, 'javascript', python, true)
      await rejection(`${script}\nf(:`, 'typescript', python, true)
      expect(existsSync(file)).toBe(false)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('that is not there, or is worn out, says nothing', async () => {
    expect(await rejection('f(:, 1)', 'python', null, true)).toBeNull()
    expect(await rejection('f(:, 1)', 'python', '/nowhere/python3', true)).toBeNull()
    expect(await rejection('f(:, 1)', 'python', '/bin/false', true)).toBeNull()
    expect(await rejection('f(:, 1)', 'python', '/bin/echo', true)).toBeNull()
    expect(await rejection(`x = ${'-'.repeat(900_000)}1`, 'python', python, true)).toBeNull()
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

  it.each<[Language, string, number, unknown]>([
    ['python', 'import os\n  os.remove("x")', 2, 'IndentationError: unexpected indent'],
    ['python', 'import os\nos.remove("x")\nreturn', 3, "SyntaxError: 'return' outside function"],
    ['python', 'import os\ndef f(x):\n  global x\n  os.remove(x)', 3, "SyntaxError: name 'x' is parameter and global"],
    ['python', 'import os\nos.remove(a=1, "x")', 2, 'SyntaxError: positional argument follows keyword argument'],
    [
      'python',
      'import os\nos.remove("x")\nf() = 1',
      3,
      expect.stringMatching(/^SyntaxError: cannot assign to function call/),
    ],
    ['python', 'import os\nos.remove("x")\ndel f()', 3, 'SyntaxError: cannot delete function call'],
    ['javascript', "Deno.removeSync('x')\nconst a", 2, 'SyntaxError: Missing initializer in const declaration'],
  ])(
    'is a syntax error also where our reader took it, once somebody would be asked: %s %j',
    async (language, code, line, message) => {
      const { syntaxError, violations, risk } = await inspectCode(code, language, python)
      expect(risk).not.toBe('low')
      expect(syntaxError).toMatchObject({ line, message })
      expect(violations[0]).toMatchObject({ rule: 'surface/unparseable', line, message })
    },
  )

  it('may be newer than the Python that is asked: only mistakes in every version count then', async () => {
    const newer = 'import os\nos.remove("x")\ntry:\n  f()\nexcept KeyError, OSError:\n  pass'
    const knows = execFileSync(python, ['-c', 'import sys; print(sys.version_info >= (3, 14))'], { encoding: 'utf8' })
    expect((await rejection(newer, 'python', python, true)) === null).toBe(knows.trim() === 'True')
    expect(await rejection(newer, 'python', python, false)).toBeNull()
  })

  it.each([
    [12, 'type Pair = (int, int)\nf() = 1'],
    [12, 'def first[T](items: list[T]) -> T: ...\nf() = 1'],
    [12, 'name = f"{f"{1}"}"\nf() = 1'],
    [14, 'try: g()\nexcept (A), B: pass\nf() = 1'],
    [14, 'query = t"{name}"\nf() = 1'],
  ])('is wrong in every version only without what came with 3.%i: %j', async (since, code) => {
    expect((await rejection(code, 'python', python, false)) === null).toBe(minor < since)
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
      expect((await guard.inspect('x = 1\n  y = 2', 'python')).syntaxError).toBeUndefined()
      expect(asked).toBe(0)
      expect((await guard.inspect('f(:, 1)', 'python')).syntaxError?.line).toBe(1)
      expect((await guard.inspect('import os\n  os.remove("x")', 'python')).syntaxError?.line).toBe(2)
      expect(asked).toBe(2)
    } finally {
      await guard.close()
    }
  })
})
