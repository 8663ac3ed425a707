import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../clock.ts'
import { Limits } from '../../contract/run.ts'
import { runIn, temporaryHome, testIds } from '../testing.ts'
import { removeTree } from './box.ts'
import { outsideFolders } from './jail.ts'
import { type LocalProvider, localProvider } from './local.ts'
import { claimFolder, listenerFolder } from './orphans.ts'
import { findPython } from './python.ts'

const never = new AbortController().signal
const usual = { limits: Limits.parse({}) }

describe('the interpreter', () => {
  it('is asked about itself once, whoever wants to know, and by one of its names', async () => {
    const { home, remove } = await temporaryHome()
    const [folder, other, told] = [join(home, 'bin'), join(home, 'other'), join(home, 'told')]
    mkdirSync(folder)
    symlinkSync(folder, other)
    writeFileSync(join(folder, 'python3'), `#!/bin/sh\necho asked >> '${told}'\nexec /usr/bin/python3 "$@"\n`)
    chmodSync(join(folder, 'python3'), 0o755)
    const found = await Promise.all([findPython('', `${folder}:${other}`), findPython('', `${folder}:${other}`)])
    expect(found[0]).toBe(found[1])
    expect(readFileSync(told, 'utf8')).toBe('asked\n')
    await remove()
  })
})

