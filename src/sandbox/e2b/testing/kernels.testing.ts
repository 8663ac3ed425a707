import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'

/** An interpreter of the peer. Lines that it says are messages of the service; null when it has ended. */
export interface Kernel {
  readonly id: string
  readonly language: string
  listen: ((line: string | null) => void) | null
  tell(message: unknown): void
  signal(signal: NodeJS.Signals): void
  isOver(): boolean
}

export interface Place {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
}

export function startKernel(language: string, { cwd, env }: Place, id = randomBytes(8).toString('hex')): Kernel {
  const [program, file] = language === 'python' ? ['python3', 'kernel.py'] : [process.execPath, 'kernel.mjs']
  const args = language === 'python' ? ['-u'] : ['--no-warnings']
  const child = spawn(program, [...args, join(import.meta.dirname, file)], {
    cwd,
    env,
    stdio: ['pipe', 'ignore', 'ignore', 'pipe'],
  })
  const kernel = kernelOf({ id, language, from: child.stdio[3] as Readable, to: child.stdin as Writable }, signal =>
    child.kill(signal),
  )
  child.on('exit', () => kernel.ended())
  return kernel
}

/** A copy with the variables of the first, where its interpreter can copy itself; a fresh one of the others. */
export async function copyKernel(kernel: Kernel, place: Place): Promise<Kernel> {
  if (kernel.language !== 'python') return startKernel(kernel.language, place, kernel.id)
  const link = join(await mkdtemp(join(tmpdir(), 'countersign-e2b-link-')), 'link')
  const server = createServer()
  await new Promise<void>(resolve => server.listen(link, resolve))
  const connected = new Promise<import('node:net').Socket>(resolve => server.once('connection', resolve))
  kernel.tell({ copy: { link, cwd: place.cwd, home: place.env.HOME } })
  const socket = await connected
  server.close()
  const state = { pid: 0 }
  const copy = kernelOf({ id: kernel.id, language: 'python', from: socket, to: socket }, signal => {
    try {
      if (state.pid > 1) process.kill(state.pid, signal)
    } catch {
      // It has ended by itself.
    }
  })
  socket.on('close', () => copy.ended())
  await new Promise<void>(resolve => {
    copy.listen = line => {
      state.pid = Number(JSON.parse(line ?? '{}').pid)
      copy.listen = null
      resolve()
    }
  })
  return copy
}

function kernelOf(
  { id, language, from, to }: { id: string; language: string; from: Readable; to: Writable },
  signal: (signal: NodeJS.Signals) => void,
) {
  let over = false
  const kernel: Kernel & { ended(): void } = {
    id,
    language,
    listen: null,
    tell: message => void to.write(`${JSON.stringify(message)}\n`),
    signal,
    isOver: () => over,
    ended() {
      over = true
      kernel.listen?.(null)
    },
  }
  createInterface({ input: from }).on('line', line => kernel.listen?.(line))
  to.on('error', () => undefined)
  from.on('error', () => undefined)
  return kernel
}
