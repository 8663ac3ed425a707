import { execFile } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AuditEntry } from '../contract/audit.ts'
import { missingModule } from '../contract/environments.ts'
import type { RunOutcome } from '../contract/run.ts'
import { type Engine, openEngine } from '../engine/engine.ts'
import { describeEnvironment } from './describe.ts'
import { candidates } from './find.ts'
import { digestOf, packageOf, packagesIn } from './packages.ts'

/** Not below /tmp: a sandbox has a folder of its own by that name. */
let place: string
beforeAll(() => {
  place = mkdtempSync('/var/tmp/countersign-environments-')
})
afterAll(() => rmSync(place, { recursive: true, force: true }))

/** A virtual environment as people make them, with one package of our own in it. */
async function venv(name: string, module: string): Promise<string> {
  const prefix = join(place, name)
  await promisify(execFile)('/usr/bin/python3', ['-m', 'venv', '--without-pip', prefix])
  const is = await describeEnvironment(prefix)
  const site = is?.folders[0] ?? ''
  mkdirSync(join(site, `${module}-2.5.1.dist-info`))
  writeFileSync(join(site, `${module}.py`), `answer = 'from ${name}'\n`)
  return prefix
}

describe('what the files of an environment tell', () => {
  it('reads name and version from what installers leave', () => {
    expect(packageOf('scikit_learn-1.4.0.dist-info')).toEqual({ name: 'scikit-learn', version: '1.4.0' })
    expect(packageOf('Pillow-9.4.0.egg-info')).toEqual({ name: 'pillow', version: '9.4.0' })
    expect(packageOf('zope.interface-5.5-py3.11.egg-info')).toEqual({ name: 'zope-interface', version: '5.5' })
    expect(packageOf('pandas')).toBeNull()
    expect(packageOf('../../x-1.dist-info')).toBeNull()
  })

  it('has a digest of version and packages, whatever the folder and its order', () => {
    const packages = [
      { name: 'a', version: '1' },
      { name: 'b', version: '2' },
    ]
    expect(digestOf('3.11.2', packages)).toBe(digestOf('3.11.2', [...packages]))
    expect(digestOf('3.11.2', packages)).not.toBe(digestOf('3.11.3', packages))
    expect(digestOf('3.11.2', packages)).not.toBe(digestOf('3.11.2', packages.slice(1)))
  })

  it('describes what venv, uv and conda make', async () => {
    const base = join(place, 'described')
    const made = (name: string, files: Record<string, string>) => {
      for (const [file, text] of Object.entries({ 'bin/python': '', ...files })) {
        const at = join(base, name, file)
        mkdirSync(join(at, '..'), { recursive: true })
        writeFileSync(at, text)
      }
      return join(base, name)
    }
    const uv = made('uv', { 'pyvenv.cfg': 'home = /x/bin\nuv = 0.5.1\nversion_info = 3.13.1.final.0\n' })
    expect(await describeEnvironment(uv)).toMatchObject({ kind: 'uv', version: '3.13.1' })
    const conda = made('conda', {
      'conda-meta/python-3.12.4-h99e199e_1.json': '{}',
      'lib/python3.12/site-packages/numpy-2.0.0.dist-info/METADATA': '',
    })
    const described = await describeEnvironment(join(conda, 'bin', 'python'))
    expect(described).toMatchObject({ kind: 'conda', version: '3.12.4', prefix: conda })
    expect(await packagesIn(described?.folders ?? [])).toEqual([{ name: 'numpy', version: '2.0.0' }])
    expect(await describeEnvironment(base)).toBeNull()
  })

  it('sees what was installed or removed since it looked', async () => {
    const site = join(place, 'watched')
    const later = Date.now() + 60_000
    mkdirSync(join(site, 'one-1.0.dist-info'), { recursive: true })
    const names = async () => (await packagesIn([site], later)).map(({ name }) => name)
    expect(await names()).toEqual(['one'])
    mkdirSync(join(site, 'two-1.0.dist-info'))
    expect(await names()).toEqual(['one', 'two'])
    const { atime, mtime } = statSync(site)
    rmSync(join(site, 'one-1.0.dist-info'), { recursive: true })
    // Whoever turns the time back does not hide it.
    utimesSync(site, atime, mtime)
    expect(await names()).toEqual(['two'])
  })

  it('finds what stands where the usual tools put it', async () => {
    const home = join(place, 'home')
    mkdirSync(join(home, '.virtualenvs', 'risk'), { recursive: true })
    mkdirSync(join(home, '.conda'), { recursive: true })
    writeFileSync(join(home, '.conda', 'environments.txt'), '/opt/envs/credit\nrelative\n')
    const found = await candidates({ home, env: { VIRTUAL_ENV: '/srv/active' } })
    expect(found).toEqual(expect.arrayContaining(['/srv/active', '/opt/envs/credit', join(home, '.virtualenvs/risk')]))
    expect(found).not.toContain('relative')
  })

  it('names the module that a run did not find, and nothing else', () => {
    const error = (message: string, name = 'ModuleNotFoundError') => missingModule({ name, message })
    expect(error("No module named 'sklearn'")).toBe('sklearn')
    expect(error("No module named 'pandas.nothing'")).toBeNull()
    expect(error("No module named '../x'")).toBeNull()
    expect(error("No module named 'sklearn'", 'ValueError')).toBeNull()
  })
})

