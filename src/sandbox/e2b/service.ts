import { randomUUID } from 'node:crypto'
import type { CommandHandle, Context, E2B, Execution, Sandbox as Machine } from '@e2b/code-interpreter'
import { Language } from '../../contract/run.ts'
import type { HostLists } from '../../network/network.ts'
import type { Passed } from '../../privacy/privacy.ts'
import {
  ownFolder,
  pythonArguments,
  pythonQuestion,
  pythonSetup,
  type Question,
  questionFiles,
  scriptQuestion,
  shellNames,
  shellRun,
  workFolder,
} from './programs.ts'

export interface ServiceOptions {
  readonly key: string
  readonly domain?: string | undefined
  /** In place of the addresses that follow from the domain. */
  readonly apiUrl?: string | undefined
  readonly sandboxUrl?: string | undefined
}

export interface Program {
  readonly language: Language
  readonly code: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** What a run tells while it goes on. */
export interface Listener {
  readonly stream: (name: 'stdout' | 'stderr', text: string) => unknown
  readonly result: (raw: Record<string, unknown>, isMain: boolean) => unknown
}

/** `kernel-ended`: the kernel went away with the code, by itself or because it was ended. */
export type Ran =
  | { readonly kind: 'code'; readonly error: { name: string; value: string; traceback: string } | null }
  | { readonly kind: 'command'; readonly exitCode: number }
  | { readonly kind: 'kernel-ended' }

/** A request is given up after this; runs have limits of their own. */
const requestTimeoutMs = 30_000

export async function connectService({ key, domain, apiUrl, sandboxUrl }: ServiceOptions): Promise<E2B> {
  // Loaded when it is first needed: most people never use the cloud.
  const sdk = await import('@e2b/code-interpreter')
  return new sdk.E2B({
    apiKey: key,
    requestTimeoutMs,
    debug: false,
    ...(domain ? { domain } : {}),
    ...(apiUrl ? { apiUrl } : {}),
    ...(sandboxUrl ? { sandboxUrl } : {}),
  })
}

/**
 * One machine of the service. Everything of the user's that it is handed has passed the egress guard; the rest is our
 * own fixed text.
 */
export class CloudMachine {
  readonly #machine: Machine
  readonly #contexts = new Map<Language, Promise<Context>>()
  #pythonPid: number | null = null
  #pythonArguments = '[]'
  #command: CommandHandle | null = null
  #going: Language | null = null

  constructor(machine: Machine) {
    this.#machine = machine
  }

  get id(): string {
    return this.#machine.sandboxId
  }

  /** Makes the folders and puts in what answers questions. */
  async prepare(): Promise<void> {
    await this.#machine.files.makeDir(workFolder)
    await this.#machine.files.writeFiles(questionFiles())
  }

