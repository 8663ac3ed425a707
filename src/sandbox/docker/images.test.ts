import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { BuildImage } from '../../contract/images.ts'
import { temporaryFolder } from '../../storage/testing.ts'
import { dockerImages } from './docker.ts'
import { counting } from './system.ts'

const never = new AbortController().signal

/** As much of an engine as making an image needs. It reaches a registry or does not. */
async function fakeEngine({ registry }: { registry: boolean }) {
  const images = new Map<string, Record<string, string>>()
  const files: string[] = []
  const digest = (name: string) => `sha256:${Buffer.from(name).toString('hex').padEnd(64, '0').slice(0, 64)}`
  const answer = async (request: IncomingMessage): Promise<[number, unknown]> => {
    const url = new URL(request.url ?? '', 'http://engine')
    const body = await buffer(request)
    const asked = url.searchParams
    if (url.pathname === '/images/json')
      return [
        200,
        [...images].map(([name, Labels]) => ({ RepoTags: [name], Id: digest(name), Size: 9, Created: 1, Labels })),
      ]
    const inspected = /^\/images\/(.+)\/json$/.exec(url.pathname)?.[1]
    if (inspected !== undefined) {
      const name = decodeURIComponent(inspected)
      return images.has(name) ? [200, { Id: digest(name) }] : [404, { message: 'No such image' }]
    }
    if (url.pathname === '/images/create' && asked.has('fromImage'))
      return registry
        ? [200, { status: 'Pull complete' }]
        : [500, { message: 'dial tcp: lookup registry: no such host' }]
    if (url.pathname === '/images/create') images.set(asked.get('repo') ?? '', {})
    if (url.pathname === '/build') {
      files.push(body.subarray(0, 10_000).toString('latin1'))
      images.set(asked.get('t') ?? '', JSON.parse(asked.get('labels') ?? '{}'))
    }
    return [200, { stream: 'done' }]
  }
  const server = createServer(async (request, response) => {
    const [status, said] = await answer(request)
    response.writeHead(status, { 'content-type': 'application/json' }).end(`${JSON.stringify(said)}\n`)
  })
  const socket = join(temporaryFolder(), 'engine.sock')
  await new Promise<void>(resolve => server.listen(socket, resolve))
  onTestFinished(() => void server.close())
  return { env: { DOCKER_HOST: `unix://${socket}` }, files, names: () => [...images.keys()] }
}

/** A `mmdebstrap` that makes an empty system. */
function fakeDebian(): void {
  const bin = temporaryFolder()
  mkdirSync(bin, { recursive: true })
  const program = join(bin, 'mmdebstrap')
  writeFileSync(program, '#!/bin/sh\nfor last; do :; done\ntar --create --file "$last" --files-from /dev/null\n')
  chmodSync(program, 0o755)
  const before = process.env.PATH
  process.env.PATH = `${bin}:${before}`
  onTestFinished(() => {
    process.env.PATH = before
  })
}

const build = async (env: NodeJS.ProcessEnv, request: Partial<BuildImage> = {}) => {
  const lines: string[] = []
  const built = await dockerImages(env).build(BuildImage.parse(request), ({ line }) => lines.push(line), never)
  return { built, said: lines.join('\n') }
}

describe('an image', () => {
  it('is made from the base image of a registry where one can be reached, and says so', async () => {
    const { env, files } = await fakeEngine({ registry: true })
    const { built, said } = await build(env, { template: 'fx', packages: ['jq'] })
    expect(built).toMatchObject({ ok: true, value: { source: 'registry', template: 'fx', packages: ['jq'] } })
    expect(said).toContain('taking the packages from the base image of a registry')
    expect(files[0]).toContain('FROM debian:bookworm-slim')
    expect(files[0]).toMatch(/apt-get install -y --no-install-recommends .*python3-pandas.* jq /)
  })

  it('is made from Debian’s packages where none can, and says why', async () => {
    fakeDebian()
    const { env } = await fakeEngine({ registry: false })
    const { built, said } = await build(env)
    expect(built).toMatchObject({ ok: true, value: { source: 'debian', template: 'default' } })
    expect(said).toMatch(/not from the base image of a registry: .*no such host/)
    expect(said).toContain('taking the packages from Debian’s archive')
  })

  it('uses the Debian layer of an earlier build again, unless it is to be fresh', async () => {
    fakeDebian()
    const { env, names } = await fakeEngine({ registry: false })
    await build(env, { source: 'debian' })
    expect(names()).toHaveLength(2)
    expect((await build(env, { source: 'debian' })).said).toContain('using the Debian layer that is here')
    expect((await build(env, { source: 'debian', fresh: true })).said).toContain('taking the packages from')
    const more = await build(env, { source: 'debian', template: 'fx', packages: ['jq'] })
    expect(more.said).toContain('taking the packages from')
    expect(names()).toHaveLength(4)
  })

  it('is removed only where it is one of ours', async () => {
    const { env } = await fakeEngine({ registry: true })
    const images = dockerImages(env)
    expect(await images.remove('postgres:16')).toMatchObject({ ok: false, problem: { code: 'not-found' } })
  })

  it('tells how far apt is by its own words', () => {
    const count = counting()
    expect(count('Reading package lists...')).toBe(0)
    expect(count('0 upgraded, 2 newly installed, 0 to remove')).toBe(0)
    const steps = [
      'Get:1 http://x jq',
      'Get:2 http://x y',
      'Unpacking jq',
      'Unpacking y',
      'Setting up jq',
      'Setting up y',
    ]
    expect(steps.map(count)).toEqual([1, 2, 3, 4, 5, 6].map(n => n / 6))
  })
})