describe('the local provider', () => {
  let home: Awaited<ReturnType<typeof temporaryHome>>
  let provider: LocalProvider
  beforeAll(async () => {
    home = await temporaryHome()
    provider = localProvider({ home: home.home, clock: systemClock, ids: testIds, pool: { size: 1 } })
  })
  afterAll(async () => {
    await provider.close()
    await home.remove()
  })

  it.runIf(process.platform === 'linux')('makes a jail wherever bubblewrap can', async () => {
    execFileSync('bwrap', ['--unshare-all', '--ro-bind', '/', '/', 'true'])
    expect((await provider.probe()).isolation).toBe('jail')
  })

  it('hands out what waits in the pool, and never the same twice', async () => {
    await provider.warm('python')
    const first = await provider.open(usual, never)
    const second = await provider.open(usual, never)
    if (!first.ok || !second.ok) throw new Error('not opened')
    expect(first.value.id).not.toBe(second.value.id)
    await runIn(first.value, 'python', 'x = 1')
    expect((await runIn(second.value, 'python', 'x')).error).toMatchObject({ name: 'NameError' })
    await Promise.all([first.value.close('manual'), second.value.close('manual')])
  })

  it('counts the processor time of programs that a run starts', async () => {
    const opened = await provider.open(usual, never)
    if (!opened.ok) throw new Error(opened.problem.message)
    const busy = 'import time\\nwhile time.process_time() < 0.4: pass'
    const code = `import subprocess, sys\nsubprocess.run([sys.executable, "-c", "${busy}"])`
    expect((await runIn(opened.value, 'python', code)).cpuTimeMs).toBeGreaterThan(390)
    await opened.value.close('manual')
  })

  it('frees what a run held that ran out of memory, and keeps its traceback and its variables', async () => {
    const opened = await provider.open(usual, never)
    if (!opened.ok) throw new Error('not opened')
    const code = `import weakref
class Block: pass
kept = Block()
def fill():
    block = Block()
    globals()['block'] = weakref.ref(block)
    try: raise MemoryError('first')
    except MemoryError: raise ValueError
def outer():
    own = Block()
    globals()['own'] = weakref.ref(own)
    try: fill()
    except ValueError as error: raise MemoryError from error
outer()`
    expect((await runIn(opened.value, 'python', code)).error).toMatchObject({ kind: 'memory', line: 13 })
    const after = 'import sys\nprint(block(), own(), type(kept).__name__, sys.last_traceback is None)'
    expect((await runIn(opened.value, 'python', after)).stdout).toBe('None None Block False\n')
    await opened.value.close('manual')
  })

  it('draws other random numbers in each sandbox, though their libraries were loaded once', async () => {
    const code =
      'import random\nprint(random.random())\ntry:\n    import numpy\n    print(numpy.random.rand())\nexcept ImportError:\n    pass'
    const drawn: string[] = []
    for (let count = 0; count < 2; count++) {
      const opened = await provider.open(usual, never)
      if (!opened.ok) throw new Error(opened.problem.message)
      drawn.push(...(await runIn(opened.value, 'python', code)).stdout.trim().split('\n'))
      await opened.value.close('manual')
    }
    expect(drawn.length).toBeGreaterThanOrEqual(2)
    expect(new Set(drawn).size).toBe(drawn.length)
  })

  it.runIf(process.platform === 'linux')(
    'has no libraries loaded ahead where that is not wanted, and they are there all the same',
    async () => {
      const lean = localProvider({ home: home.home, clock: systemClock, ids: testIds, preload: false })
      const libraries = ['numpy', 'pandas']
      const code = `import sys; print([name in sys.modules for name in ${JSON.stringify(libraries)}])`
      const loaded: string[] = []
      for (const each of [provider, lean]) {
        const opened = await each.open(usual, never)
        if (!opened.ok) throw new Error(opened.problem.message)
        loaded.push((await runIn(opened.value, 'python', code)).stdout)
        expect(
          (await runIn(opened.value, 'python', 'import numpy, pandas; print(pandas.Series([1]).sum())')).stdout,
        ).toBe('1\n')
        await opened.value.close('manual')
      }
      await lean.close()
      expect(loaded).toEqual(['[True, True]\n', '[False, False]\n'])
    },
  )

  it('starts again when its zygote was killed, and says that the old sandbox is gone', async () => {
    const opened = await provider.open(usual, never)
    if (!opened.ok) throw new Error('not opened')
    const children = execFileSync('pgrep', ['-P', String(process.pid), 'bwrap'], { encoding: 'utf8' })
      .trim()
      .split('\n')
    for (const pid of children) process.kill(Number(pid), 'SIGKILL')
    await opened.value.ended
    expect((await runIn(opened.value, 'python', '1')).error).toMatchObject({ kind: 'sandbox' })
    const again = await provider.open(usual, never)
    if (!again.ok) throw new Error(again.problem.message)
    expect((await runIn(again.value, 'python', 'print(1)')).stdout).toBe('1\n')
    await again.value.close('manual')
  })

  it('gives up when nobody waits any more', async () => {
    const given = AbortSignal.abort()
    const opened = await provider.open({ limits: Limits.parse({ processes: 10 }) }, given)
    expect(opened).toMatchObject({ ok: false, problem: { code: 'request.cancelled' } })
  })

  it('removes what a killed application left, and nothing of a living one', async () => {
    const sandboxes = join(home.home, 'sandboxes')
    const living = await claimFolder(sandboxes)
    mkdirSync(join(sandboxes, '999999-1', 'one', 'work'), { recursive: true })
    mkdirSync(join(sandboxes, '999999-1', 'two', 'work'), { recursive: true })
    expect(await provider.endOrphans()).toBe(2)
    expect(existsSync(join(sandboxes, '999999-1'))).toBe(false)
    expect(readdirSync(sandboxes)).toEqual([basename(living)])
  })

  it('removes what hostile code left, and nothing that its links lead to', async () => {
    const kept = join(home.home, 'kept')
    const box = join(home.home, 'box')
    mkdirSync(kept)
    writeFileSync(join(kept, 'file'), 'kept')
    mkdirSync(join(box, 'work', 'closed', 'below'), { recursive: true })
    symlinkSync(kept, join(box, 'work', 'link'))
    symlinkSync(kept, join(box, 'work', 'closed', 'below', 'link'))
    const deep = `import os\nfor _ in range(3000): os.mkdir("d"); os.chdir("d")\nos.symlink(${JSON.stringify(kept)}, "link")`
    execFileSync('python3', ['-c', deep], { cwd: join(box, 'work') })
    chmodSync(join(box, 'work', 'closed'), 0)
    await removeTree(box)
    expect(existsSync(box)).toBe(false)
    expect(readFileSync(join(kept, 'file'), 'utf8')).toBe('kept')
    symlinkSync(kept, box)
    await expect(removeTree(box)).rejects.toThrow()
    expect(readdirSync(kept)).toEqual(['file'])
  })

  it('removes the sockets of a killed application, and of nobody else', async () => {
    const among = join(home.home, 'listeners')
    for (const name of ['countersign-link-999999-1-abcdef', 'countersign-link-notes', 'other-999999-1-abcdef']) {
      mkdirSync(join(among, name), { recursive: true })
    }
    const first = await listenerFolder(among)
    const second = await listenerFolder(among)
    expect(readdirSync(among).sort()).toEqual(
      ['countersign-link-notes', 'other-999999-1-abcdef', basename(first), basename(second)].sort(),
    )
  })

  it('shows the jail no folder that holds somebody’s home', () => {
    const python = { executable: '/home/ada/.venv/bin/python3' }
    const folders = ['/', '/home', '/home/ada', '/usr/lib/python3', '/home/ada/.venv', '/home/ada/.venv/lib']
    expect(outsideFolders({ ...python, folders }, '/home/ada', () => true)).toEqual(['/home/ada/.venv'])
  })
})

