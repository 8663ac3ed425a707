import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { call, folder, ioFor } from './call.testing.ts'
import { command } from './run.ts'

const code = (source: string) => ({ cell_type: 'code', metadata: {}, execution_count: null, outputs: [], source })
const notebook = (...cells: object[]) =>
  JSON.stringify({
    nbformat: 4,
    nbformat_minor: 4,
    metadata: { kernelspec: { name: 'python3', language: 'python' } },
    cells,
  })

describe('countersign run notebook.ipynb', () => {
  it('runs the cells in order in one sandbox, goes on after one that fails, and writes the outputs', async () => {
    const cwd = folder()
    writeFileSync(
      join(cwd, 'calc.ipynb'),
      notebook(
        { cell_type: 'markdown', metadata: {}, source: '# Capital, by jane.doe@alderbank.co.uk' },
        code('%time x = 20'),
        code('1 / 0'),
        code(''),
        code('print(x + 1)\nx * 2'),
      ),
    )
    const values = { json: true, out: 'out.ipynb', sandbox: 'local' }
    const { io, out } = ioFor('', cwd)
    const env = { ...io.env, COUNTERSIGN_PRIVACY_EXPORT: 'enforce' }
    const exit = await command.run({ values, positionals: ['calc.ipynb'] }, { ...io, env })
    const { cells, success } = JSON.parse(Buffer.concat(out).toString())
    expect([exit, success]).toEqual([1, false])
    expect(cells.map((each: { state: string; success: boolean }) => `${each.state} ${each.success}`)).toEqual([
      'skipped false',
      'finished true',
      'finished false',
      'skipped false',
      'finished true',
    ])
    expect(cells[2].error).toMatchObject({ name: 'ZeroDivisionError', message: 'division by zero' })
    const file = readFileSync(join(cwd, 'out.ipynb'), 'utf8')
    expect(file).not.toContain('jane.doe@alderbank.co.uk')
    const written = JSON.parse(file)
    expect(
      written.cells.map((each: { outputs?: { output_type: string }[] }) => each.outputs?.map(o => o.output_type)),
    ).toEqual([undefined, ['stream'], ['error'], [], ['stream', 'execute_result']])
    expect(written.cells[4].outputs).toMatchObject([{ text: ['21\n'] }, { data: { 'text/plain': ['40'] } }])
    expect(written.cells[4].metadata.countersign.run.stale).toBe(false)
  }, 60_000)

  it('says what is wrong with a file that is no notebook, and that --out is for notebooks', async () => {
    const cwd = folder()
    writeFileSync(join(cwd, 'bad.ipynb'), '[]')
    const { code: exit, err } = await call(command, {}, ['bad.ipynb'], '', cwd)
    expect([exit, err]).toEqual([2, expect.stringContaining('JSON object')])
    await expect(call(command, { out: 'x' }, ['calc.py'], '', cwd)).rejects.toThrow('--out')
  })
})
