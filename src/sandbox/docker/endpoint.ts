import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import Docker from 'dockerode'
import { z } from 'zod'

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
  if (host)
    return {
      docker: new Docker(optionsFor(host, env.DOCKER_TLS_VERIFY ? env.DOCKER_CERT_PATH : undefined)),
      name: host,
    }
  const config = env.DOCKER_CONFIG ?? join(env.HOME ?? homedir(), '.docker')
  const context = env.DOCKER_CONTEXT ?? currentContext(config)
  if (context && context !== 'default') {
    const found = readContext(config, context)
    if (found) return { docker: new Docker(optionsFor(found.host, found.certificates)), name: `context ${context}` }
  }
  const runtime = env.XDG_RUNTIME_DIR ?? `/run/user/${process.getuid?.() ?? 0}`
  const sockets = [
    '/var/run/docker.sock',
    join(runtime, 'docker.sock'),
    join(runtime, 'podman/podman.sock'),
    '/run/podman/podman.sock',
  ]
  const socketPath = sockets.find(existsSync) ?? (sockets[0] as string)
  return { docker: new Docker({ socketPath }), name: `unix://${socketPath}` }
}

function optionsFor(host: string, certificates: string | undefined): Docker.DockerOptions {
  if (host.startsWith('unix://')) return { socketPath: host.slice('unix://'.length) }
  const url = new URL(host)
  if (url.protocol === 'ssh:')
    return {
      protocol: 'ssh',
      host: url.hostname,
      port: Number(url.port || 22),
      username: url.username,
      sshOptions: { agent: process.env.SSH_AUTH_SOCK },
    } as Docker.DockerOptions
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
