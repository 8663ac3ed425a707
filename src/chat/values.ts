import type { Contexts } from '../contexts/contexts.ts'
import { ok } from '../contract/problem.ts'
import type { Privacy } from '../privacy/privacy.ts'

/**
 * Hands cleared code to its sandbox with the values behind its tokens, inside string literals. After the last check of
 * what was approved: what is hashed, signed, shown to the reviewer and recorded holds the tokens. Never to a cloud.
 */
export function handOverValues(
  contexts: Pick<Contexts, 'run'>,
  privacy: Pick<Privacy, 'intoCode'>,
): Pick<Contexts, 'run'> {
  return {
    run: (run, sink, signal, turn = {}) =>
      contexts.run(run, sink, signal, {
        ...turn,
        async handover(place) {
          const handed = turn.handover ? await turn.handover(place) : ok(run)
          if (!handed.ok || place.isolation === 'cloud') return handed
          const { conversation, language, code: given } = handed.value
          const { code, left } = await privacy.intoCode(conversation, language, given)
          if (left.length > 0)
            sink({
              type: 'notice',
              text: `The program sees ${left.join(', ')} and not the value behind: a value is put only into a string literal that can hold it.`,
            })
          return code === given ? handed : ok({ ...handed.value, code })
        },
      }),
  }
}
