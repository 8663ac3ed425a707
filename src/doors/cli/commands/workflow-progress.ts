import { stripVTControlCharacters } from 'node:util'
import type { EngineEvent } from '../../../contract/events.ts'
import type { RunId } from '../../../contract/ids.ts'
import { placeWords } from '../../../contract/placement.ts'
import type { Shown } from '../../../contract/shown.ts'
import { visible } from '../../../contract/visible.ts'
import type { TaskView, WorkflowView } from '../../../contract/workflow.ts'

/** Lines of one run that are shown while it goes on; a chatty task must not bury the others. */
const mostLines = 200
/** Pieces kept of a run that no task has named yet. */
const mostHeld = 1000

/** Tells in lines what becomes of a workflow: where its tasks stand, and what they print, under the task's name. */
export class Progress {
  readonly #id: WorkflowView['id']
  readonly #write: (line: string) => void
  readonly #shown = new Map<string, string>()
  readonly #names = new Map<RunId, string>()
  /** What a run printed before anybody said whose it is: news of a workflow come a little later. */
  readonly #held = new Map<RunId, Shown[]>()
  readonly #tails = new Map<RunId, string>()
  readonly #lines = new Map<RunId, number>()

  constructor(id: WorkflowView['id'], write: (line: string) => void) {
    this.#id = id
    this.#write = write
  }

  hear(event: EngineEvent): void {
    if (event.type === 'workflow' && event.workflow.id === this.#id) this.stands(event.workflow)
    else if (event.type === 'run.output') this.#outputs(event.run, event.outputs)
    else if (event.type === 'run' && event.run.outcome) this.#endLine(event.run.run)
  }

  stands({ tasks }: WorkflowView): void {
    for (const task of tasks) {
      for (const [at, run] of task.runs.entries()) {
        this.#names.set(run, task.runs.length > 1 ? `${task.name}#${at}` : task.name)
        const held = this.#held.get(run)
        this.#held.delete(run)
        if (held) this.#outputs(run, held)
      }
      if (task.state === 'pending' || this.#shown.get(task.name) === task.state) continue
      this.#shown.set(task.name, task.state)
      for (const run of task.state === 'running' ? [] : task.runs) this.#endLine(run)
      this.#write(taskLine(task))
    }
  }

  #outputs(run: RunId, outputs: readonly Shown[]): void {
    if (!this.#names.has(run)) {
      const held = this.#held.get(run) ?? []
      this.#held.set(run, [...held, ...outputs].slice(0, mostHeld))
      return
    }
    for (const output of outputs) {
      const lines = `${this.#tails.get(run) ?? ''}${textOf(output)}`.split('\n')
      this.#tails.set(run, lines.pop() ?? '')
      for (const line of lines) this.#line(run, line)
    }
  }

  /** The last line of a program often has no end. */
  #endLine(run: RunId): void {
    const tail = this.#tails.get(run) ?? ''
    this.#tails.delete(run)
    if (tail !== '' && this.#names.has(run)) this.#line(run, tail)
  }

  #line(run: RunId, line: string): void {
    const count = (this.#lines.get(run) ?? 0) + 1
    this.#lines.set(run, count)
    if (count > mostLines + 1) return
    const text = count > mostLines ? '… it prints more, which the record has' : plain(line)
    this.#write(`  ${this.#names.get(run)} | ${text}`)
  }
}

export function taskLine({ name, type, placement, state, startedAt, finishedAt, outputs }: TaskView): string {
  const isOver = state !== 'skipped' && startedAt !== null && finishedAt !== null
  const took = isOver ? ` ${((finishedAt - startedAt) / 1000).toFixed(2)} s` : ''
  const left = outputs && Object.keys(outputs).length > 0 ? ` ${JSON.stringify(outputs).slice(0, 200)}` : ''
  return `${state.padEnd(9)} ${name} (${type}${placement ? `, ${placeWords(placement)}` : ''})${took}${visible(left)}`
}

function textOf(output: Shown): string {
  switch (output.type) {
    // A line that was printed cannot be taken back.
    case 'clear':
      return ''
    case 'stream':
      return output.text
    case 'display':
    case 'update':
    case 'result': {
      const text = output.data['text/plain']
      return `${typeof text === 'string' ? text : `[${Object.keys(output.data).join(', ')}]`}\n`
    }
    case 'error':
      return `${output.error.traceback.join('\n') || `${output.error.name}: ${output.error.message}`}\n`
    case 'notice':
      return `${output.text}\n`
  }
}

/** Code of a task must not move the cursor over what another printed. A line that was redrawn counts as it was last. */
const plain = (line: string): string =>
  stripVTControlCharacters(line.replace(/\r+$/, '').replace(/^.*\r/s, ''))
    .replace(/(?!\t)\p{Cc}/gu, '')
    .slice(0, 500)
