import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { folder, ioFor } from './call.testing.ts'
import { command } from './environments.ts'
import { command as run } from './run.ts'

it('adds an environment after it was shown, lists and shows it, and runs a program in it', async () => {
  // Not below /tmp: a sandbox has a folder of its own by that name.
  const prefix = join(mkdtempSync('/var/tmp/countersign-venv-'), 'stress tests')
  onTestFinished(() => rmSync(join(prefix, '..'), { recursive: true, force: true }))
  execFileSync('/usr/bin/python3', ['-m', 'venv', '--without-pip', prefix])
  const minor = execFileSync('/usr/bin/python3', ['-c', 'import sys; print(sys.version_info[1])'], { encoding: 'utf8' })
  const site = join(prefix, 'lib', `python3.${minor.trim()}`, 'site-packages')
  mkdirSync(join(site, 'shocks-1.2.dist-info'))
  writeFileSync(join(site, 'shocks.py'), 'bp = 200\n')
  const cwd = folder()
  const env = { COUNTERSIGN_HOME: join(cwd, 'home') }
  const call = async (of: typeof command, values: Record<string, unknown>, ...positionals: string[]) => {
    const { io, out, err } = ioFor('', cwd)
    const exit = await of.run({ values: values as never, positionals }, { ...io, env: { ...io.env, ...env } })
    return { exit, out: Buffer.concat(out).toString(), err: err.join('') }
  }

  const shown = await call(command, {}, 'add', prefix)
  expect(shown.exit).toBe(3)
  expect(shown.err).toMatch(/SHA-256 +[0-9a-f]{64}/)
  expect(shown.err).toContain('--yes')

  const added = await call(command, { yes: true, json: true }, 'add', prefix)
  expect(added.exit).toBe(0)
  expect(JSON.parse(added.out)).toMatchObject({ name: 'stress tests', kind: 'venv', state: 'ready', packages: 1 })

  const listed = await call(command, { json: true })
  expect(JSON.parse(listed.out).map((each: { name: string }) => each.name)).toEqual(
    expect.arrayContaining(['system', 'stress tests']),
  )
  const one = await call(command, {}, 'show', 'stress tests')
  expect(one.out).toContain('shocks 1.2')

  writeFileSync(join(cwd, 'shock.py'), 'import shocks\nprint(shocks.bp)\n')
  expect(await call(run, {}, 'shock.py')).toMatchObject({ exit: 1, err: expect.stringContaining('stress tests') })
  expect(await call(run, { env: 'stress tests' }, 'shock.py')).toMatchObject({ exit: 0, out: '200\n' })
  expect(await call(run, { env: 'nowhere' }, 'shock.py')).toMatchObject({ exit: 4 })
})
