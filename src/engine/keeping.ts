import { keepBin, keepFiles, keepRetention, keepVerified } from '../audit/audit.ts'
import { retentionChosen } from '../contract/settings.ts'
import { watchRecord } from '../watching.ts'
import type { EngineOptions, Foundation } from './foundation.ts'
import type { Paths } from './paths.ts'
import type { Running } from './running.ts'

export type Keeping = ReturnType<typeof createKeeping>

/** What looks after the record: its alerts and measures and, where the application stays, the work of each day. */
export function createKeeping(
  { audit, caller, clock, events, files, log, onProblem, privacy, settings, tenant }: Foundation,
  { conversations }: Pick<Paths, 'conversations'>,
  { tools }: Pick<Running, 'tools'>,
  { lasting, notify }: Pick<EngineOptions, 'notify'> & { readonly lasting: boolean },
) {
  const days = () => retentionChosen(settings.view())
  // A command that runs once leaves these to the application that stays.
  const daily = lasting
    ? [
        keepRetention({ audit, clock, days, onProblem }),
        keepVerified({ audit, clock, onProblem }),
        keepBin({ clock, empty: () => conversations.emptyBin(caller), onProblem }),
        keepFiles({ files, tools, clock, days, onProblem }),
      ]
    : []
  const watching = watchRecord({
    ...{ audit, events, privacy, settings, tenant, clock, log, lasting },
    ...(notify ? { notify } : {}),
  })
  return { daily, watching }
}