  /** Finds the kernels that a machine has from before, after it was woken or copied. */
  async adopt(): Promise<this> {
    for (const context of await this.#machine.listCodeContexts()) {
      const language = Language.safeParse(context.language)
      // The service starts kernels of its own, in another folder.
      if (language.success && context.cwd === workFolder)
        this.#contexts.set(language.data, this.#ready(language.data, context))
    }
    await Promise.all(this.#contexts.values())
    return this
  }

  async run({ value: program }: Passed<Program>, timeoutMs: number, listener: Listener): Promise<Ran> {
    this.#going = program.language
    try {
      return program.language === 'bash'
        ? await this.#runCommand(program, listener)
        : await this.#runCode(program, timeoutMs, listener)
    } finally {
      this.#going = null
    }
  }

  async #runCode({ language, code, args, env }: Program, timeoutMs: number, listener: Listener): Promise<Ran> {
    const context = await this.#context(language)
    if (language === 'python') await this.#setArguments(context, args)
    const execution = await this.#machine.runCode(code, {
      context,
      envs: { ...env },
      timeoutMs,
      onStdout: ({ line }) => listener.stream('stdout', line),
      onStderr: ({ line }) => listener.stream('stderr', line),
      onResult: ({ raw, isMainResult }) => listener.result(raw, isMainResult),
    })
    if (!isWhole(execution)) return { kind: 'kernel-ended' }
    return { kind: 'code', error: execution.error ?? null }
  }

  /** They stay until another run has others, so that most runs are one request. */
  async #setArguments(context: Context, args: readonly string[]): Promise<void> {
    const wanted = JSON.stringify(args)
    if (wanted === this.#pythonArguments) return
    await this.#execute(context, pythonArguments(args), {})
    this.#pythonArguments = wanted
  }

  async #runCommand({ code, args, env }: Program, listener: Listener): Promise<Ran> {
    await this.#machine.files.write(`${ownFolder}/cell`, code)
    const handle = await this.#machine.commands.run(shellRun('cell', args), {
      background: true,
      cwd: workFolder,
      envs: { ...env },
      timeoutMs: 0,
      onStdout: async text => void (await listener.stream('stdout', text)),
      onStderr: async text => void (await listener.stream('stderr', text)),
    })
    this.#command = handle
    try {
      return { kind: 'command', exitCode: (await handle.wait()).exitCode }
    } catch (error) {
      const exitCode = Reflect.get(Object(error), 'exitCode')
      if (typeof exitCode === 'number') return { kind: 'command', exitCode }
      throw error
    } finally {
      this.#command = null
    }
  }

  /** Asks what is running to stop. False where the only way is to end the kernel. */
  async interrupt(): Promise<boolean> {
    if (this.#command) return this.#command.kill()
    if (this.#going !== null && this.#going !== 'python') return false
    if (this.#pythonPid === null) return false
    const sent = await this.#machine.commands.run(`kill -INT ${this.#pythonPid}`, { user: 'root' }).catch(() => null)
    return sent?.exitCode === 0
  }

  /** Ends the kernel of a language; its variables are gone. */
  async endKernel(language: Language): Promise<void> {
    const context = await this.#contexts.get(language)
    this.#contexts.delete(language)
    if (context) await this.#machine.removeCodeContext(context)
  }

  async restart(): Promise<void> {
    for (const language of [...this.#contexts.keys()]) await this.endKernel(language)
    await this.#machine.files.remove(`${ownFolder}/bash-state`).catch(() => undefined)
  }

  /** The answer of live Python state, as JSON that the kernel printed; null when it gave none. */
  async askPython({ value: question }: Passed<Question>): Promise<string | null> {
    const mark = `${randomUUID()} `
    return this.#answer('python', mark, pythonQuestion(mark, question))
  }

  /** Names that belong to a chain of names, in JavaScript or TypeScript. */
  async askScript(language: 'javascript' | 'typescript', { value: owner }: Passed<string>): Promise<string | null> {
    const mark = `${randomUUID()} `
    return this.#answer(language, mark, scriptQuestion(mark, owner))
  }

  async askShell({ value: start }: Passed<string>): Promise<string[]> {
    const { stdout } = await this.#machine.commands.run(shellNames(start), { cwd: workFolder })
    return stdout.split('\n').filter(Boolean)
  }

  async #answer(language: Language, mark: string, code: string): Promise<string | null> {
    const execution = await this.#execute(await this.#context(language), code, {})
    const printed = execution.logs.stdout.join('').split('\n')
    return printed.find(line => line.startsWith(mark))?.slice(mark.length) ?? null
  }

  #context(language: Language): Promise<Context> {
    const known = this.#contexts.get(language)
    if (known) return known
    const made = this.#machine
      .createCodeContext({ language, cwd: workFolder })
      .then(context => this.#ready(language, context))
    this.#contexts.set(language, made)
    made.catch(() => this.#contexts.delete(language))
    return made
  }

  async #ready(language: Language, context: Context): Promise<Context> {
    if (language !== 'python') return context
    const pid = Number((await this.#execute(context, pythonSetup, {})).logs.stdout.join(''))
    this.#pythonArguments = '[]'
    this.#pythonPid = Number.isSafeInteger(pid) && pid > 1 ? pid : null
    return context
  }

  #execute(context: Context, code: string, envs: Record<string, string>): Promise<Execution> {
    return this.#machine.runCode(code, { context, envs, timeoutMs: requestTimeoutMs })
  }

  async listAll() {
    return this.#machine.files.list(workFolder, { depth: 20 })
  }

  list(folder: string) {
    return this.#machine.files.list(folder === '' ? workFolder : `${workFolder}/${folder}`)
  }

  /** Null when it is longer than that. Its length is what comes: what the service says of it may be wrong by then. */
  async read(path: string, mostBytes: number): Promise<Buffer | null> {
    const stream = await this.#machine.files.read(`${workFolder}/${path}`, { format: 'stream' })
    const pieces: Uint8Array[] = []
    let bytes = 0
    for await (const piece of stream) {
      bytes += piece.length
      // Leaving the loop cancels the rest.
      if (bytes > mostBytes) return null
      pieces.push(piece)
    }
    return Buffer.concat(pieces)
  }

  async write({ value: file }: Passed<{ path: string; text: string }>): Promise<void> {
    await this.#machine.files.write(`${workFolder}/${file.path}`, file.text)
  }

  async remove(path: string): Promise<void> {
    await this.#machine.files.remove(`${workFolder}/${path}`)
  }

  isRunning(): Promise<boolean> {
    return this.#machine.isRunning()
  }

  async extend(ms: number): Promise<void> {
    await this.#machine.setTimeout(ms)
  }

  /** Wakes a machine that the service has paused. */
  async wake(ms: number): Promise<void> {
    await this.#machine.connect({ timeoutMs: ms })
  }

  async pause(): Promise<void> {
    await this.#machine.pause()
  }

  /** A copy with the same memory and files. */
  async fork(ms: number): Promise<CloudMachine> {
    const [copy] = await this.#machine.fork({ count: 1, timeoutMs: ms })
    if (!copy || copy instanceof Error) throw copy ?? new Error('nothing was copied')
    return new CloudMachine(copy)
  }

  /** Opens these hosts and shuts all others; what was open before is replaced. */
  async allow(hosts: HostLists): Promise<void> {
    await this.#machine.updateNetwork(
      hosts.length > 0 ? { allowOut: [...hosts], denyOut: ['0.0.0.0/0'] } : { allowInternetAccess: false },
    )
  }

  async metrics() {
    return (await this.#machine.getMetrics()).at(-1) ?? null
  }

  async kill(): Promise<void> {
    await this.#machine.kill()
  }
}

/** Every execution ends with its number or an error; one that has neither was cut off by the end of its kernel. */
const isWhole = ({ error, executionCount }: Execution) => error !== undefined || executionCount !== undefined
