import { createChat } from '../chat/chat.ts'
import { ok } from '../contract/problem.ts'
import { withPolicy } from '../network/network.ts'
import { placeForFiles } from '../runs/runs.ts'
import type { Watching } from '../watching.ts'
import type { Foundation } from './foundation.ts'
import type { Paths } from './paths.ts'
import type { Running } from './running.ts'

/** The assistant, and what it is told about the sandbox that its code would get. */
export function createTalking(
  { approval, audit, clock, events, ids, keys, limits, log, policy, privacy, seals, settings, storage }: Foundation,
  { contexts, conversations, surroundings }: Paths,
  { analyses, runs }: Pick<Running, 'analyses' | 'runs'>,
  { measuring }: Pick<Watching, 'measuring'>,
) {
  return createChat({
    ...{
      storage,
      audit,
      keys,
      privacy,
      conversations,
      contexts,
      runs,
      policy,
      analyses,
      measuring,
      events,
      clock,
      ids,
    },
    seals,
    log,
    request: (who, id) => approval.requests.get(who.tenant, id),
    settings: () => settings.current.chat,
    sandboxFor: async path => {
      const around = await surroundings(path)
      const placed = placeForFiles(limits(), around)
      if (!placed.ok) return placed
      return ok({ isolation: placed.value.isolation, network: withPolicy(around.granted, around.policy.network) })
    },
  })
}
