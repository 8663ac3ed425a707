import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { ParseArgsOptionsConfig } from 'node:util'
import { systemClock } from '../../../clock.ts'
import { Failure, type Problem } from '../../../contract/problem.ts'
import type { Settings } from '../../../contract/settings.ts'
import { homeFolder } from '../../../places.ts'
import { type AskNames, type RunningModel, runModel, within } from '../../../privacy/privacy.ts'
import { type Arguments, type Io, UsageError } from '../command.ts'

export const namesOptions: ParseArgsOptionsConfig = {
  'names-model': { type: 'string' },
  'no-names-model': { type: 'boolean' },
}

/** The lines of `--help`, with what the options do beginning at this column. */
export const namesHelp = (column: number): string => `\
${'  --names-model FOLDER'.padEnd(column)}ask the model for names in this folder, whatever the settings say
${'  --no-names-model'.padEnd(column)}ask none

Rules always look for names; a model is asked as well when the settings name its folder (privacy.namesModel) and do not
switch it off. What it finds has the rule name-model and a score of its own, which is at least privacy.namesLeast. A model
that fails, or takes more than 30 s to load or 10 s for 16 parts of 900 characters, is not asked any more: a line on
standard error says so, what the rules find stands, and the exit code is the same. A folder given here that holds no model
at all is an error.`

/** A model that is asked for as long as it answers. */
export interface AskedModel {
  readonly ask: AskNames
  close(): Promise<void>
}

/** Nobody looks at a window meanwhile; but a command that never ends is of no use either. */
export interface Patience {
  readonly loadMs: number
  readonly answerMs: number
}
const patience: Patience = { loadMs: 30_000, answerMs: 10_000 }

/** The model that the command line or the settings name; null when there is none. It is loaded while the text is read. */
export async function openNames(
  { values }: Arguments,
  io: Io,
  { loadMs, answerMs } = patience,
): Promise<AskedModel | null> {
  const given = values['names-model']
  if (values['no-names-model'] === true) {
    if (given !== undefined) throw new UsageError('Give --names-model or --no-names-model, not both.')
    return null
  }
  if (given === undefined && !mayNameModel(io)) return null
  const { namesModel, namesByModel, namesLeast } = await privacySettings(io)
  const folder = typeof given === 'string' ? given : namesByModel ? namesModel : ''
  if (folder === '') return null
  const model = runModel(resolve(io.cwd, folder), systemClock)
  if (given !== undefined) await mustBeModel(model)
  const asked = askWhileItAnswers(model, { loadMs, answerMs }, problem => {
    if (!io.signal.aborted) io.stderr.write(`countersign: ${lineAbout(problem)}\n`)
  })
  const stop = () => void model.close()
  // Ctrl+C does not wait for a model.
  io.signal.addEventListener('abort', stop)
  return {
    ask: async texts => (await asked(texts))?.map(found => found.filter(({ score }) => score >= namesLeast)) ?? null,
    async close() {
      io.signal.removeEventListener('abort', stop)
      await model.close()
    },
  }
}

/** A folder that was named on the command line and holds no model is a mistake, which must not pass for "no names". */
async function mustBeModel(model: RunningModel): Promise<void> {
  await model.looked()
  const state = model.state()
  if (state.step !== 'failed') return
  const { code, message } = state.problem
  throw new Failure(code, message, 'Give the folder of a model for names, or leave --names-model out.')
}

/** Whether any layer of the settings has the word at all: reading them takes a tenth of the time of a short command. */
function mayNameModel({ env }: Io): boolean {
  if (env.COUNTERSIGN_PRIVACY_NAMES_MODEL) return true
  return ['settings.json', 'config.json'].some(name => {
    try {
      return readFileSync(join(homeFolder(env), name), 'utf8').includes('namesModel')
    } catch {
      return false
    }
  })
}

async function privacySettings(io: Io): Promise<Settings['privacy']> {
  const { openSettings } = await import('../../../settings/settings.ts')
  const settings = openSettings(homeFolder(io.env), io.env, systemClock)
  for (const { message, hint } of settings.problems) io.stderr.write(`countersign: ${message} ${hint}\n`)
  return settings.current.privacy
}

function askWhileItAnswers(
  model: RunningModel,
  { loadMs, answerMs }: Patience,
  warn: (problem: Problem) => void,
): AskNames {
  let gaveUp = false
  const giveUp = (problem: Problem): null => {
    gaveUp = true
    warn(problem)
    // It may be busy with a question that nobody waits for any more, for a long time.
    void model.close()
    return null
  }
  return async texts => {
    if (gaveUp) return null
    const ready = await within(systemClock, loadMs, model.ready(), 'The model for names was not loaded')
    if (!ready.ok) return giveUp(ready.problem)
    const answer = await within(systemClock, answerMs, model.ask(texts), 'The model for names did not answer')
    return answer.ok ? answer.value : giveUp(answer.problem)
  }
}

const lineAbout = ({ code, message, hint }: Problem): string =>
  `${message} From here on names are found by rules alone. ${hint} (${code})`