describe('an environment of this machine', () => {
  let engine: Engine
  let home: string
  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'countersign-'))
    engine = await openEngine({ home: join(home, 'data'), env: {}, pool: 0 })
  })
  afterAll(async () => {
    await engine.close()
    rmSync(home, { recursive: true, force: true })
  })

  async function conversation() {
    const made = await engine.conversations.create(engine.caller, { title: 'Environments' })
    if (!made.ok) throw new Error(made.problem.message)
    return { id: made.value.conversation.id, path: made.value.conversation.main }
  }
  async function run(path: Awaited<ReturnType<typeof conversation>>['path'], code: string): Promise<RunOutcome> {
    const started = await engine.runs.start(engine.caller, { path, cell: null, language: 'python', code })
    if (!started.ok) throw new Error(started.problem.message)
    const view = await started.value.rest
    if (!view.outcome) throw new Error(`${view.state}: ${view.problem?.message}`)
    return view.outcome
  }
  async function add(prefix: string, name: string) {
    const seen = await engine.environments.inspect(prefix)
    if (!seen.ok) throw new Error(seen.problem.message)
    const sha256 = seen.value.program?.sha256 ?? ''
    return engine.environments.add(engine.caller, { path: prefix, name, sha256 })
  }
  async function recorded(action: AuditEntry['action']) {
    const { items } = await engine.audit.query({ filter: { actions: [action] }, limit: 50 })
    return items.map(({ entry }) => entry)
  }

  it('is chosen for a conversation, runs its code, and stands in placement and record', async () => {
    const { id, path } = await conversation()
    const prefix = await venv('models', 'riskmodels')
    const before = await run(path, 'import riskmodels')
    expect(before.error).toMatchObject({ name: 'ModuleNotFoundError' })
    expect(before.warnings).toEqual([])
    await run(path, 'open("kept.csv", "w").write("a")')

    expect(await add(prefix, 'models')).toMatchObject({ ok: true, value: { state: 'ready', packages: 1 } })
    const missed = await run(path, 'import riskmodels')
    expect(missed.warnings.join()).toContain('riskmodels is in the environment models')

    expect(await engine.environments.choose(engine.caller, { conversation: id, name: 'models' })).toEqual({
      ok: true,
      value: undefined,
    })
    const after = await run(
      path,
      'import riskmodels, sys, os\nprint(riskmodels.answer, sys.prefix, os.listdir("."))\ntry:\n    open(sys.prefix + "/x", "w")\nexcept OSError as error:\n    print("read-only", error.errno)',
    )
    expect(after.stdout).toBe(`from models ${prefix} ['kept.csv']\nread-only 30\n`)

    const { digest, version } = (await engine.environments.list(engine.caller.tenant)).find(
      each => each.name === 'models',
    ) as { digest: string; version: string }
    const [intended] = await recorded('run.intended')
    expect(intended?.details).toMatchObject({ placement: { environment: { name: 'models', digest, version } } })
    expect((await recorded('environment.chosen'))[0]).toMatchObject({
      conversation: id,
      details: { before: 'system', after: 'models', packages: digest },
    })
  })

  it('names the application’s own interpreter in placements too', async () => {
    const { path } = await conversation()
    await run(path, '1')
    const [intended] = await recorded('run.intended')
    expect(intended?.details).toMatchObject({ placement: { environment: { name: 'system' } } })
  })

  it('has another digest when a package comes in, and the next sandbox says so', async () => {
    const { id, path } = await conversation()
    const prefix = await venv('growing', 'first')
    await add(prefix, 'growing')
    await engine.environments.choose(engine.caller, { conversation: id, name: 'growing' })
    await run(path, '1')
    const one = (await recorded('run.intended'))[0]?.details as { placement: { environment: { digest: string } } }
    const site = (await describeEnvironment(prefix))?.folders[0] ?? ''
    mkdirSync(join(site, 'second-1.0.dist-info'))
    await engine.contexts.end({ tenant: engine.caller.tenant, conversation: id, path }, 'manual', engine.caller.user)
    await run(path, '1')
    const two = (await recorded('run.intended'))[0]?.details as { placement: { environment: { digest: string } } }
    expect(two.placement.environment.digest).not.toBe(one.placement.environment.digest)
  })

  it('is not used when its interpreter is another file than the one that was looked at', async () => {
    const { id, path } = await conversation()
    const prefix = await venv('turned', 'turnedmodule')
    await add(prefix, 'turned')
    await engine.environments.choose(engine.caller, { conversation: id, name: 'turned' })
    const python = join(prefix, 'bin', 'python')
    rmSync(python)
    cpSync('/bin/true', python)
    chmodSync(python, 0o755)
    const started = await engine.runs.start(engine.caller, { path, cell: null, language: 'python', code: '1' })
    const view = started.ok ? await started.value.rest : null
    expect(view).toMatchObject({ state: 'refused', problem: { code: 'environment.changed' } })
    const listed = await engine.environments.list(engine.caller.tenant)
    expect(listed.find(each => each.name === 'turned')).toMatchObject({ state: 'refused', added: true })
  })

  it('is refused in the data folder, behind a link into it, and where a sandbox would not see it', async () => {
    const inside = join(engine.home, 'venv')
    mkdirSync(join(inside, 'bin'), { recursive: true })
    cpSync('/bin/true', join(inside, 'bin', 'python'))
    writeFileSync(join(inside, 'pyvenv.cfg'), 'home = /usr/bin\nversion = 3.11.2\n')
    const linked = join(place, 'linked')
    symlinkSync(inside, linked)
    for (const path of [inside, linked]) {
      const seen = await engine.environments.inspect(path)
      expect(seen).toMatchObject({ ok: true, value: { state: 'refused', added: false, program: null } })
      expect(
        await engine.environments.add(engine.caller, { path, name: 'planted', sha256: 'a'.repeat(64) }),
      ).toMatchObject({ ok: false, problem: { code: 'settings.untrusted' } })
    }
  })

  it('takes no choice for a conversation of somebody else, and no name that nobody added', async () => {
    const { id } = await conversation()
    const stranger = { ...engine.caller, tenant: 'other' as typeof engine.caller.tenant }
    expect((await engine.environments.choose(stranger, { conversation: id, name: 'system' })).ok).toBe(false)
    expect((await engine.environments.choose(engine.caller, { conversation: id, name: 'nowhere' })).ok).toBe(false)
    expect(await engine.environments.chosen(engine.caller.tenant, id)).toBe('system')
  })
})
