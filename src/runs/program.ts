import type { Version } from '../contract/conversations.ts'
import type { CellId, UserId } from '../contract/ids.ts'
import { fail, type Outcome, ok } from '../contract/problem.ts'
import { Language } from '../contract/run.ts'
import { Code } from '../contract/runs.ts'
import type { CellNow } from '../conversations/conversations.ts'
import type { DraftRun } from './run.ts'

/** The code of a run, where it stands and who wrote it. */
export type Program = Pick<DraftRun, 'cell' | 'revision' | 'language' | 'code' | 'authors'>

/** The program in a cell, if the cell still is as the person saw it and says something that runs. */
export function programIn(now: CellNow, cell: CellId, revision: Version, user: UserId): Outcome<Program> {
  if (now.kind !== 'cell') return fail('not-found', 'This cell does not exist any more.', 'Undo brings it back.')
  if (now.revision !== revision)
    return fail('conflict', 'The cell was changed after you saw it.', 'Look at it as it is now, and run it again.')
  const language = Language.safeParse(now.language)
  if (!language.success)
    return fail('request.invalid', `A cell in ${now.language} does not run.`, 'Choose a language that runs.')
  const code = Code.safeParse(now.text)
  if (!code.success)
    return fail('request.invalid', code.error.issues[0]?.message ?? 'It is not code.', 'Split it over several cells.')
  return ok({
    cell,
    revision,
    language: language.data,
    code: code.data,
    authors: unique([user, ...now.authors]),
  })
}

export const unique = <T>(all: readonly T[]): T[] => [...new Set(all)]
