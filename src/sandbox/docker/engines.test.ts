import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createConnection, createServer as createTcpServer } from 'node:net'
import { join } from 'node:path'
import { createServer as createTlsServer } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startEngine } from '../../../scripts/container-engine.mjs'
import { systemClock } from '../../clock.ts'
import { BuildImage } from '../../contract/images.ts'
import { Limits } from '../../contract/run.ts'
import { openEngine } from '../../engine/engine.ts'
import { temporaryFolder } from '../../storage/testing.ts'
import type { SandboxProvider } from '../sandbox.ts'
import { runIn, testIds } from '../testing.ts'
import { dockerImages, dockerProvider } from './docker.ts'
import { explain } from './endpoint.ts'

const data = process.env.COUNTERSIGN_TEST_ENGINE_DATA
const never = new AbortController().signal

const providerAt = (env: NodeJS.ProcessEnv): SandboxProvider => {
  const provider = dockerProvider({ home: temporaryFolder(), env, clock: systemClock, ids: testIds })
  onTestFinished(() => provider.close())
  return provider
}

const sandboxAt = async (env: NodeJS.ProcessEnv) => {
  const opened = await providerAt(env).open({ limits: Limits.parse({}) }, never)
  if (!opened.ok) throw new Error(`${opened.problem.message} ${opened.problem.hint}`)
  return opened.value
}

const must = <T>(outcome: { ok: true; value: T } | { ok: false; problem: { message: string } }): T => {
  if (!outcome.ok) throw new Error(outcome.problem.message)
  return outcome.value
}

