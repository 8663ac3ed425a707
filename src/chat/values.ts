import type { Contexts } from '../contexts/contexts.ts'
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
    async run(run, sink, signal, begun) {
      if (run.placement.isolation === 'cloud') return contexts.run(run, sink, signal, begun)
      const { code, left } = await privacy.intoCode(run.conversation, run.language, run.code)
      if (left.length > 0)
        sink({
          type: 'notice',
          text: `The program sees ${left.join(', ')} and not the value behind: a value is put only into a string literal that can hold it.`,
        })
      return contexts.run(code === run.code ? run : { ...run, code }, sink, signal, begun)
    },
  }
}
