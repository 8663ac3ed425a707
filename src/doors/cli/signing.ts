import type { Reviewer } from '../../approval/approval.ts'
import type { Identity } from '../../contract/approval.ts'
import { Failure } from '../../contract/problem.ts'
import type { Engine } from '../../engine/engine.ts'
import { type Arguments, type Io, UsageError } from './command.ts'
import { askPassphrase } from './secret.ts'

type With = Pick<Engine, 'approval' | 'caller'>

/** Logs somebody in by their name, for one thing that they sign, and out again whatever happens. */
export async function signingAs<T>(
  { approval, caller }: With,
  name: string,
  { values }: Arguments,
  io: Io,
  work: (reviewer: Reviewer) => Promise<T>,
): Promise<T> {
  const { identities } = approval
  const { id, name: known, protected: isProtected } = personNamed(await identities.list(caller.tenant), name)
  const passphrase = isProtected
    ? await askPassphrase(io, passphraseFile(values), `Passphrase of ${known}: `)
    : undefined
  const opened = await identities.logIn(id, passphrase)
  if (!opened.ok) throw new Failure(opened.problem.code, opened.problem.message, opened.problem.hint)
  try {
    return await work(opened.value)
  } finally {
    identities.logOut(opened.value)
  }
}

export const passphraseFile = (values: Arguments['values']): string | null =>
  typeof values['passphrase-file'] === 'string' ? values['passphrase-file'] : null

export function personNamed(people: readonly Identity[], name: string): Identity {
  const found = people.find(each => each.name.toLowerCase() === name.toLowerCase())
  if (!found) throw new UsageError(`there is no identity named ${name}: see countersign identities list`)
  return found
}
