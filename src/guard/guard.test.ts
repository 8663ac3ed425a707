import { getEventListeners } from 'node:events'
import { afterAll, describe, expect, it } from 'vitest'
import { ManualClock } from '../clock.testing.ts'
import { Inspection } from '../contract/inspection.ts'
import { type Language, languages } from '../contract/run.ts'
import { createGuard } from './guard.ts'

const guard = createGuard({ timeLimitMs: 20_000 })
afterAll(() => guard.close())

describe('the guard', () => {
  it('answers in the shape of the contract', async () => {
    const inspection = await guard.inspect("import os\nos.remove('a.csv')", 'python')
    expect(Inspection.parse(inspection)).toEqual(inspection)
    expect(inspection.risk).toBe('medium')
    expect(inspection.violations[0]).toMatchObject({ rule: 'files/deletion', line: 2, column: 1, cwe: 'CWE-73' })
    expect(inspection.impact.filesDeleted).toEqual([{ target: 'a.csv', expression: "os.remove('a.csv')", lines: [2] }])
    expect(inspection.imports).toEqual(['os'])
  })

  it('answers many questions at once, each with its own answer', async () => {
    const answers = await Promise.all(['1', 'eval(x)', '2'].map(code => guard.inspect(code, 'python')))
    expect(answers.map(({ risk }) => risk)).toEqual(['low', 'high', 'low'])
  })

  it('answers a program that is read at once while the one before it waits for its grammar', async () => {
    const guard = createGuard({ timeLimitMs: 60_000 })
    const asked = [
      guard.inspect('const = = 1', 'typescript'),
      guard.inspect('echo hello', 'bash'),
      guard.inspect('def = = 1', 'python'),
      guard.inspect('echo again', 'bash'),
    ]
    expect((await Promise.all(asked)).map(({ risk }) => risk)).toEqual(['medium', 'low', 'medium', 'low'])
    await guard.close()
  })

  it('raises the level of code that cannot be read in time, and reads the next program', async () => {
    const clock = new ManualClock()
    const hurried = createGuard({ timeLimitMs: 50, clock })
    await hurried.inspect('1', 'python') // the time in which a thread starts is nobody's
    const slow = hurried.inspect('x = [1]\n'.repeat(30_000), 'python')
    clock.advance(51)
    const late = await slow
    expect(late).toMatchObject({ risk: 'high', complete: false })
    expect(late.violations[0]?.rule).toBe('surface/time-limit')
    expect((await hurried.inspect('1 + 1', 'python')).risk).toBe('low')
    await hurried.close()
  })

  it('blames only the program at hand: those handed over with it are read by the next thread', async () => {
    const clock = new ManualClock()
    const hurried = createGuard({ timeLimitMs: 50, clock })
    await hurried.inspect('1', 'python') // the time in which a thread starts is nobody's
    const asked = ['x = [1]\n'.repeat(30_000), '1 + 1', 'eval(x)'].map(code => hurried.inspect(code, 'python'))
    clock.advance(51)
    const answers = await Promise.all(asked)
    expect(answers.map(({ risk, complete }) => [risk, complete])).toEqual([
      ['high', false],
      ['low', true],
      ['high', true],
    ])
    await hurried.close()
  })

  it('does not look at a text of more than a million characters, and says so', async () => {
    const { risk, violations } = await guard.inspect('#'.repeat(1024 * 1024 + 1), 'python')
    expect(risk).toBe('high')
    expect(violations[0]?.rule).toBe('surface/size')
  })

  it('refuses questions once it is closed', async () => {
    const closed = createGuard()
    await closed.close()
    await expect(closed.inspect('1', 'python')).rejects.toThrow('closed')
  })

  it('hangs nothing on a signal beyond the answer', async () => {
    const { signal } = new AbortController()
    await Promise.all(['1', '2', '3'].map(code => guard.inspect(code, 'python', signal)))
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  it('gives up a question that is taken back', async () => {
    const controller = new AbortController()
    controller.abort(new Error('changed my mind'))
    await expect(guard.inspect('1', 'python', controller.signal)).rejects.toThrow('changed my mind')
  })
})

describe('bad input', () => {
  const unreadable: readonly (readonly [string, string, readonly Language[]])[] = [
    ['10,000 nested brackets', '['.repeat(10_000) + ']'.repeat(10_000), ['python', 'javascript', 'typescript']],
    ['10,000 open brackets', '('.repeat(10_000), ['python', 'javascript', 'typescript', 'bash']],
    ['10,000 nested calls', 'f('.repeat(10_000) + ')'.repeat(10_000), ['python', 'javascript', 'typescript']],
    ['bytes that are no text', '\ufffd\ufffd\0\0', languages],
    [
      'noise',
      Array.from({ length: 5_000 }, (_, at) => String.fromCharCode(33 + ((at * 7919) % 90))).join(''),
      languages,
    ],
    ['Python labelled as shell', "import os\n\ndef go():\n    os.remove('a')\n", ['bash']],
    ['shell labelled as Python', 'for f in *; do rm "$f"; done', ['python']],
    ['Python labelled as JavaScript', "def f():\n    import os\n    os.remove('a')", ['javascript']],
    ['JavaScript labelled as Python', "const fs = require('fs'); fs.rmSync('a')", ['python', 'bash']],
  ]
  it.each(unreadable.flatMap(([what, code, which]) => which.map(language => [what, language, code] as const)))(
    '%s, as %s, is never low',
    async (_, language, code) => {
      expect((await guard.inspect(code, language)).risk).not.toBe('low')
    },
  )

  it('finds nothing in an empty program', async () => {
    for (const language of languages) expect((await guard.inspect('', language)).risk).toBe('low')
  })

  it('reads 100 KB of ordinary code', async () => {
    const code = 'total = price * 1.23 + fee\n'.repeat(3_700)
    expect(await guard.inspect(code, 'python')).toMatchObject({ risk: 'low', complete: true })
  })

  it('follows a sum of thousands of texts, which is as deep as it is long', async () => {
    const code = `import os\ncmd = ${[...'rm -rf /', ...' '.repeat(3_000)].map(letter => JSON.stringify(letter)).join(' + ')}\nos.system(cmd.strip())`
    expect((await guard.inspect(code, 'python')).impact.commands[0]?.target).toBe('rm -rf /')
  })
})