describe('tables and figures', () => {
  let home: Awaited<ReturnType<typeof temporaryHome>>
  let provider: LocalProvider
  beforeAll(async () => {
    home = await temporaryHome()
    provider = localProvider({ home: home.home, clock: systemClock, ids: testIds })
  })
  afterAll(async () => {
    await provider.close()
    await home.remove()
  })

  it('shows a data frame as table data, HTML and text, where pandas is installed', async ({ skip }) => {
    const opened = await provider.open(usual, never)
    if (!opened.ok) throw new Error('not opened')
    const missing = await runIn(opened.value, 'python', 'import pandas')
    if (!missing.success) skip()
    const code =
      'import pandas as pd\npd.DataFrame({"n": range(5000), "when": pd.Timestamp("2026-01-05"), "part": [None, 0.5] * 2500})'
    const outcome = await runIn(opened.value, 'python', code)
    const [shown] = outcome.outputs
    if (shown?.type !== 'result') throw new Error('no result')
    expect(Object.keys(shown.data).sort()).toEqual(['application/vnd.dataresource+json', 'text/html', 'text/plain'])
    expect(shown.data['application/vnd.dataresource+json']).toMatchObject({
      schema: {
        fields: [
          { name: 'n', type: 'integer' },
          { name: 'when', type: 'datetime' },
          { name: 'part', type: 'number' },
        ],
      },
    })
    expect(shown.metadata).toEqual({ 'application/vnd.dataresource+json': { rows: 5000, columns: 3, truncated: true } })
    await opened.value.close('manual')
  })

  it('hands out every row of a data frame that a variable holds, in pieces', async ({ skip }) => {
    const opened = await provider.open(usual, never)
    if (!opened.ok) throw new Error('not opened')
    const made = await runIn(
      opened.value,
      'python',
      `import pandas as pd
frame = pd.DataFrame({"n": range(300_000), "part": [None, 0.5] * 150_000, "huge": 2**60, "name": "Ó" * 3})
odd = pd.DataFrame({"a": [1.0, float("inf")], "b": [True, None]}, index=pd.Index(["x", "y"], name="a"))
frame`,
    )
    if (made.error?.name === 'ModuleNotFoundError') skip()
    const [shown] = made.outputs
    expect(shown?.type === 'result' && shown.metadata?.['application/vnd.dataresource+json']).toMatchObject({
      variable: 'frame',
    })
    const columns: unknown[][] = [[], [], [], []]
    for (let from = 0; from < 300_000; from = columns[0]?.length ?? 0) {
      const answer = await opened.value.table('python', 'frame', from)
      if (!answer.ok) throw new Error(answer.problem.message)
      expect(answer.value.rows).toBe(300_000)
      for (const [at, cells] of JSON.parse(answer.value.cells).entries())
        for (const cell of cells) columns[at]?.push(cell)
    }
    expect(columns.map(column => column.length)).toEqual(Array(4).fill(300_000))
    expect(columns.map(column => column.at(-1))).toEqual([299_999, 0.5, String(2n ** 60n), 'ÓÓÓ'])
    expect(columns[1]?.[0]).toBe(null)

    // An index that has the name of a column is a column of its own.
    const small = await opened.value.table('python', 'odd', 0)
    expect(small.ok && small.value.fields.map(field => [field.name, field.key])).toEqual([
      ['a', true],
      ['a′', false],
      ['b', false],
    ])
    expect(small.ok && JSON.parse(small.value.cells)).toEqual([
      ['x', 'y'],
      [1, 'inf'],
      [true, null],
    ])
    expect(await opened.value.table('python', 'nothing', 0)).toMatchObject({
      ok: false,
      problem: { code: 'sandbox.no-table' },
    })
    await opened.value.close('manual')
  })

  it('shows the figures of a cell, where matplotlib is installed', async ({ skip }) => {
    const opened = await provider.open(usual, never)
    if (!opened.ok) throw new Error('not opened')
    const code = 'import matplotlib.pyplot as plt\nplt.plot([1, 2]); plt.show()\nplt.plot([3, 4]);'
    const outcome = await runIn(opened.value, 'python', code)
    if (outcome.error?.name === 'ModuleNotFoundError') skip()
    expect(outcome.outputs.map(output => output.type)).toEqual(['display', 'display'])
    const [shown] = outcome.outputs
    expect(shown?.type === 'display' && String(shown.data['image/png']).slice(0, 8)).toBe('iVBORw0K')
    await opened.value.close('manual')
  })
})
