import { chmodSync, chownSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openEngine } from './engine/engine.ts'
import { temporaryFolder } from './storage/testing.ts'
import { checkProgram } from './trusted-program.ts'

function program(file: string, mode = 0o755): string {
  mkdirSync(dirname(file), { recursive: true, mode: 0o755 })
  writeFileSync(file, '#!/bin/sh\n')
  chmodSync(file, mode)
  return file
}

function places() {
  const folder = temporaryFolder()
  const [home, tools] = [join(folder, 'home'), join(folder, 'tools')]
  mkdirSync(home)
  mkdirSync(tools)
  return { home, tools }
}

const me = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }
const another = 54_321

describe('an interpreter that a setting names', () => {
  it('is taken where only its owner can have written it', async () => {
    const { home, tools } = places()
    const file = program(join(tools, 'bin/python3'))
    symlinkSync('python3', join(tools, 'bin/python'))
    const outcome = await checkProgram(join(tools, 'bin/python'), home)
    expect(outcome).toMatchObject({ ok: true, value: { path: join(tools, 'bin/python'), real: file, bytes: 10 } })
  })

  it.each([
    ['in the data folder', ({ home }) => program(join(home, 'sandboxes/1/work/python3')), 'data folder'],
    [
      'by a link into the data folder',
      ({ home, tools }) => link(tools, program(join(home, 'work/python3'))),
      'data folder',
    ],
    [
      'by a folder that is a link into the data folder',
      ({ home, tools }) => {
        program(join(home, 'work/bin/python3'))
        symlinkSync(join(home, 'work/bin'), join(tools, 'bin'))
        return join(tools, 'bin/python3')
      },
      'data folder',
    ],
    [
      'by a way around the data folder',
      ({ home }) => `${program(join(home, 'python3'))}/../../home/python3`,
      'data folder',
    ],
    ['that everybody may write', ({ tools }) => program(join(tools, 'python3'), 0o777), 'everybody'],
    ['that its group may write', ({ tools }) => grouped(program(join(tools, 'python3'), 0o775)), 'group'],
    [
      'in a folder that everybody may write',
      ({ tools }) => {
        const file = program(join(tools, 'open/bin/python3'))
        chmodSync(join(tools, 'open'), 0o777)
        return file
      },
      'everybody',
    ],
    ['that is a folder', ({ tools }) => tools, 'no file'],
    ['that is not there', ({ tools }) => join(tools, 'python9'), 'there is no'],
    ['that cannot be started', ({ tools }) => program(join(tools, 'python3'), 0o644), 'cannot be started'],
    ['that is no whole path', () => 'python3', 'whole path'],
    [
      'that leads to itself',
      ({ tools }) => {
        symlinkSync(join(tools, 'a'), join(tools, 'a'))
        return join(tools, 'a')
      },
      'too many links',
    ],
  ] satisfies [string, (at: ReturnType<typeof places>) => string, string][])('is refused %s', async (_, make, why) => {
    const at = places()
    // A group of another number: that of a user of one's own would be trusted.
    const outcome = await checkProgram(make(at), at.home, { uid: me.uid, gid: another + 1 })
    expect(outcome).toMatchObject({ ok: false, problem: { code: 'settings.untrusted' } })
    expect(outcome.ok ? '' : outcome.problem.message).toContain(why)
  })

  it('is refused when it belongs to another user', async () => {
    const { home, tools } = places()
    const file = program(join(tools, 'python3'))
    // Only the super-user can give a file away; for everybody else the asker is made the stranger.
    if (me.uid === 0) chownSync(file, another, another)
    const outcome = await checkProgram(file, home, me.uid === 0 ? me : { uid: another, gid: another })
    expect(outcome).toMatchObject({ ok: false, problem: { code: 'settings.untrusted' } })
    expect(outcome.ok ? '' : outcome.problem.message).toContain('belongs to another user')
  })

  it('is set only after it was shown, and only when it is still what was shown', async () => {
    const { home, tools } = places()
    const file = program(join(tools, 'python3'))
    const engine = await openEngine({ home, env: {}, pool: 0 })
    try {
      expect(await engine.changeSettings(engine.caller, { sandbox: { python: file } })).toMatchObject({
        ok: false,
        problem: { code: 'settings.unconfirmed' },
      })
      const shown = await engine.inspectInterpreter(file)
      const sha256 = shown.ok ? shown.value.sha256 : ''
      writeFileSync(file, '#!/bin/sh\nrm -rf ~\n')
      expect(await engine.chooseInterpreter(engine.caller, { path: file, sha256 })).toMatchObject({
        ok: false,
        problem: { code: 'conflict' },
      })
      program(file)
      expect(await engine.chooseInterpreter(engine.caller, { path: file, sha256 })).toMatchObject({ ok: true })
      expect(engine.settings.current.sandbox.python).toBe(file)
      expect(await engine.changeSettings(engine.caller, { sandbox: { python: '' } })).toMatchObject({ ok: true })
    } finally {
      await engine.close()
    }
  })

  it('is not started when it lies where sandboxed code may write, whoever set it', async () => {
    const { home } = places()
    const mark = join(home, 'started')
    const file = program(join(home, 'sandboxes/old/work/python3'))
    writeFileSync(file, `#!/bin/sh\ntouch ${mark}\nexec /usr/bin/python3 "$@"\n`)
    const engine = await openEngine({ home, env: { COUNTERSIGN_SANDBOX_PYTHON: file }, pool: 0 })
    try {
      const probes = await engine.doctor()
      expect(probes.find(({ name }) => name === 'Python')).toMatchObject({ available: false })
      expect(existsSync(mark)).toBe(false)
    } finally {
      await engine.close()
    }
  })
})

function link(folder: string, to: string): string {
  symlinkSync(to, join(folder, 'python3'))
  return join(folder, 'python3')
}

/** The super-user's own group is root's, which is trusted: there the file is given to another. */
function grouped(file: string): string {
  if (me.uid === 0) chownSync(file, -1, another)
  return file
}
