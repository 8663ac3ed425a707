import type { Recorder } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import type { TenantId, UserId } from '../contract/ids.ts'
import { Policy, type PolicyState } from '../contract/policy.ts'
import { fail, type Outcome, ok, type Problem, problem } from '../contract/problem.ts'
import type { RowSeal } from '../row-seal.ts'
import { writeWhole } from '../settings/settings.ts'
import type { Storage, Transaction } from '../storage/storage.ts'
import type { PoliciesTable } from '../storage/tables/approval.ts'
import type { PolicyKeeper } from './approval.ts'
import { invalid } from './boundary.ts'
import { canonicalJson, sha256 } from './canonical.ts'
import { asWritten, findPolicyFile, readPolicyFile, readPolicyText, setAside, textFor } from './policy-file.ts'
import { defaultPolicy, parsePolicy, policyVersion, renderPolicy, strictPolicy, withLevels } from './policy-text.ts'

interface Options {
  readonly file: string
  readonly storage: Storage
  readonly audit: Recorder
  readonly clock: Clock
  readonly tenant: TenantId
  /** Of the policies that were in force: one that was written into the database never was. */
  readonly seal: () => Promise<RowSeal>
  /** Called after the change is durable. */
  readonly changed: (version: string) => void
}

/** Keeps the policy in its file, and every policy that was in force in the database. */
export function createPolicyKeeper({ file, storage, audit, clock, tenant, seal, changed }: Options): PolicyKeeper {
  let state: PolicyState | null = null
  let seen = ''
  let turn: Promise<unknown> = Promise.resolve()

  /** One at a time: a save must not meet a reading half-way. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = turn.then(work)
    turn = result.catch(() => undefined)
    return result
  }

  async function load(): Promise<PolicyState> {
    // Taken before the reading: a change in between is then seen the next time.
    const { stamp } = findPolicyFile(file)
    if (state && stamp === seen) return state
    const rows = await seal()
    const last = await lastAdopted(storage.read, rows)
    const found = inForce(file, last !== null && policyVersion(last) !== policyVersion(defaultPolicy))
    if (found.ok) await adopt(found.value.policy, null)
    const previous = state
    state = found.ok ? stateOf(found.value.policy, found.value.source, null) : fallback(last, found.problem)
    seen = stamp
    if (previous && previous.version !== state.version) changed(state.version)
    return state
  }

  /** Puts a policy into force: remembered and on the record in one transaction, unless it is in force already. */
  async function adopt(policy: Policy, by: UserId | null): Promise<void> {
    const version = policyVersion(policy)
    const rows = await seal()
    const known = await lastAdopted(storage.read, rows)
    if (policyVersion(known ?? defaultPolicy) === version) return
    await storage.write(async transaction => {
      const before = (await lastAdopted(transaction, rows)) ?? defaultPolicy
      if (policyVersion(before) === version) return
      const row = { version, policy: canonicalJson(policy), adopted_at: clock.now(), adopted_by: by }
      await transaction.insertInto('policies').values(rows.seal<Row>(row)).execute()
      const details = { from: policyVersion(before), to: version, changes: changesBetween(before, policy) }
      await audit.append(transaction, { action: 'policy.changed', tenant, actor: by, details })
    })
  }

  const stateOf = (policy: Policy, source: PolicyState['source'], why: Problem | null): PolicyState => ({
    policy,
    version: policyVersion(policy),
    source,
    file: findPolicyFile(file).path,
    problem: why,
  })

  const fallback = (last: Policy | null, why: Problem): PolicyState =>
    last ? stateOf(last, 'last-good', lastGoodStays(why)) : stateOf(strictPolicy, 'strict', strictStays(why))

  async function put(
    write: (path: string) => string,
    policy: Policy,
    by: UserId,
    expected: string,
  ): Promise<Outcome<PolicyState>> {
    const before = await load()
    if (before.version !== expected) return changedMeanwhile
    const text = write(before.file)
    if (before.problem) setAside(file, clock.now())
    const unwritable = writeWhole(before.file, text)
    if (unwritable) return { ok: false, problem: unwritable }
    await adopt(policy, by)
    state = stateOf(policy, 'file', null)
    seen = findPolicyFile(file).stamp
    if (before.version !== state.version) changed(state.version)
    return ok(state)
  }

  return {
    // The common case costs one look at the file's date.
    current: () => (state && findPolicyFile(file).stamp === seen ? Promise.resolve(state) : inTurn(load)),
    save: (input, by, expected) =>
      inTurn(async () => {
        const parsed = Policy.safeParse(input)
        if (!parsed.success) return invalid('This policy cannot be saved', parsed.error)
        return put(path => textFor(path, parsed.data, defaultPolicy), parsed.data, by, expected)
      }),
    saveText: (text, by, expected) =>
      inTurn(async () => {
        const parsed = parsePolicy(text)
        return parsed.ok ? put(path => asWritten(path, text, parsed.value), parsed.value, by, expected) : parsed
      }),
    text: async () => readPolicyText(findPolicyFile(file).path) ?? renderPolicy(defaultPolicy),
  }
}

/** A file that went missing is no leave to go back to the defaults: the policy may have been stricter. */
function inForce(yaml: string, hadOther: boolean): Outcome<{ policy: Policy; source: 'file' | 'default' }> {
  const found = readPolicyFile(yaml)
  if (!found.ok) return found
  if (found.value) return ok({ policy: found.value, source: 'file' })
  if (!hadOther) return ok({ policy: defaultPolicy, source: 'default' })
  return fail(
    'policy.unreadable',
    `The policy file is gone (${yaml}).`,
    'Put it back, or save a policy in the settings.',
  )
}

type Row = Omit<PoliciesTable, 'id'>

/** Null where no policy was adopted; the strict one where the last of them is not what was adopted any more. */
async function lastAdopted(db: Transaction, seal: RowSeal): Promise<Policy | null> {
  const row = await db.selectFrom('policies').selectAll().orderBy('id', 'desc').limit(1).executeTakeFirst()
  if (!row) return null
  const isOurs = seal.holds(row) && sha256(row.policy) === row.version
  const parsed = isOurs ? Policy.safeParse(withLevels(JSON.parse(row.policy))) : null
  return parsed?.success ? parsed.data : strictPolicy
}

/** Setting by setting, what it was and what it is. */
function changesBetween(before: Policy, after: Policy): Record<string, { before: string; after: string }> {
  const [was, is] = [flat(before), flat(after)]
  return Object.fromEntries(
    Object.entries(is).flatMap(([name, text]) => {
      const old = was[name] ?? ''
      return old === text ? [] : [[name, { before: old, after: text }]]
    }),
  )
}

function flat(policy: Policy): Record<string, string> {
  return Object.fromEntries(
    Object.entries(policy).flatMap(([group, value]): [string, string][] =>
      value !== null && typeof value === 'object' && !Array.isArray(value)
        ? Object.entries(value).map(([name, part]) => [`${group}.${name}`, canonicalJson(part)])
        : [[group, canonicalJson(value)]],
    ),
  )
}

const lastGoodStays = ({ message, hint }: Problem): Problem =>
  problem('policy.unreadable', `${message} The last policy that could be read stays in force.`, hint)
const strictStays = ({ message, hint }: Problem): Problem =>
  problem('policy.unreadable', `${message} Until then everything needs an approval.`, hint)
const changedMeanwhile = fail(
  'conflict',
  'The policy changed while you edited it.',
  'Look at it as it is now, and make your change again.',
)
