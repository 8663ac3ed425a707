import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type Docker from 'dockerode'
import { z } from 'zod'
import { sshAgent } from './ssh.ts'

/** An engine that answers Docker's protocol, and how it was found. */
export interface Endpoint {
  readonly docker: Docker
  /** For people: `unix:///var/run/docker.sock`, `context big-machine`. */
  readonly name: string
}

const ContextMeta = z.object({
  Endpoints: z.object({ docker: z.object({ Host: z.string(), SkipTLSVerify: z.boolean().optional() }) }),
})

/** As the command `docker` does it: DOCKER_HOST, then the chosen context, then the usual sockets, Podman's among them. */
export function findEndpoint(env: NodeJS.ProcessEnv): Endpoint {
  const host = env.DOCKER_HOST
  if (host) return endpoint(host, optionsFor(host, env.DOCKER_TLS_VERIFY ? env.DOCKER_CERT_PATH : undefined))
  const config = env.DOCKER_CONFIG ?? join(env.HOME ?? homedir(), '.docker')
  const context = env.DOCKER_CONTEXT ?? currentContext(config)
  if (context && context !== 'default') {
    const found = readContext(config, context)
    if (found) return endpoint(`context ${context}`, optionsFor(found.host, found.certificates))
  }
  const runtime = env.XDG_RUNTIME_DIR ?? `/run/user/${process.getuid?.() ?? 0}`
  const sockets = [
    '/var/run/docker.sock',
    join(runtime, 'docker.sock'),
    join(runtime, 'podman/podman.sock'),
    '/run/podman/podman.sock',
  ]
  const socketPath = sockets.find(existsSync)
  return endpoint(`unix://${socketPath ?? sockets[0]}`, socketPath === undefined ? null : { socketPath })
}

const load = createRequire(import.meta.url)

/** The library is loaded at the first question, and only where there is something to ask: most machines have no engine. */
function endpoint(name: string, options: Docker.DockerOptions | null): Endpoint {
  let made: Docker | null = null
  return {
    name,
    get docker() {
      if (!options) throw Object.assign(new Error(`nothing is at ${name}`), { code: 'ENOENT' })
      made ??= new (load('dockerode') as typeof Docker)(options)
      return made
    },
  }
}

function optionsFor(host: string, certificates: string | undefined): Docker.DockerOptions {
  for (const scheme of ['unix://', 'npipe://'])
    if (host.startsWith(scheme)) return { socketPath: host.slice(scheme.length) }
  const url = new URL(host)
  // Any name will do for the request itself: the connection leads to the engine.
  if (url.protocol === 'ssh:')
    return { protocol: 'http', host: 'docker', port: 80, agent: sshAgent(host) } as Docker.DockerOptions
  if (url.protocol !== 'tcp:' && url.protocol !== 'http:' && url.protocol !== 'https:')
    throw Object.assign(new Error(`${host} is no address of an engine`), { code: 'ERR_INVALID_URL' })
  const file = (name: string) => readFileSync(join(certificates ?? '', name))
  const tls = certificates ? { ca: file('ca.pem'), cert: file('cert.pem'), key: file('key.pem') } : {}
  return {
    protocol: certificates ? 'https' : 'http',
    host: url.hostname,
    port: Number(url.port || (certificates ? 2376 : 2375)),
    ...tls,
  }
}

function currentContext(config: string): string | null {
  try {
    const parsed = z
      .object({ currentContext: z.string().optional() })
      .safeParse(JSON.parse(readFileSync(join(config, 'config.json'), 'utf8')))
    return parsed.success ? (parsed.data.currentContext ?? null) : null
  } catch {
    return null
  }
}

function readContext(config: string, name: string): { host: string; certificates: string | undefined } | null {
  const id = createHash('sha256').update(name).digest('hex')
  try {
    const meta = ContextMeta.parse(JSON.parse(readFileSync(join(config, 'contexts/meta', id, 'meta.json'), 'utf8')))
    const certificates = join(config, 'contexts/tls', id, 'docker')
    return { host: meta.Endpoints.docker.Host, certificates: existsSync(certificates) ? certificates : undefined }
  } catch {
    return null
  }
}

/** What an engine's refusal means, and what helps. */
export function explain(error: unknown, endpoint: string): { message: string; hint: string } {
  const {
    code,
    statusCode,
    message = String(error),
  } = (error ?? {}) as { code?: string; statusCode?: number; message?: string }
  if (code === 'ENOENT' && /\.pem'?/.test(message))
    return {
      message: `The certificates for the container engine at ${endpoint} are not there.`,
      hint: 'DOCKER_CERT_PATH must name a folder with ca.pem, cert.pem and key.pem.',
    }
  if (code === 'ERR_INVALID_URL')
    return {
      message: 'DOCKER_HOST is no address of a container engine.',
      hint: 'It reads unix:///PATH, tcp://HOST:PORT or ssh://USER@HOST.',
    }
  if (code === 'ESSH')
    return {
      message: `The container engine at ${endpoint} cannot be reached over SSH: ${message}`,
      hint: 'Try it by hand: ssh HOST docker version. Keys must be known to ssh, since it cannot ask here.',
    }
  if (code && /^(ERR_TLS|ERR_SSL|EPROTO|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/.test(code))
    return {
      message: `The container engine at ${endpoint} and this machine do not accept each other’s certificates.`,
      hint: 'Check ca.pem, cert.pem and key.pem, their dates, and the name in DOCKER_HOST.',
    }
  if (code === 'ENOENT')
    return {
      message: `No container engine answers at ${endpoint}.`,
      hint: 'Install Docker or Podman, or set DOCKER_HOST.',
    }
  if (code === 'EACCES' || code === 'EPERM')
    return {
      message: `You are not permitted to use the container engine at ${endpoint}.`,
      hint: 'Add yourself to the group docker, or use Podman without root.',
    }
  if (code === 'ECONNREFUSED' || code === 'ECONNRESET' || code === 'EPIPE')
    return { message: `The container engine at ${endpoint} does not run.`, hint: 'Start it: systemctl start docker.' }
  if (code === 'ENOTFOUND' || code === 'EHOSTUNREACH' || code === 'ETIMEDOUT')
    return {
      message: `The machine of the container engine (${endpoint}) cannot be reached.`,
      hint: 'Check DOCKER_HOST and the network.',
    }
  if (/no space left/i.test(message))
    return { message: 'The disk of the container engine is full.', hint: 'Free some space: docker system prune.' }
  if (statusCode === 404)
    return { message: 'The image of the sandbox is not there.', hint: 'Make it: countersign sandbox build.' }
  return { message: `The container engine refused: ${message}`, hint: 'Look at the log of the engine.' }
}
