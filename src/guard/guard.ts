import { Worker } from 'node:worker_threads'
import { type Clock, systemClock } from '../clock.ts'
import type { Inspection } from '../contract/inspection.ts'
import type { Language } from '../contract/run.ts'
import { workerFile } from '../places.ts'
import type { GuardOptions } from './inspect.ts'
import type { Answer, Question } from './worker.ts'

/** Says what code would do before it runs. Parsing happens in a thread: a hostile text costs a worker, not the app. */
export interface Guard {
  /** Never rejects because of the code: what cannot be read in time is answered with a raised level. */
  inspect(code: string, language: Language, signal?: AbortSignal): Promise<Inspection>
  close(): Promise<void>
}

export interface GuardSettings extends GuardOptions {
  /** Longest time for one program. Expiry raises the level; it never passes for harmless. */
  readonly timeLimitMs?: number
  readonly clock?: Clock
}

/** Longer texts are not looked at: no run takes them, and a scan must end. */
const longestCode = 1024 * 1024

export function createGuard(settings: GuardSettings = {}): Guard {
  const { timeLimitMs = 5_000, clock = systemClock, blockedImports } = settings
  const options: GuardOptions = blockedImports ? { blockedImports } : {}
  let worker: Worker | undefined
  let current: Job | undefined
  let closed = false
  let nextId = 0
  const waiting: Job[] = []

  function start(): Worker {
    const made = new Worker(workerFile('guard'), { resourceLimits: { maxOldGenerationSizeMb: 512, stackSizeMb: 4 } })
    made.unref()
    made.on('message', (answer: Answer) => {
      if (answer.id !== current?.question.id) return
      finish(
        'inspection' in answer
          ? answer.inspection
          : unread('worker', `The guard failed on this code: ${firstLine(answer.failure)}`),
      )
    })
    made.on('error', thrown => {
      worker = undefined
      finish(unread('worker', `The guard failed on this code: ${firstLine(String(thrown))}`))
    })
    return made
  }

  function finish(inspection: Inspection): void {
    const job = current
    if (job === undefined) return
    current = undefined
    job.stopClock?.()
    job.settle(inspection)
    next()
  }

  function next(): void {
    if (current !== undefined || closed) return
    current = waiting.shift()
    if (current === undefined) {
      worker?.unref()
      return
    }
    worker ??= start()
    worker.ref()
    current.stopClock = clock.after(timeLimitMs, () => {
      // Cannot be asked to stop: it is busy. The next program gets a new thread.
      worker?.terminate()
      worker = undefined
      finish(unread('time-limit', `The code could not be read within ${timeLimitMs} ms.`))
    })
    worker.postMessage(current.question)
  }

  return {
    inspect(code, language, signal) {
      if (closed) return Promise.reject(new Error('The guard is closed.'))
      if (signal?.aborted) return Promise.reject(signal.reason)
      if (code.length > longestCode) return Promise.resolve(unread('size', 'The code is too long to be read.'))
      return new Promise((resolve, reject) => {
        const job: Job = { question: { id: nextId++, code, language, options }, settle: resolve, fail: reject }
        signal?.addEventListener('abort', () => {
          const at = waiting.indexOf(job)
          if (at !== -1) waiting.splice(at, 1)
          reject(signal.reason)
        })
        waiting.push(job)
        next()
      })
    },
    async close() {
      closed = true
      for (const job of [...waiting.splice(0), ...(current ? [current] : [])])
        job.fail(new Error('The guard was closed.'))
      current?.stopClock?.()
      current = undefined
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

interface Job {
  readonly question: Question
  readonly settle: (inspection: Inspection) => void
  readonly fail: (reason: Error) => void
  stopClock?: () => void
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
