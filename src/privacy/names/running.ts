import { type ChildProcess, fork } from 'node:child_process'
import { resolve } from 'node:path'
import type { Clock } from '../../clock.ts'
import type { ModelFacts, ModelStep, ModelTrial } from '../../contract/names.ts'
import type { Finding } from '../../contract/privacy.ts'
import { fail, type Outcome, ok, type Problem, problem } from '../../contract/problem.ts'
import { workerFile } from '../../places.ts'
import { readModelFolder } from './folder.ts'
import { type NamesAnswer, NamesAnswerSchema, type NamesRequest, type NamesTask } from './protocol.ts'

/**
 * One model, from the look at its folder to its end, in a process of its own. A thread would not do: one that is ended in
 * the middle of native code takes the whole application with it, and so does a damaged network.
 */
export interface RunningModel {
  state(): ModelState
  /** Waits until its folder has been looked at, which takes no time to speak of. */
  looked(): Promise<void>
  /** Waits until the model is ready, or it is known why it never will be. */
  ready(): Promise<Outcome<LoadedModel>>
  /** What the model finds in texts; no answer is ever taken from memory. */
  ask(texts: readonly string[]): Promise<Outcome<readonly (readonly Finding[])[]>>
  close(): Promise<void>
}

export interface LoadedModel {
  readonly model: ModelFacts
  readonly trial: ModelTrial
}

export type ModelState =
  | { readonly step: ModelStep; readonly ms: number; readonly model: ModelFacts | null }
  | ({ readonly step: 'ready' } & LoadedModel)
  | { readonly step: 'failed'; readonly problem: Problem }

/** Has a person, an organisation and a place in it, as most models were trained to find them. */
export const trialText = 'Maria Lindqvist of Acme Insurance met Tom Brennan in Dublin.'

/** `program` is what runs in the other process. */
export function runModel(folder: string, clock: Clock, program = workerFile('names')): RunningModel {
  const begun = clock.now()
  const waiting = new Map<number, (answer: Outcome<readonly (readonly Finding[])[]>) => void>()
  let state: ModelState = { step: 'files', ms: 0, model: null }
  let child: ChildProcess | null = null
  let closed = false
  let held = 0
  let next = 0
  let settle: (outcome: Outcome<LoadedModel>) => void = () => undefined
  const loaded = new Promise<Outcome<LoadedModel>>(done => (settle = done))

  const end = async (why: Problem): Promise<void> => {
    if (state.step !== 'failed') state = { step: 'failed', problem: why }
    settle({ ok: false, problem: why })
    for (const answer of waiting.values()) answer({ ok: false, problem: why })
    waiting.clear()
    const ending = child
    child = null
    if (!ending?.pid || ending.exitCode !== null || ending.signalCode !== null) return
    await new Promise<void>(done => {
      // Whoever waits for this end must still be there when it comes.
      ending.ref()
      ending.once('exit', () => done())
      ending.kill('SIGKILL')
    })
  }
  const broke = (why: string): Promise<void> => end(unusable(folder, why))

  const open = async (): Promise<void> => {
    const found = await readModelFolder(folder)
    if (closed) return
    if (!found.ok) return end(found.problem)
    const { facts, network } = found.value
    state = { step: 'model', ms: 0, model: facts }
    const task: NamesTask = { folder: resolve(folder), network, trial: trialText }
    const started = start(program, task)
    child = started
    hold()
    let loadMs = 0
    const take = (answer: NamesAnswer): void => {
      if (answer.type === 'loaded') {
        loadMs = answer.ms
        state = { step: 'trial', ms: 0, model: facts }
      } else if (answer.type === 'ready') {
        const trial: ModelTrial = { text: trialText, findings: answer.findings, ms: answer.ms, loadMs }
        state = { step: 'ready', model: facts, trial }
        settle(ok({ model: facts, trial }))
      } else if (answer.type === 'failed') void broke(answer.message)
      else {
        waiting.get(answer.id)?.(ok(answer.findings))
        waiting.delete(answer.id)
      }
    }
    started.on('message', message => started === child && take(NamesAnswerSchema.parse(message)))
    started.on('error', error => started === child && void broke(error.message))
    // One that runs out of memory ends without a word; whoever waits for it would wait for ever.
    started.on('exit', (code, signal) => started === child && void broke(`its process ended with ${signal ?? code}`))
  }
  const opening = open().catch(error => broke(error instanceof Error ? error.message : String(error)))

  /** An idle model does not keep the application from ending; an open question does. */
  const hold = (): void => {
    for (const each of [child, child?.channel]) held > 0 ? each?.ref() : each?.unref()
  }
  const holding = async <T>(work: () => Promise<T>): Promise<T> => {
    held++
    hold()
    try {
      return await work()
    } finally {
      held--
      hold()
    }
  }

  return {
    state: () => ('ms' in state ? { ...state, ms: Math.max(0, clock.now() - begun) } : state),
    looked: () => opening,
    ready: () => holding(() => loaded),
    ask: texts =>
      holding(async () => {
        await opening
        if (state.step === 'failed') return { ok: false, problem: state.problem }
        const id = next++
        const request: NamesRequest = { type: 'look', id, texts }
        return new Promise(answer => {
          waiting.set(id, answer)
          child?.send(request)
        })
      }),
    async close() {
      closed = true
      await end(problem('request.cancelled', 'The model was unloaded.', 'Names are found by rules.'))
    },
  }
}

function start(program: string, task: NamesTask): ChildProcess {
  // Only what a program needs to start: keys and proxies of this user are none of a model's business.
  const wanted = ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'SYSTEMROOT', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH']
  const given = Object.entries(process.env).filter(([name]) => wanted.includes(name.toUpperCase()))
  return fork(program, [JSON.stringify(task)], {
    // The desktop's own binary is Node as well, when it is told so.
    env: { ...Object.fromEntries(given), ELECTRON_RUN_AS_NODE: '1' },
    execArgv: [],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
}

/** The value, or a problem when it did not come in time. Whoever owns the work ends it. */
export function within<T>(clock: Clock, ms: number, work: Promise<Outcome<T>>, what: string): Promise<Outcome<T>> {
  return new Promise(done => {
    const hint = 'Choose a smaller model.'
    const late = () => done(fail('names.slow', `${what} within ${ms / 1000} s.`, hint))
    // Whoever has no time does not wait: a timer of no time and an answer may come in either order.
    if (ms <= 0) return late()
    const cancel = clock.after(ms, late)
    void work.then(outcome => {
      cancel()
      done(outcome)
    })
  })
}

const unusable = (folder: string, why: string): Problem =>
  problem(
    'names.failed',
    `The model in ${folder} cannot be used: ${why.replace(/\.$/, '')}.`,
    'Check that all its files came over whole and belong together.',
  )
