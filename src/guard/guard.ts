import { Worker } from 'node:worker_threads'
import { type Clock, systemClock } from '../clock.ts'
import type { Inspection } from '../contract/inspection.ts'
import type { Language } from '../contract/run.ts'
import { workerFile } from '../places.ts'
import { type Dependencies, nothingKnown } from './dependencies.ts'
import type { Answer, Question } from './worker.ts'

/** Says what code would do before it runs. Parsing happens in a thread: a hostile text costs a worker, not the app. */
export interface Guard {
  /** Never rejects because of the code: what cannot be read in time is answered with a raised level. */
  inspect(code: string, language: Language, signal?: AbortSignal): Promise<Inspection>
  /** What a cell takes from the cells before it and leaves for those behind it; unknown when it cannot be told in time. */
  dependencies(code: string, language: Language, signal?: AbortSignal): Promise<Dependencies>
  close(): Promise<void>
}

export type { Dependencies } from './dependencies.ts'

export interface GuardSettings {
  /** Longest time for one program. Expiry raises the level; it never passes for harmless. */
  readonly timeLimitMs?: number
  readonly clock?: Clock
  /** The interpreter that would run Python; without one, what cannot be read is never called a mistake. */
  readonly python?: () => Promise<string | null>
}

/** Longer texts are not looked at: no run takes them, and a scan must end. */
const longestCode = 1024 * 1024
/** A thread that has not loaded by then will not. */
const startLimitMs = 60_000
/** So many programs are handed to the thread at once, so that it need not wait for the way there and back. */
const ahead = 4

export function createGuard(settings: GuardSettings = {}): Guard {
  const { timeLimitMs = 5_000, clock = systemClock, python = async () => null } = settings
  let worker: Worker | undefined
  /** Whether the thread has loaded what it reads with; how long that takes says nothing about any code. */
  let isReady = false
  let closed = false
  let nextId = 0
  const waiting: Job[] = []
  /** What the thread has been given; it reads one after the other, and the clock of the first runs. */
  const given: Job[] = []

  function start(): Worker {
    const made = new Worker(workerFile('guard'), { resourceLimits: { maxOldGenerationSizeMb: 512, stackSizeMb: 4 } })
    made.unref()
    isReady = false
    made.on('message', (answer: Answer | 'ready') => {
      if (made !== worker) return
      if (answer === 'ready') {
        isReady = true
        restartClock()
        return
      }
      const [job] = given
      if (answer.id !== job?.question.id) return
      given.shift()
      settle(
        job,
        'inspection' in answer
          ? answer.inspection
          : 'dependencies' in answer
            ? answer.dependencies
            : unread('worker', `The guard failed on this code: ${firstLine(answer.failure)}`),
      )
    })
    made.on('error', thrown => lose(unread('worker', `The guard failed on this code: ${firstLine(String(thrown))}`)))
    return made
  }

  function settle(job: Job, found: Found): void {
    job.stopClock?.()
    job.settle(found)
    next()
  }

  /** The thread is no more, because of the first program that it had; the others are for the next thread. */
  function lose(inspection: Inspection): void {
    worker = undefined
    const [first, ...others] = given.splice(0)
    waiting.unshift(...others)
    if (first) settle(first, inspection)
  }

  function restartClock(): void {
    const [first] = given
    first?.stopClock?.()
    if (first) first.stopClock = undefined
    next()
  }

  function next(): void {
    if (closed) return
    while (given.length < ahead) {
      const job = waiting.shift()
      if (job === undefined) break
      given.push(job)
      worker ??= start()
      worker.postMessage(job.question)
    }
    const [first] = given
    if (first === undefined) worker?.unref()
    else {
      worker?.ref()
      first.stopClock ??= clock.after(isReady ? timeLimitMs : timeLimitMs + startLimitMs, () => {
        // Cannot be asked to stop: it is busy.
        worker?.terminate()
        lose(unread('time-limit', `The code could not be read within ${timeLimitMs} ms.`))
      })
    }
  }

  function ask(about: Omit<Question, 'id'>, signal?: AbortSignal): Promise<Found> {
    if (closed) return Promise.reject(new Error('The guard is closed.'))
    if (signal?.aborted) return Promise.reject(signal.reason)
    if (about.code.length > longestCode) return Promise.resolve(unread('size', 'The code is too long to be read.'))
    return new Promise((resolve, reject) => {
      const takeBack = (): void => {
        const at = waiting.indexOf(job)
        if (at !== -1) waiting.splice(at, 1)
        reject(signal?.reason)
      }
      const job: Job = {
        question: { ...about, id: nextId++ },
        settle: found => {
          // A signal may outlive thousands of questions.
          signal?.removeEventListener('abort', takeBack)
          resolve(found)
        },
        fail: reject,
      }
      signal?.addEventListener('abort', takeBack)
      waiting.push(job)
      next()
    })
  }

  return {
    async inspect(code, language, signal) {
      const inspected = async (python: string | null): Promise<Inspection> => {
        const found = await ask({ code, language, python }, signal)
        return 'risk' in found ? found : unread('worker', 'The guard gave another answer than it was asked for.')
      }
      const inspection = await inspected(null)
      // To start an interpreter takes a while; what is harmless is compiled where it runs, before any of it runs.
      if (language !== 'python' || (inspection.complete && inspection.risk === 'low')) return inspection
      const interpreter = await python().catch(() => null)
      if (interpreter === null) return inspection
      const compiled = await inspected(interpreter)
      // An interpreter that takes too long says nothing about the code.
      return compiled.syntaxError ? compiled : inspection
    },
    async dependencies(code, language, signal) {
      const found = await ask({ code, language, python: null, dependencies: true }, signal)
      return 'reads' in found ? found : nothingKnown
    },
    async close() {
      closed = true
      for (const job of [...given.splice(0), ...waiting.splice(0)]) {
        job.stopClock?.()
        job.fail(new Error('The guard was closed.'))
      }
      await worker?.terminate()
      worker = undefined
    },
  }
}

/** A guard for a process that is started for a program or two, and serves nobody else while it reads them. */
export async function createGuardHere(settings: GuardSettings = {}): Promise<Guard> {
  const { readingHere } = await import('./here.ts')
  return readingHere(createGuard(settings), settings)
}

type Found = Inspection | Dependencies

interface Job {
  readonly question: Question
  readonly settle: (found: Found) => void
  readonly fail: (reason: Error) => void
  stopClock?: (() => void) | undefined
}

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? text

/** The answer for code that nobody could read: high, and nothing known about its impact. */
function unread(why: 'time-limit' | 'size' | 'worker', message: string): Inspection {
  return {
    risk: 'high',
    violations: [
      {
        rule: `surface/${why}`,
        type: 'unparseable',
        severity: 'high',
        line: 1,
        column: 1,
        endLine: 1,
        endColumn: 1,
        message,
        recommendation: 'Simplify or split the code so that it can be read before it runs.',
        cwe: 'CWE-1120',
      },
    ],
    impact: {
      filesRead: [],
      filesWritten: [],
      filesDeleted: [],
      hosts: [],
      commands: [],
      dataModified: [],
      volume: 'unknown',
      reversible: 'unknown',
      blastRadius: 'system',
      estimate: { time: 'unknown', memory: 'unknown' },
    },
    complexity: 0,
    imports: [],
    complete: false,
  }
}
