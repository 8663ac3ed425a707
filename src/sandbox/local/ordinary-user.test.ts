import { execFileSync, spawnSync } from 'node:child_process'
import { chownSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../storage/testing.ts'

/** Nobody: what the tests of this folder do as the super-user is done once more as somebody without any rights. */
const nobody = 65_534
const asNobody = ['--reuid', `${nobody}`, '--regid', `${nobody}`, '--clear-groups', process.execPath]

const file = (name: string) => JSON.stringify(join(import.meta.dirname, name))
const isRoot = process.getuid?.() === 0
/** A checkout in the super-user's home folder is closed to others. */
const canRead = () => spawnSync('setpriv', [...asNobody, '--check', join(import.meta.dirname, 'local.ts')]).status === 0

it('gives an ordinary user the same jail', ({ skip }) => {
  skip(!isRoot || !canRead(), 'needs root, and a checkout that others can read')
  const home = temporaryFolder()
  chownSync(home, nobody, nobody)
  const program = `
    const { localProvider } = await import(${file('local.ts')})
    const { runIn, testIds } = await import(${file('../testing.ts')})
    const { systemClock } = await import(${file('../../clock.ts')})
    const { Limits } = await import(${file('../../contract/run.ts')})
    const provider = localProvider({ home: ${JSON.stringify(home)}, clock: systemClock, ids: testIds })
    const limits = Limits.parse({ memoryBytes: 384 * 1024 * 1024, processes: 24 })
    const opened = await provider.open({ limits }, new AbortController().signal)
    if (!opened.ok) throw new Error(opened.problem.message)
    const sandbox = opened.value
    const seen = { isolation: sandbox.isolation, user: process.getuid() }
    const told = async (name, language, code, timeoutMs = 5000) => {
      const { stdout, error } = await runIn(sandbox, language, code, { limits: Limits.parse({ timeoutMs }) })
      seen[name] = error ? error.kind : stdout.trim()
    }
    await told('home', 'python', ${JSON.stringify(`import os\nprint(os.path.exists(${JSON.stringify(home)}), os.getuid())`)})
    await told('network', 'bash', 'cat /proc/net/dev | grep -c :')
    await told('memory', 'python', 'def fill(parts):\\n    while True: parts.append(bytearray(16 << 20))\\nfill([])')
    await told('processes', 'python', 'import os\\nwhile True:\\n    try: os.fork()\\n    except OSError: pass', 500)
    await told('after', 'javascript', 'console.log(6 * 7)')
    await told('set', 'python', 'kept = 1')
    const forked = await sandbox.fork()
    seen.fork = forked.ok ? (await runIn(forked.value, 'python', 'print(kept)')).stdout.trim() : forked.problem.message
    await provider.close()
    console.log(JSON.stringify(seen))`
  const said = execFileSync('setpriv', [...asNobody, '--input-type=module', '--eval', program], {
    encoding: 'utf8',
    cwd: home,
    env: { PATH: process.env.PATH ?? '', HOME: home, TMPDIR: home },
  })
  expect(JSON.parse(said)).toMatchObject({
    isolation: 'jail',
    user: nobody,
    home: 'False 1000',
    network: '1',
    memory: 'memory',
    processes: 'timeout',
    after: '42',
    fork: '1',
  })
})
