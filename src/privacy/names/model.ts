import type { Clock } from '../../clock.ts'
import type { NamesStatus } from '../../contract/names.ts'
import type { Finding } from '../../contract/privacy.ts'
import { type RunningModel, runModel, within } from './running.ts'

/**
 * A second signal for names, places and organisations: a token-classification model from a folder that the user chose,
 * in a process of its own. It is never the guarantee: what it does not answer in time is left to the rules.
 */
export interface NamesModel {
  /** Loads the model in a folder, or puts the current one away (`''`). Nothing is ever downloaded. */
  use(folder: string): void
  /** Stops a model that is still being loaded, for whoever does not want to wait. */
  stop(): void
  /** Loads the model once more, after it was stopped or has failed. */
  again(): void
  /** Looks at texts and remembers what it found; gives up at the end of the budget. */
  look(texts: readonly string[]): Promise<void>
  /** What was found in a text that was looked at, with at least this score. */
  known(text: string, least: number): readonly Finding[]
  status(): NamesStatus
  /** Waits until the folder has been looked at, so that the status says what is wrong with it. */
  looked(): Promise<void>
  close(): Promise<void>
}

export interface NamesModelOptions {
  readonly clock: Clock
  /** Longest wait for an answer, in milliseconds. */
  readonly budgetMs?: number
}

/** Texts whose answers are remembered, and the longest text that the model is asked about. */
const mostRemembered = 256
const longestText = 100_000

export function createNamesModel({ clock, budgetMs = 2000 }: NamesModelOptions): NamesModel {
  const answers = new Map<string, readonly Finding[]>()
  let folder = ''
  let model: RunningModel | null = null

  const putAway = async (): Promise<void> => {
    const ending = model
    model = null
    answers.clear()
    await ending?.close()
  }
  const start = (): void => {
    void putAway()
    if (folder !== '') model = runModel(folder, clock)
  }

  return {
    use(chosen) {
      if (chosen === folder) return
      folder = chosen
      start()
    },
    stop() {
      if (model && 'ms' in model.state()) void putAway()
    },
    again() {
      const step = model?.state().step
      if (step === undefined || step === 'failed') start()
    },
    async look(texts) {
      const wanted = [...new Set(texts)].filter(text => text.length > 2 && text.length <= longestText)
      const asked = wanted.filter(text => !answers.has(text))
      for (const text of wanted) {
        // To the end of the line: what belongs to this question is forgotten last.
        const known = answers.get(text)
        if (known && answers.delete(text)) answers.set(text, known)
      }
      const asking = model
      if (!asking || asked.length === 0) return
      const answer = await within(clock, budgetMs, asking.ask(asked), 'The model did not answer')
      // Another model may have been chosen meanwhile: this one's names are not its own.
      if (!answer.ok || asking !== model) return
      for (const [at, text] of asked.entries()) answers.set(text, answer.value[at] ?? [])
      for (const oldest of answers.keys()) {
        // Never less than was asked for at once: of a long list of texts the first would be forgotten before it is used.
        if (answers.size <= Math.max(mostRemembered, wanted.length)) break
        answers.delete(oldest)
      }
    },
    known: (text, least) => (answers.get(text) ?? []).filter(({ score }) => score >= least),
    status: () => statusOf(folder, model),
    looked: async () => model?.looked(),
    close: putAway,
  }
}

function statusOf(folder: string, running: RunningModel | null): NamesStatus {
  if (folder === '') {
    return {
      state: 'off',
      folder,
      detail: 'No model for names is set, so names are found by rules alone. Choose a model folder in the settings.',
    }
  }
  const state = running?.state()
  if (!state) {
    const detail = `The model in ${folder} was stopped before it was loaded, so names are found by rules alone.`
    return { state: 'stopped', folder, detail }
  }
  if (state.step === 'failed') {
    const { problem } = state
    return { state: 'failed', folder, problem, detail: `${problem.message} Names are found by rules alone.` }
  }
  if (state.step === 'ready') {
    const { model, trial } = state
    return { state: 'ready', folder, detail: `Names are also found by the model in ${folder}.`, model, trial }
  }
  return { state: 'loading', folder, detail: `Loading the model in ${folder}.`, ...state }
}
