import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { afterAll, describe, expect, it } from 'vitest'
import { Impact } from '../../../contract/inspection.ts'
import { exit, UsageError } from '../command.ts'
import { command as rules } from './rules.ts'
import { command } from './validate.ts'

const folder = mkdtempSync(join(tmpdir(), 'validate-'))
afterAll(() => rmSync(folder, { recursive: true }))
writeFileSync(join(folder, 'safe.py'), "import pandas as pd\nprint(pd.read_csv('a.csv').mean())\n")
writeFileSync(join(folder, 'tool'), '#!/usr/bin/env python3\nimport shutil\nshutil.rmtree("/home")\n')
writeFileSync(join(folder, 'broken.py'), Buffer.from([0x78, 0x20, 0x3d, 0x20, 0x22, 0xff, 0xfe, 0x22]))

async function run(positionals: string[], values: Record<string, string | boolean> = {}, input = '') {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const io = {
    stdin: Readable.from([Buffer.from(input)]),
    stdout,
    stderr,
    env: {},
    cwd: folder,
    signal: new AbortController().signal,
  }
  const code = await command.run({ positionals, values }, io)
  return { code, text: String(stdout.read() ?? ''), err: String(stderr.read() ?? '') }
}

describe('countersign validate', () => {
  it('passes a safe file', async () => {
    const { code, text } = await run(['safe.py'])
    expect(code).toBe(exit.success)
    expect(text).toContain('safe.py: low, nothing found')
    expect(text).toMatch(/reads +a\.csv \[2\]/)
  })

  it('shows the line, carets under it, and what to do; the language is read from the first line', async () => {
    const { code, text } = await run(['tool'])
    expect(code).toBe(exit.failed)
    expect(text).toContain('CRITICAL Deletes files of the system or of the person.')
    expect(text).toContain('     3 | shutil.rmtree("/home")\n       | ^^^^^^^^^^^^^^^^^^^^^^')
  })

  it('shows the line that the guard means, also after a lone carriage return', async () => {
    writeFileSync(join(folder, 'return.py'), 'import shutil\rshutil.rmtree("/home")\n')
    expect((await run(['return.py'])).text).toContain('     2 | shutil.rmtree("/home")\n')
  })

  it('prints one document with --json, an array for several files', async () => {
    const one = JSON.parse((await run(['tool'], { json: true })).text)
    expect(one).toMatchObject({ id: 'tool', language: 'python', risk: 'critical', complexity: 1 })
    expect(one.violations[0]).toMatchObject({
      rule: 'files/deletion',
      type: 'deletion',
      severity: 'critical',
      line: 3,
      column: 1,
    })
    expect(() => Impact.parse(one.impact)).not.toThrow()
    expect(JSON.parse((await run(['tool', 'safe.py'], { json: true })).text)).toHaveLength(2)
  })

  it('reads standard input', async () => {
    expect((await run(['-'], { language: 'bash' }, 'echo hello')).code).toBe(exit.success)
  })

  it('answers each line in order with its id, also the lines that make no sense', async () => {
    const rows = [
      JSON.stringify({ id: 1, code: 'print(1)', language: 'python' }),
      'no json',
      JSON.stringify({ id: 'b', code: 'eval(x)', language: 'js' }),
      JSON.stringify({ id: 'c', code: 'x', language: 'cobol' }),
      JSON.stringify({ id: 'd', language: 'python' }),
    ]
    const { code, text } = await run([], { jsonl: '-' }, `${rows.join('\n')}\n`)
    const answers = text
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    expect(code).toBe(exit.failed)
    expect(answers.map(({ id }) => id)).toEqual([1, null, 'b', 'c', 'd'])
    expect(answers.map(({ risk, error }) => risk ?? error.code)).toEqual([
      'low',
      'request.invalid',
      'high',
      'request.invalid',
      'request.invalid',
    ])
  })

  it('takes the names that sets of programs use, and tells a language that is not named', async () => {
    const rows = [
      { id: 1, source: 'import os\nos.remove("/etc/passwd")', lang: 'PY' },
      { id: 2, content: 'rm -rf /srv', language: 'Shell' },
      { id: 3, code: 'const fs = require("fs");\nfs.rmSync("/srv", { recursive: true });' },
      { id: 4, code: 'import os\nfor name in os.listdir("."):\n    print(name)', language: null },
      { id: 5, code: 'set -e\necho "$HOME" | wc -c' },
      { id: 6, code: 'print("a\u2028b")', language: 'python' },
      { id: 7, code: "df.groupby('desk').sum()\ndf.head(3)" },
      { id: 8, code: 'cat <<EOF > book.ini\n[main]\ndebug = false\nEOF' },
      { id: 9, code: "node -e 'console.log([1, 2].map(x => x * 2))'" },
      { id: 10, code: 'const rate = (days: number): number => days / 360;\nconsole.log(rate(30));' },
      { id: 11, code: 'x = (1\nimport os' },
    ]
    const { text } = await run([], { jsonl: '-', limit: '60000' }, rows.map(row => JSON.stringify(row)).join('\n'))
    const answers = text
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    expect(answers.map(({ id, risk }) => [id, risk])).toEqual([
      [1, 'critical'],
      [2, 'critical'],
      [3, 'critical'],
      [4, 'low'],
      [5, 'low'],
      [6, 'low'],
      [7, 'low'],
      [8, 'low'],
      [9, 'low'],
      [10, 'low'],
      [11, 'medium'],
    ])
  })

  it('does not pass bytes that are no text', async () => {
    expect((await run(['broken.py'])).code).toBe(exit.failed)
  })

  it('answers about the files that can be read, and says which cannot', async () => {
    const { code, text, err } = await run(['safe.py', 'nowhere.py', 'tool'])
    expect(code).toBe(exit.usage)
    expect(text).toContain('safe.py: low')
    expect(text).toContain('tool: critical')
    expect(err).toContain("'nowhere.py' cannot be read")
    const answers = JSON.parse((await run(['nowhere.py', 'safe.py'], { json: true })).text)
    expect(answers).toMatchObject([
      { id: 'nowhere.py', error: { code: 'request.invalid' } },
      { id: 'safe.py', risk: 'low' },
    ])
  })

  it('reads lines that begin with a byte order mark', async () => {
    const row = JSON.stringify({ id: 1, code: 'print(1)', language: 'python' })
    expect(JSON.parse((await run([], { jsonl: '-' }, `\ufeff${row}\n`)).text)).toMatchObject({ id: 1, risk: 'low' })
  })

  it('says what it needs', async () => {
    await expect(run([], { jsonl: 'nowhere.jsonl' })).rejects.toThrow(/'nowhere.jsonl' cannot be read/)
    await expect(run([], { jsonl: '.' })).rejects.toThrow(/it is a folder/)
    await expect(run(['safe.py'], { jsonl: '-' })).rejects.toThrow(/not both/)
    await expect(run([])).rejects.toThrow(UsageError)
    await expect(run(['nowhere.py'])).rejects.toThrow(/cannot be read/)
    await expect(run(['-'], {}, 'x')).rejects.toThrow(/--language/)
    await expect(run(['safe.py'], { language: 'cobol' })).rejects.toThrow(/cobol/)
    await expect(run(['safe.py'], { limit: 'soon' })).rejects.toThrow(/milliseconds/)
  })
})

describe('countersign rules', () => {
  it('lists them for people and for programs', async () => {
    const list = async (values: Record<string, boolean>) => {
      const stdout = new PassThrough()
      await rules.run(
        { positionals: [], values },
        {
          stdin: Readable.from([]),
          stdout,
          stderr: stdout,
          env: {},
          cwd: folder,
          signal: new AbortController().signal,
        },
      )
      return String(stdout.read())
    }
    expect(await list({})).toContain('files/deletion')
    const listed = JSON.parse(await list({ json: true }))
    expect(listed.length).toBeGreaterThanOrEqual(120)
    expect(listed.find(({ id }: { id: string }) => id === 'files/deletion').examples.bad[0]).toEqual({
      language: expect.stringMatching(/^(python|javascript|typescript|bash)$/),
      code: expect.any(String),
    })
    expect(await list({ markdown: true })).toContain('### files/deletion')
  })
})
