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
  it('runs the cells in order in one sandbox, goes on after one that fails where that is asked for, and writes the outputs', async () => {
    const cwd = folder()
    writeFileSync(
      join(cwd, 'calc.ipynb'),
      notebook(
        { cell_type: 'markdown', metadata: {}, source: '# Capital, by jane.doe@alderbank.co.uk' },
        code('%time x = 20'),
        code('1 / 0'),
        code(''),
        code('print(x + 1)\nx * 2'),
        code(
          'from IPython.display import *\nprint("gone")\nclear_output(wait=True)\nh = display(1, display_id=True)\nh.update(2)',
        ),
      ),
    )
    const values = { json: true, out: 'out.ipynb', sandbox: 'local', 'keep-going': true }
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
      'finished true',
    ])
    expect(cells[2].error).toMatchObject({ name: 'ZeroDivisionError', message: 'division by zero' })
    const file = readFileSync(join(cwd, 'out.ipynb'), 'utf8')
    expect(file).not.toContain('jane.doe@alderbank.co.uk')
    const written = JSON.parse(file)
    expect(
      written.cells.map((each: { outputs?: { output_type: string }[] }) => each.outputs?.map(o => o.output_type)),
    ).toEqual([undefined, ['stream'], ['error'], [], ['stream', 'execute_result'], ['display_data']])
    expect(written.cells[4].outputs).toMatchObject([{ text: ['21\n'] }, { data: { 'text/plain': ['40'] } }])
    expect(written.cells[5].outputs).toEqual([
      { output_type: 'display_data', data: { 'text/plain': ['2'] }, metadata: {} },
    ])
    expect(written.cells[4].metadata.countersign.run.stale).toBe(false)
  })

  it('is given the files that it reads', async () => {
    const cwd = folder()
    writeFileSync(join(cwd, 'calc.ipynb'), notebook(code('print(open("rates.csv").read())')))
    writeFileSync(join(cwd, 'rates.csv'), 'rate\n0.25')
    const run = (given: string) => {
      const { io, out } = ioFor('', cwd)
      const values = { json: true, sandbox: 'local', with: [given] }
      return command.run({ values, positionals: ['calc.ipynb'] }, io).then(() => Buffer.concat(out).toString())
    }
    expect(JSON.parse(await run('rates.csv')).cells[0].outputs).toMatchObject([{ text: 'rate\n0.25\n' }])
    await expect(run('nowhere.csv')).rejects.toThrow(/cannot read .*nowhere\.csv/)
  })

  it('stops at the first cell that fails, and says how many were not run', async () => {
    const cwd = folder()
    writeFileSync(join(cwd, 'stops.ipynb'), notebook(code('1'), code('1 / 0'), code(''), code('2'), code('3')))
    const { code: exit, err } = await call(command, { sandbox: 'local' }, ['stops.ipynb'], '', cwd)
    expect(exit).toBe(1)
    expect(err).toContain('1 of 2 cells ran without an error. 2 cells below were not run; --keep-going runs them.')
    const { out } = await call(command, { sandbox: 'local', json: true }, ['stops.ipynb'], '', cwd)
    expect(JSON.parse(out).cells.map((each: { state: string }) => each.state)).toEqual([
      'finished',
      'finished',
      'skipped',
      'not-run',
      'not-run',
    ])
  })

  it('says what is wrong with a file that is no notebook, and that --out is for notebooks', async () => {
    const cwd = folder()
    writeFileSync(join(cwd, 'bad.ipynb'), '[]')
    const { code: exit, err } = await call(command, {}, ['bad.ipynb'], '', cwd)
    expect([exit, err]).toEqual([2, expect.stringContaining('JSON object')])
    await expect(call(command, { out: 'x' }, ['calc.py'], '', cwd)).rejects.toThrow('--out')
  })
})
