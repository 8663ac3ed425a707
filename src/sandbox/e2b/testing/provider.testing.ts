import { systemClock } from '../../../clock.ts'
import { ok } from '../../../contract/problem.ts'
import { passed } from '../../../privacy/testing.ts'
import { testIds } from '../../testing.ts'
import type { CloudGuard } from '../cloud-sandbox.ts'
import { type CloudMeter, type E2bOptions, e2bProvider } from '../e2b.ts'

/** Everything may leave as it is. */
export const unguarded: CloudGuard = {
  pass: async payload => ok(passed(payload)),
  restore: async value => value,
  restoring: async () => ({ another: () => ({ push: text => text, end: () => '' }) }),
}

/** Notes the stretches that it is told of. */
export function notingMeter() {
  const stretches: { begun: string; over: number | null }[] = []
  const meter: CloudMeter = {
    allowance: async () => ok([]),
    async begin({ begun }) {
      const stretch = { begun, over: null as number | null }
      stretches.push(stretch)
      return {
        seen: () => undefined,
        over: async at => {
          stretch.over ??= at
        },
      }
    },
    left: async () => undefined,
  }
  return { meter, stretches }
}

export const tenMinutes = 600_000

/** A provider that policy, person and limits let do everything. */
export const openProvider = (options: Partial<E2bOptions> & Pick<E2bOptions, 'home' | 'env'>) =>
  e2bProvider({
    ...{ clock: systemClock, ids: testIds, guard: unguarded, meter: notingMeter().meter },
    domain: () => '',
    awakeMs: async () => tenMinutes,
    isAllowed: async () => true,
    mayLeave: async () => true,
    ...options,
  })
