import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { resource } from '../../places.ts'
import { temporaryFolder } from '../../storage/testing.ts'
import { findDelegated, inGroup, makeGroups, removeGroups, sweepGroups } from './cgroup.ts'
import { limitsProbe } from './local-host.ts'

/** A folder that looks like the system's, with these groups and what each passes on to those below. */
function hierarchy(groups: Record<string, string>): string {
  const root = temporaryFolder()
  for (const [path, passedOn] of Object.entries({ '': 'cpu memory pids', ...groups })) {
    mkdirSync(join(root, path), { recursive: true })
    writeFileSync(join(root, path, 'cgroup.controllers'), 'cpuset cpu io memory pids\n')
    writeFileSync(join(root, path, 'cgroup.subtree_control'), `${passedOn}\n`)
    writeFileSync(join(root, path, 'cgroup.procs'), '')
  }
  return root
}

const close = (folder: string) => {
  for (const file of ['', 'cgroup.procs']) chmodSync(join(folder, file), 0o555)
  onTestFinished(() => chmodSync(folder, 0o755)) // or it could not be removed
}
const isRoot = process.getuid?.() === 0

describe('control groups', () => {
  const desktop = 'user.slice/user-1000.slice/user@1000.service/app.slice'

  it('are made beside the scope that the desktop started this in', () => {
    const root = hierarchy({ [desktop]: 'memory pids', [`${desktop}/app-countersign.scope`]: '' })
    expect(findDelegated(root, `0::/${desktop}/app-countersign.scope\n`)).toBe(join(root, desktop))
  })

  it('are made nowhere that does not pass both memory and processes on', () => {
    const root = hierarchy({ [desktop]: 'memory', [`${desktop}/app-countersign.scope`]: '' })
    writeFileSync(join(root, 'cgroup.subtree_control'), 'cpu')
    expect(findDelegated(root, `0::/${desktop}/app-countersign.scope\n`)).toBeNull()
  })

  it('are made nowhere that belongs to somebody else', ({ skip }) => {
    skip(isRoot, 'to root nothing belongs to somebody else')
    const session = 'user.slice/user-1000.slice/session-2.scope'
    const root = hierarchy({ 'user.slice/user-1000.slice': 'memory pids', [session]: '' })
    for (const each of ['', 'user.slice/user-1000.slice']) close(join(root, each))
    expect(findDelegated(root, `0::/${session}\n`)).toBeNull()
  })

  it('do not exist in version 1, nor where both versions are mixed', () => {
    expect(findDelegated(temporaryFolder(), '12:memory:/\n5:pids:/user.slice\n')).toBeNull()
    const mixed = hierarchy({})
    writeFileSync(join(mixed, 'cgroup.controllers'), '\n')
    expect(findDelegated(mixed, '5:memory:/\n0::/\n')).toBeNull()
  })

  it('pass on what there is', () => {
    const parent = join(hierarchy({ [desktop]: 'memory pids' }), desktop)
    const folder = join(parent, 'countersign-4711')
    mkdirSync(folder)
    writeFileSync(join(folder, 'cgroup.controllers'), 'memory pids\n')
    writeFileSync(join(folder, 'cgroup.procs'), '')
    const groups = makeGroups(parent, null, 4711)
    expect(groups).toEqual({ folder, controllers: ['memory', 'pids'] })
    expect(readFileSync(join(folder, 'cgroup.subtree_control'), 'utf8')).toBe('+memory +pids')
  })

  it('go some time after their sandbox, but never one that is just being filled', async () => {
    const groups = { folder: temporaryFolder() }
    for (const name of ['zygote', 'ended', 'busy/process']) mkdirSync(join(groups.folder, name), { recursive: true })
    sweepGroups(groups, Date.now())
    expect(readdirSync(groups.folder)).toEqual(['busy', 'ended', 'zygote'])
    sweepGroups(groups, Date.now() + 60_000)
    expect(readdirSync(groups.folder)).toEqual(['busy', 'zygote'])
    rmdirSync(join(groups.folder, 'busy', 'process'))
    await removeGroups(groups)
    expect(existsSync(groups.folder)).toBe(false)
  })

  it('of an application that is gone are removed by the next one', () => {
    const parent = hierarchy({})
    // No process has this number: it is above the highest that Linux gives out.
    mkdirSync(join(parent, 'countersign-99999999', 'a-sandbox'), { recursive: true })
    mkdirSync(join(parent, `countersign-${process.ppid}`, 'a-sandbox'), { recursive: true })
    mkdirSync(join(parent, 'countersign-1234567'))
    writeFileSync(join(parent, 'countersign-1234567', 'cgroup.controllers'), 'memory pids')
    makeGroups(parent, null, 1234567)
    expect(existsSync(join(parent, 'countersign-99999999'))).toBe(false)
    expect(existsSync(join(parent, `countersign-${process.ppid}`, 'a-sandbox'))).toBe(true)
  })

  it('are entered before anything else is started', () => {
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'zygote'))
    const [program = '', ...args] = inGroup({ folder, controllers: [] }, ['/bin/echo', 'started', '$HOME "quoted"'])
    expect(execFileSync(program, args, { encoding: 'utf8' })).toBe('started $HOME "quoted"\n')
    expect(readFileSync(join(folder, 'zygote', 'cgroup.procs'), 'utf8')).toBe('0\n')
  })

  it('hold a sandbox to its limits, and tell what it used and whether it was ended for its memory', () => {
    const folder = temporaryFolder()
    const program = `
import json, os, sys
sys.path.insert(0, ${JSON.stringify(resource('kernels'))})
sys.dont_write_bytecode = True
from countersign import cgroups
folder = os.open(${JSON.stringify(folder)}, os.O_RDONLY)
group = cgroups.make(folder, "box", {"memoryBytes": 512 << 20, "diskBytes": 1 << 30, "processes": 64})
before = [group.out_of_memory(), group.cpu_ns()]
for name, text in (("memory.events", "low 0\\noom 2\\noom_kill 3\\n"), ("cpu.stat", "usage_usec 1500\\nuser_usec 9\\n")):
    with open(os.path.join(${JSON.stringify(folder)}, "box", name), "w") as file: file.write(text)
group.take_in(42)
print(json.dumps([before, [group.out_of_memory(), group.cpu_ns()]]))`
    const said = execFileSync('python3', ['-I', '-c', program], { encoding: 'utf8' })
    expect(JSON.parse(said)).toEqual([
      [0, 0],
      [3, 1_500_000],
    ])
    const written = (name: string) => readFileSync(join(folder, 'box', name), 'utf8')
    expect(written('memory.max')).toBe(String((512 + 1024 + 64) * 1024 * 1024))
    expect(written('memory.swap.max')).toBe('0')
    expect(written('pids.max')).toBe('72')
    expect(written('cpu.max')).toBe('200000 100000')
    expect(written('cgroup.procs')).toBe('42')
  })

  it('are said by doctor, and so is their absence', () => {
    expect(limitsProbe({ folder: '/x', controllers: ['memory', 'pids'] }).detail).toContain(
      'control groups (memory, pids)',
    )
    expect(limitsProbe(null).detail).toContain('limits on each process')
  })
})
