import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { Cell, ExportPath } from '../contract/conversations.ts'
import { value } from '../conversations/testing.ts'
import { openEngine } from '../engine/engine.ts'
import { temporaryFolder } from '../storage/testing.ts'

/** The limit of 50,000 characters lies inside of an address, whichever stream is read first; the error stands behind. */
const code = `import sys
print("mail to " + "wxyz.doe@bank.ie," * 2000)
print("wxyz.doe@bank.ie," * 2000, file=sys.stderr)
raise ValueError("wxyz.doe@bank.ie," * 500)`

it('no half of a private value stands where what was printed is cut, in no export and not on the record', async () => {
  const home = temporaryFolder()
  writeFileSync(join(home, 'config.json'), JSON.stringify({ privacy: { export: 'enforce' } }))
  const engine = await openEngine({ home, env: {}, pool: 0 })
  onTestFinished(() => engine.close())
  const { caller, conversations, runs } = engine
  const { main: path } = value(await conversations.create(caller, { title: 'Cut' })).conversation
  const items = [{ kind: 'cell', author: 'analyst', language: 'python', text: code }] as const
  const [cell] = value(await conversations.insert(caller, { path, items: [...items] })) as [Cell]
  const started = value(await runs.start(caller, { path, cell: cell.id, revision: cell.revision }))
  const { outcome } = await started.rest
  expect(outcome).toMatchObject({ truncated: true, error: { name: 'ValueError' } })
  expect(outcome?.stdout).toContain('wxyz.doe@bank.ie')
  expect(outcome?.stdout.length).toBeGreaterThan(30_000)
  for (const format of ['ipynb', 'markdown', 'html'] satisfies ExportPath['format'][]) {
    const { text } = value(await conversations.export(caller, { path, format, branches: false }))
    expect(text, format).toContain('EMAIL')
    expect(text, format).not.toContain('wxy')
  }
  const [entry] = (await engine.audit.query({ filter: { actions: ['run.finished'] } })).items
  const { bodies } = value(await engine.audit.entry(entry?.entry.seq ?? 0))
  expect(bodies.stderr).toContain('EMAIL')
  expect(JSON.stringify(bodies)).not.toContain('wxy')
})
