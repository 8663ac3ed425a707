import { type ChildProcess, fork } from 'node:child_process'
import { workerFile } from '../../places.ts'
import { EmbedAnswer, type EmbedRequest, type EmbedTask } from './protocol.ts'

/** A sentence model in a process of its own, started with the first text. */
export class Embedder {
  readonly #task: EmbedTask
  #child: ChildProcess | null = null
  #next = 0
  #failed: string | null = null
  readonly #waiting = new Map<number, (vectors: Float32Array[] | null) => void>()

  constructor(task: EmbedTask) {
    this.#task = task
  }

  /** Why it cannot be used, where that is known. */
  get problem(): string | null {
    return this.#failed
  }

  /** One vector for each text; null where the model cannot be used. */
  embed(texts: readonly string[]): Promise<Float32Array[] | null> {
    if (this.#failed !== null) return Promise.resolve(null)
    this.#child ??= this.#start()
    const child = this.#child
    const request: EmbedRequest = { id: this.#next++, texts }
    return new Promise(resolve => {
      this.#waiting.set(request.id, vectors => resolve(vectors?.length === texts.length ? vectors : null))
      this.#hold()
      child.send(request)
    })
  }

  async close(): Promise<void> {
    this.#failed ??= 'it was put away'
    const child = this.#child
    this.#fail(this.#failed)
    if (!child?.pid || child.exitCode !== null || child.signalCode !== null) return
    await new Promise<void>(done => {
      child.ref()
      child.once('exit', () => done())
      child.kill('SIGKILL')
    })
  }

  #start(): ChildProcess {
    // Only what a program needs to start: keys and proxies of this user are none of a model's business.
    const wanted = ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'SYSTEMROOT', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH']
    const given = Object.entries(process.env).filter(([name]) => wanted.includes(name.toUpperCase()))
    const child = fork(workerFile('sentences'), [JSON.stringify(this.#task)], {
      // The desktop's own binary is Node as well, when it is told so.
      env: { ...Object.fromEntries(given), ELECTRON_RUN_AS_NODE: '1' },
      execArgv: [],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    child.on('message', message => {
      const answer = EmbedAnswer.safeParse(message)
      if (!answer.success) return this.#fail('it answered with something else')
      if (answer.data.type === 'failed') return this.#fail(answer.data.message)
      if (answer.data.type === 'ready') return
      this.#waiting.get(answer.data.id)?.(answer.data.vectors)
      this.#waiting.delete(answer.data.id)
      this.#hold()
    })
    child.on('error', error => this.#fail(error.message))
    child.on('exit', (code, signal) => this.#fail(`its process ended with ${signal ?? code}`))
    return child
  }

  /** An idle model does not keep the application from ending; an open question does. */
  #hold(): void {
    for (const each of [this.#child, this.#child?.channel]) this.#waiting.size > 0 ? each?.ref() : each?.unref()
  }

  #fail(why: string): void {
    this.#failed ??= why
    // One that could not load its model answers nothing any more, and would keep the application from ending.
    this.#child?.kill('SIGKILL')
    this.#child = null
    for (const answer of this.#waiting.values()) answer(null)
    this.#waiting.clear()
  }
}
