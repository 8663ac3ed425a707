import { origin, type Value } from '../../model.ts'
import { isSecretName, placeOf } from '../../paths.ts'
import { from, join, startOf, text, textOf, thing } from '../../values.ts'
import { joinPaths } from '../arithmetic.ts'
import type { Fold } from '../library.ts'

export const path: Fold = ({ args }) =>
  args.length === 0 ? text('.') : joinPaths(args.filter(part => part.kind !== 'nothing'))

export const home: Fold = () => text('~')

/** What is in an environment variable: the home folder is known, a variable with a telling name is a secret. */
export const variable: Fold = ({ args }) => {
  return held(textOf(args[0]))
}

function held(name: string | null): Value {
  if (name === 'HOME' || name === 'USERPROFILE') return text('~', origin.environment)
  return from(origin.environment | (name !== null && isSecretName(name) ? origin.secret : 0))
}

export const opened: Fold = ({ args, named, receiver }) => {
  const file = args[0] ?? named.get('file') ?? receiver ?? undefined
  return fileHandle(file)
}

/** A handle carries what its file holds. */
export function fileHandle(file: Value | undefined): Value {
  const place = placeOf(startOf(file))
  return thing(
    'open()',
    origin.file | (place === 'secret' ? origin.secret : 0) | ((file?.origins ?? 0) & origin.request),
  )
}

/** `os.path.expandvars('$DATA/x')`: what a variable holds is not known, whatever its name says. */
export function expandVariables(value: Value | undefined): Value | null {
  const content = textOf(value)
  if (content === null) return value ?? null
  const parts = content.split(/(\$\w+|\$\{\w+\}|%\w+%)/)
  return join(parts.map((part, at) => (at % 2 === 0 ? part : held(part.replace(/\W/g, '')))))
}