describe('an engine', () => {
  let engine: Awaited<ReturnType<typeof startEngine>>
  const host = () => engine?.host ?? ''

  beforeAll(async () => {
    engine = await startEngine({ data })
    expect(engine, 'an engine with the image in it').not.toBeNull()
  })
  afterAll(async () => {
    await engine?.stop()
  })

  it('that is restarted in the middle of a run costs the variables; the next run works and says so', async () => {
    const app = await openEngine({
      home: join(temporaryFolder(), 'home'),
      env: { DOCKER_HOST: host(), COUNTERSIGN_SANDBOX_TYPE: 'docker' },
      pool: 0,
    })
    onTestFinished(() => app.close())
    const { caller, conversations } = app
    const path = must(await conversations.create(caller, { title: 'Test' })).conversation.main
    const texts = ['x = 1', 'import time\nprint("going", flush=True)\ntime.sleep(600)', 'print("x" in globals())']
    const items = texts.map(text => ({ kind: 'cell' as const, author: 'analyst' as const, language: 'python', text }))
    const cells = must(await conversations.insert(caller, { path, items }))
    const start = async (n: number) => {
      const cell = cells[n]
      if (cell?.kind !== 'cell') throw new Error('no cell')
      return must(await app.runs.start(caller, { path, cell: cell.id, revision: cell.revision }))
    }
    const first = await (await start(0)).rest
    expect(first).toMatchObject({ state: 'finished', outcome: { sandbox: 'docker', success: true } })
    const printed = new Promise<void>(resolve =>
      app.events.listen(event => {
        if (event.type === 'run.output') resolve()
      }),
    )
    const second = await start(1)
    await printed
    await engine?.end()
    const { outcome } = await second.rest
    expect(outcome).toMatchObject({ success: false, error: { kind: 'sandbox' } })
    expect(outcome?.warnings.join(' ')).toContain('Its variables are gone')

    const third = await (await start(2)).rest
    expect(third.problem ?? third.outcome?.error).toMatchObject({ message: expect.stringContaining('engine') })
    expect(await engine?.begin()).toBe(true)
    const fourth = await (await start(2)).rest
    expect(fourth.outcome).toMatchObject({ success: true, stdout: 'False\n' })
  })

  it('is not permitted to somebody else, and says what helps', () => {
    const attempt =
      'import errno, socket, sys\ntry: socket.socket(socket.AF_UNIX).connect(sys.argv[1])\nexcept OSError as e: print(errno.errorcode[e.errno], end="")'
    const code = execFileSync('/usr/bin/python3', ['-c', attempt, host().slice('unix://'.length)], {
      ...{ uid: 65534, gid: 65534, cwd: '/', encoding: 'utf8' },
    })
    expect(explain({ code }, host()).hint).toContain('group docker')
  })

  it('without the image, or with a full disk, says so with the cure', async () => {
    const small = await startEngine({ size: 48 * 1024 * 1024 })
    if (!small) throw new Error('the small engine did not start')
    onTestFinished(small.stop)
    const env = { DOCKER_HOST: small.host }
    const { probes } = await providerAt(env).probe()
    expect(probes[0]).toMatchObject({ available: false, hint: expect.stringContaining('countersign sandbox build') })
    const built = await dockerImages(env).build(BuildImage.parse({ source: 'installed' }), () => undefined, never)
    expect(built).toMatchObject({ ok: false, problem: { message: 'The disk of the container engine is full.' } })
  })

  describe('on another machine', () => {
    /** Files as `docker` wants them, for a server and its client, and a client that nobody signed. */
    const certificates = () => {
      const folder = temporaryFolder()
      const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' })
      const request = (name: string, subject: string) =>
        openssl(
          'req',
          '-newkey',
          'rsa:2048',
          '-nodes',
          '-keyout',
          `${name}-key.pem`,
          '-out',
          `${name}.csr`,
          '-subj',
          subject,
        )
      const sign = (name: string) =>
        openssl(
          'x509',
          '-req',
          '-in',
          `${name}.csr`,
          '-CA',
          'ca.pem',
          '-CAkey',
          'ca-key.pem',
          '-CAcreateserial',
          '-out',
          `${name}.pem`,
          '-days',
          '2',
          '-extfile',
          'names',
        )
      openssl(
        'req',
        '-x509',
        '-newkey',
        'rsa:2048',
        '-nodes',
        '-keyout',
        'ca-key.pem',
        '-out',
        'ca.pem',
        '-subj',
        '/CN=test',
        '-days',
        '2',
      )
      writeFileSync(join(folder, 'names'), 'subjectAltName=IP:127.0.0.1\n')
      request('server', '/CN=engine')
      sign('server')
      request('client', '/CN=client')
      sign('client')
      for (const [from, to] of [
        ['client.pem', 'cert.pem'],
        ['client-key.pem', 'key.pem'],
      ] as const)
        copyFileSync(join(folder, from), join(folder, to))
      return folder
    }

    const listening = async (server: ReturnType<typeof createTcpServer>) => {
      await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
      onTestFinished(() => void server.close())
      const address = server.address()
      return typeof address === 'object' && address ? address.port : 0
    }

    /** What a daemon with `--tlsverify` does: who shows no certificate of its own is turned away. */
    const tlsEngine = (folder: string) => {
      const file = (name: string) => readFileSync(join(folder, name))
      const server = createTlsServer(
        { ca: file('ca.pem'), cert: file('server.pem'), key: file('server-key.pem'), requestCert: true },
        client => {
          const socket = createConnection(host().slice('unix://'.length))
          for (const each of [client, socket]) each.on('error', () => undefined)
          client.pipe(socket).pipe(client)
        },
      )
      return listening(server)
    }

    it('works over TLS, by DOCKER_HOST and by a context; a stranger is refused', async () => {
      const folder = certificates()
      const port = await tlsEngine(folder)
      const address = `tcp://127.0.0.1:${port}`
      const byHost = { DOCKER_HOST: address, DOCKER_TLS_VERIFY: '1', DOCKER_CERT_PATH: folder }
      expect((await runIn(await sandboxAt(byHost), 'python', 'print(6 * 7)')).stdout).toBe('42\n')

      const config = temporaryFolder()
      const id = createHash('sha256').update('big').digest('hex')
      const [meta, tls] = [join(config, 'contexts/meta', id), join(config, 'contexts/tls', id, 'docker')]
      for (const each of [meta, tls]) mkdirSync(each, { recursive: true })
      writeFileSync(join(config, 'config.json'), '{"currentContext":"big"}')
      writeFileSync(join(meta, 'meta.json'), JSON.stringify({ Name: 'big', Endpoints: { docker: { Host: address } } }))
      for (const name of ['ca.pem', 'cert.pem', 'key.pem']) copyFileSync(join(folder, name), join(tls, name))
      const byContext = await sandboxAt({ DOCKER_CONFIG: config })
      expect((await byContext.files.write('kept.txt', Buffer.from('there'))).ok).toBe(true)
      expect((await runIn(byContext, 'bash', 'cat kept.txt')).stdout).toBe('there')

      const other = certificates()
      const { probes } = await providerAt({ ...byHost, DOCKER_CERT_PATH: other }).probe()
      expect(probes[0]).toMatchObject({ available: false, detail: expect.stringContaining('certificates') })
      const none = await providerAt({ ...byHost, DOCKER_CERT_PATH: temporaryFolder() }).probe()
      expect(none.probes[0]).toMatchObject({ available: false, hint: expect.stringContaining('DOCKER_CERT_PATH') })
    })

    it('works over SSH with the keys of ssh; a machine whose key has changed is refused', async () => {
      const folder = temporaryFolder()
      const keygen = (name: string) =>
        execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, name)])
      for (const name of ['host', 'user', 'other']) keygen(name)
      const port = await freePort()
      writeFileSync(
        join(folder, 'sshd_config'),
        [
          `Port ${port}`,
          'ListenAddress 127.0.0.1',
          `HostKey ${folder}/host`,
          `AuthorizedKeysFile ${folder}/user.pub`,
          `PidFile ${folder}/pid`,
          'StrictModes no',
          'UsePAM no',
          'PermitRootLogin prohibit-password',
          `SetEnv DOCKER_HOST=${host()}`,
        ].join('\n'),
      )
      mkdirSync('/run/sshd', { recursive: true })
      const server = spawn('/usr/sbin/sshd', ['-D', '-f', join(folder, 'sshd_config')], { stdio: 'ignore' })
      onTestFinished(() => void server.kill())
      // `ssh` reads its settings from the home of the user; this one puts ours in front of them.
      const bin = join(folder, 'bin')
      mkdirSync(bin)
      const known = (key: string) =>
        writeFileSync(join(folder, 'known'), `[127.0.0.1]:${port} ${readFileSync(join(folder, `${key}.pub`), 'utf8')}`)
      const options = `-F none -i ${folder}/user -o UserKnownHostsFile=${folder}/known -o StrictHostKeyChecking=yes`
      writeFileSync(join(bin, 'ssh'), `#!/bin/sh\nexec /usr/bin/ssh ${options} "$@"\n`, { mode: 0o755 })
      const before = process.env.PATH
      process.env.PATH = `${bin}:${before}`
      onTestFinished(() => {
        process.env.PATH = before
      })
      known('host')
      const env = { DOCKER_HOST: `ssh://root@127.0.0.1:${port}` }
      await expect.poll(() => providerAt(env).available()).toBe('container')
      expect((await runIn(await sandboxAt(env), 'python', 'print(6 * 7)')).stdout).toBe('42\n')
      known('other')
      const { probes } = await providerAt(env).probe()
      expect(probes[0]).toMatchObject({ available: false, detail: expect.stringContaining('Host key verification') })
    }, 300_000)
  })
})

async function freePort(): Promise<number> {
  const server = createTcpServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise(resolve => server.close(resolve))
  return typeof address === 'object' && address ? address.port : 0
}
