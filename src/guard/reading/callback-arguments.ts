import { listOf } from '../lists.ts'
import { origin, type Value } from '../model.ts'
import type { Parameter } from '../syntax.ts'
import { from, thing } from '../values.ts'
import type { Library } from './library.ts'

/** What a library hands to a function of the program goes by the name that the program gives it. */
export function brought(parameters: readonly Parameter[], origins: number, library: Library): Value[] {
  return listOf(parameters, ({ target }) =>
    target.kind === 'name' ? thing(target.name, origins | library.parameterOrigins(target.name)) : from(origins),
  )
}

/** Names for an answer and for what comes next that rules know. */
const spoken = /^(res|response|reply|h|next|err|error)$/

/** `(q, r) => r.send(q.query.x)`: the request and the answer, by the names that rules know. */
export function asked(parameters: readonly Parameter[], origins: number, library: Library): Value[] {
  const words = parameters.length >= 4 ? ['err', 'req', 'res', 'next'] : ['req', 'res', 'next']
  let at = 0
  return listOf(parameters, ({ target }) => {
    const word = words[at++] ?? ''
    const asks = word === 'req' ? origin.request : 0
    if (target.kind !== 'name') return from(origins | asks)
    const { name } = target
    const usual = library.parameterOrigins(name)
    const keeps = word === '' || spoken.test(name) || usual !== 0
    return thing(keeps ? name : word, origins | origin.parameter | asks | usual)
  })
}
