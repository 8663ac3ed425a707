import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startEngine, whyNoRegistry } from '../../../scripts/container-engine.mjs'
import { systemClock } from '../../clock.ts'
import { BuildImage } from '../../contract/images.ts'
import { Limits } from '../../contract/run.ts'
import { temporaryFolder } from '../../storage/testing.ts'
import { readRecipe } from '../image/recipe.ts'
import { makeSystem } from '../image/rootfs.ts'
import { runIn, testIds } from '../testing.ts'
import { dockerImages, dockerProvider } from './docker.ts'

const address = '127.0.0.1:5000'
const { base } = readRecipe()

/** Debian's base image as far as it is needed here: Python, a shell, and an apt that finds nothing left to install. */
async function baseImage(): Promise<string> {
  const folder = temporaryFolder()
  const recipe = { ...readRecipe(), packages: ['bash', 'coreutils', 'dash', 'python3'] }
  const common = { progress: () => undefined, signal: new AbortController().signal }
  const tar = await makeSystem({ recipe, packages: [], source: 'installed', folder, ...common })
  const more = join(folder, 'more')
  mkdirSync(join(more, 'usr/bin'), { recursive: true })
  writeFileSync(join(more, 'usr/bin/apt-get'), '#!/bin/sh\necho "0 newly installed: $*"\n', { mode: 0o755 })
  execFileSync('tar', ['--append', '--file', tar, '--directory', more, 'usr/bin/apt-get'])
  return tar
}

describe.runIf(whyNoRegistry() === null)('a registry', () => {
  it('gives the base image of the sandbox; where it is gone, the next source is taken and both are named', async () => {
    const engine = await startEngine({ settings: { 'registry-mirrors': [`http://${address}`] } })
    if (!engine) throw new Error('the engine did not start')
    onTestFinished(engine.stop)
    const docker = (...args: string[]) => execFileSync('docker', ['-H', engine.host, ...args], { encoding: 'utf8' })

    await once(engine.beside('ip', ['link', 'set', 'lo', 'up'], { stdio: 'ignore' }), 'exit')
    const folder = temporaryFolder()
    const storage = { filesystem: { rootdirectory: join(folder, 'images') } }
    writeFileSync(join(folder, 'config.yml'), JSON.stringify({ version: '0.1', storage, http: { addr: address } }))
    const registry = engine.beside('docker-registry', ['serve', join(folder, 'config.yml')], { stdio: 'ignore' })
    onTestFinished(() => void registry.kill())

    docker('import', await baseImage(), `${address}/library/${base}`)
    // The registry may take a moment to listen.
    await expect.poll(() => docker('push', `${address}/library/${base}`)).toContain('digest:')
    docker('rmi', `${address}/library/${base}`)
    expect(docker('images', '--quiet')).toBe('')

    const env = { DOCKER_HOST: engine.host }
    const lines: string[] = []
    const stopped = new AbortController()
    const build = (request: Partial<BuildImage>) =>
      dockerImages(env).build(
        BuildImage.parse(request),
        ({ line }) => {
          lines.push(line)
          // Enough was said: Debian's archive would take minutes.
          if (/from Debian’s archive/.test(line)) stopped.abort()
        },
        stopped.signal,
      )
    expect(await build({})).toMatchObject({ ok: true, value: { source: 'registry', template: 'default' } })
    expect(lines[0]).toBe('taking the packages from the base image of a registry')
    expect(lines.join('\n')).toMatch(/Pull complete|Download complete/)
    expect(lines.join('\n')).toMatch(/0 newly installed: install -y --no-install-recommends .*python3-pandas/)

    const provider = dockerProvider({ home: temporaryFolder(), env, clock: systemClock, ids: testIds })
    onTestFinished(() => provider.close())
    const opened = await provider.open({ limits: Limits.parse({}) }, new AbortController().signal)
    if (!opened.ok) throw new Error(opened.problem.message)
    expect((await runIn(opened.value, 'python', 'print(6 * 7)')).stdout).toBe('42\n')

    registry.kill()
    await once(registry, 'exit')
    docker('rmi', '--force', base)
    lines.length = 0
    expect(await build({ fresh: true })).toMatchObject({ ok: false, problem: { code: 'request.cancelled' } })
    expect(lines.join('\n')).toMatch(/^taking the packages from the base image of a registry\n/)
    expect(lines.join('\n')).toMatch(/\nnot from the base image of a registry: .+\ntaking the packages from Debian’s/)
  }, 300_000)
})
