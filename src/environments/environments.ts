import { homedir } from 'node:os'
import type { Recorder } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import type { Caller } from '../contract/caller.ts'
import {
  type AddEnvironment,
  type ChooseEnvironment,
  type EnvironmentDetail,
  type EnvironmentView,
  systemEnvironment,
} from '../contract/environments.ts'
import type { ConversationId, TenantId } from '../contract/ids.ts'
import type { Environment } from '../contract/placement.ts'
import { fail, type Outcome, ok } from '../contract/problem.ts'
import type { ProgramFacts } from '../contract/settings.ts'
import type { Conversations } from '../conversations/conversations.ts'
import type { RowSeal } from '../row-seal.ts'
import type { Storage } from '../storage/storage.ts'
import { checkProgram } from '../trusted-program.ts'
import { type Description, describeEnvironment } from './describe.ts'
import { candidates } from './find.ts'
import { digestOf, hasModule, packagesIn } from './packages.ts'
import { type Confirmed, EnvironmentRows } from './rows.ts'

/** The Python environments of this machine, and which one each conversation uses. */
export interface Environments {
  /** Those that can be used first, then those that were found and nobody has looked at. Starts none of them. */
  list(tenant: TenantId): Promise<EnvironmentView[]>
  show(tenant: TenantId, name: string): Promise<Outcome<EnvironmentDetail>>
  /** What stands in a folder or around an interpreter, to be looked at before it is added. */
  inspect(path: string): Promise<Outcome<EnvironmentDetail>>
  /** Names an environment for use, when its interpreter is still the file that was shown. */
  add(who: Caller, asked: AddEnvironment): Promise<Outcome<EnvironmentView>>
  remove(who: Caller, name: string): Promise<Outcome<void>>
  /** Which one a conversation's code is given; its sandboxes are ended, its files stay. */
  choose(who: Caller, asked: ChooseEnvironment): Promise<Outcome<void>>
  chosen(tenant: TenantId, conversation: ConversationId): Promise<string>
  /** What a placement says of it, as it is now. */
  of(tenant: TenantId, conversation: ConversationId): Promise<Outcome<Environment>>
  /** Those in which a module can be imported. */
  having(tenant: TenantId, module: string): Promise<EnvironmentView[]>
  /** A sentence on where a module is, for a run that did not find it; null where it is nowhere. */
  whereIs(tenant: TenantId, module: string): Promise<string | null>
  /** The interpreter to start for an environment by name; null: the application's own. */
  interpreter(tenant: TenantId, name: string): Promise<Outcome<{ python: string | null; is: Environment }>>
}

/** The application's own interpreter, as it described itself when it was started. */
export interface OwnPython {
  readonly executable: string
  readonly release: string
  readonly folders: readonly string[]
}

export interface EnvironmentsOptions {
  readonly storage: Storage
  readonly seal: RowSeal
  readonly audit: Recorder
  readonly clock: Clock
  /** The data folder: code in a sandbox may write there. */
  readonly home: string
  readonly env: NodeJS.ProcessEnv
  /** Whose installation this is: only they name programs that are started outside the sandbox. */
  readonly tenant: TenantId
  readonly own: () => Promise<OwnPython | null>
  /** What a conversation uses that has chosen nothing; empty: the application's own. */
  readonly usual: () => string
  readonly conversations: Pick<Conversations, 'tree'>
  /** Ends the sandboxes of a conversation. */
  readonly endSandboxes: (who: Caller, conversation: ConversationId) => Promise<void>
  /** Where people keep environments; their home folder unless a test says another. */
  readonly people?: string
}

export function createEnvironments(options: EnvironmentsOptions): Environments {
  const { storage, audit, clock, home, env, tenant: ours, own, usual } = options
  const rows = new EnvironmentRows(storage, options.seal)

  async function system(): Promise<Known | null> {
    const python = await own()
    if (!python) return null
    const { executable, release: version, folders } = python
    return {
      name: systemEnvironment,
      kind: 'system',
      prefix: '',
      python: executable,
      version,
      folders,
      confirmed: null,
    }
  }

  async function confirmedOnes(tenant: TenantId): Promise<{ known: Known[]; gone: Confirmed[] }> {
    const all = await Promise.all(
      (await rows.confirmed(tenant)).map(async one => ({ one, is: await describeEnvironment(one.path) })),
    )
    return {
      known: all.flatMap(({ one, is }) => (is ? [{ ...is, name: one.name, confirmed: one }] : [])),
      gone: all.flatMap(({ one, is }) => (is ? [] : [one])),
    }
  }

  async function found(taken: readonly Known[]): Promise<Known[]> {
    const places = await candidates({ home: options.people ?? homedir(), env })
    const described = await Promise.all(places.map(describeEnvironment))
    const names = new Set(taken.map(each => each.name))
    const prefixes = new Set(taken.map(each => each.prefix))
    const fresh: Known[] = []
    for (const is of described) {
      if (!is || prefixes.has(is.prefix)) continue
      prefixes.add(is.prefix)
      fresh.push({ ...is, name: freeName(is.prefix, names), confirmed: null })
    }
    return fresh
  }

  async function all(tenant: TenantId): Promise<Known[]> {
    const [mine, { known }] = await Promise.all([system(), confirmedOnes(tenant)])
    const usable = [...(mine ? [mine] : []), ...known]
    return [...usable, ...(await found(usable))]
  }

  /** The interpreter as a file that may be started, and is the one that somebody has seen. */
  async function program(one: Known): Promise<Outcome<ProgramFacts>> {
    const isHidden = hiddenTops.has(one.python.split('/')[1] ?? '')
    if (isHidden) return hidden(one.python)
    if (isTooOld(one.version)) return tooOld(one.version)
    const checked = await checkProgram(one.python, home)
    if (!checked.ok) return checked
    if (one.confirmed && checked.value.sha256 !== one.confirmed.sha256) return otherFile(one)
    return checked
  }

  async function detail(one: Known): Promise<EnvironmentDetail> {
    const { name, kind, prefix, python, version } = one
    const packages = await packagesIn(one.folders)
    const added = one.confirmed !== null
    const facts = { name, kind, prefix, python, version, packages, digest: digestOf(version, packages), added }
    // The application's own was checked when it was chosen, and is running.
    if (one.name === systemEnvironment) return { ...facts, state: 'ready', why: null, program: null }
    const file = await program(one)
    if (!file.ok) return { ...facts, state: 'refused', why: file.problem.message, program: null }
    return { ...facts, state: one.confirmed ? 'ready' : 'found', why: null, program: file.value }
  }

  const view = async (one: Known): Promise<EnvironmentView> => {
    const { program: _, packages, ...rest } = await detail(one)
    return { ...rest, packages: packages.length }
  }

  async function usable(tenant: TenantId, name: string): Promise<Outcome<Known>> {
    if (name === systemEnvironment) {
      const mine = await system()
      return mine ? ok(mine) : noPython
    }
    const { known, gone } = await confirmedOnes(tenant)
    const one = known.find(each => each.name === name)
    if (one) return ok(one)
    const lost = gone.find(each => each.name === name)
    return lost ? goneAway(lost) : unknown(name)
  }

  const chosen: Environments['chosen'] = async (tenant, conversation) =>
    (await rows.chosen(tenant, conversation)) ?? (usual() || systemEnvironment)

  const interpreter: Environments['interpreter'] = async (tenant, name) => {
    const one = await usable(tenant, name)
    if (!one.ok) return one
    const { version, folders } = one.value
    const is = { name, version, digest: digestOf(version, await packagesIn(folders)) }
    if (name === systemEnvironment) return ok({ python: null, is })
    const file = await program(one.value)
    return file.ok ? ok({ python: one.value.python, is }) : file
  }

  const having: Environments['having'] = async (tenant, module) => {
    const known = await all(tenant)
    const has = await Promise.all(known.map(each => hasModule(each.folders, module)))
    const views = await Promise.all(known.filter((_, at) => has[at]).map(view))
    return views.filter(each => each.state !== 'refused')
  }

  return {
    chosen,
    having,
    interpreter,
    async list(tenant) {
      return Promise.all((await all(tenant)).map(view))
    },
    async show(tenant, name) {
      const one = (await all(tenant)).find(each => each.name === name)
      return one ? ok(await detail(one)) : unknown(name)
    },
    async inspect(path) {
      const is = await describeEnvironment(path)
      if (!is) return noEnvironment(path)
      return ok(await detail({ ...is, name: freeName(is.prefix, new Set([systemEnvironment])), confirmed: null }))
    },
    async add(who, { path, name, sha256 }) {
      if (who.tenant !== ours) return notYours
      if (name === systemEnvironment) return reserved
      const is = await describeEnvironment(path)
      if (!is) return noEnvironment(path)
      const one = { ...is, name, confirmed: { name, path: is.python, sha256 } }
      const file = await program(one)
      if (!file.ok) return file
      const shown = await view(one)
      await storage.write(async t => {
        await rows.add(t, who.tenant, who.user, clock.now(), one.confirmed)
        const details = { name, python: is.python, sha256, version: is.version, packages: shown.digest }
        await audit.append(t, { action: 'environment.added', tenant: who.tenant, actor: who.user, details })
      })
      return ok(shown)
    },
    async remove(who, name) {
      if (!(await rows.confirmed(who.tenant)).some(each => each.name === name)) return unknown(name)
      await storage.write(async t => {
        await rows.remove(t, who.tenant, name)
        await audit.append(t, {
          action: 'environment.removed',
          tenant: who.tenant,
          actor: who.user,
          details: { name },
        })
      })
      return ok(undefined)
    },
    async choose(who, { conversation, name }) {
      const there = await options.conversations.tree(who, conversation)
      if (!there.ok) return there
      const before = await chosen(who.tenant, conversation)
      const after = name ?? (usual() || systemEnvironment)
      const is = await interpreter(who.tenant, after)
      if (!is.ok) return is
      await storage.write(async t => {
        await rows.choose(t, who.tenant, conversation, name, clock.now())
        const details = { before, after: is.value.is.name, version: is.value.is.version, packages: is.value.is.digest }
        await audit.append(t, {
          action: 'environment.chosen',
          tenant: who.tenant,
          actor: who.user,
          conversation,
          details,
        })
      })
      if (before !== after) await options.endSandboxes(who, conversation)
      return ok(undefined)
    },
    async of(tenant, conversation) {
      const found = await interpreter(tenant, await chosen(tenant, conversation))
      return found.ok ? ok(found.value.is) : found
    },
    async whereIs(tenant, module) {
      const names = (await having(tenant, module)).map(each => each.name)
      if (names.length === 0) return null
      const list = new Intl.ListFormat('en', { type: 'disjunction' }).format(names)
      return `The module ${module} is in the environment ${list}: choose it for this conversation, or run with --env.`
    },
  }
}

interface Known extends Description {
  readonly name: string
  readonly confirmed: Confirmed | null
}

/** A sandbox has folders of its own by these names: what stands in the machine's is not in sight there. */
const hiddenTops = new Set(['tmp', 'work', 'run', 'proc', 'dev', 'old', 'newroot', 'host', 'groups', 'supervisor'])

/** Named like its folder, or like the project around a `.venv`. */
function freeName(prefix: string, taken: Set<string>): string {
  const parts = prefix.split('/').filter(Boolean)
  const last = parts.at(-1) ?? ''
  const said = /^\.?(venv|env|virtualenv)$/.test(last) ? (parts.at(-2) ?? last) : last
  const clean = said.replace(/[^\p{L}\p{N} ._+-]/gu, '').replace(/^[^\p{L}\p{N}]+/u, '')
  const base = clean.slice(0, 56) || 'environment'
  let name = base
  for (let n = 2; taken.has(name) || name === systemEnvironment; n++) name = `${base} ${n}`
  taken.add(name)
  return name
}

/** Kernels are written for 3.9 and newer. */
const isTooOld = (version: string): boolean => {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major !== 3 || minor < 9
}

const tooOld = (version: string): Outcome<never> =>
  fail('environment.unknown', `Python ${version} is too old: 3.9 or newer is needed.`, 'Choose a newer one.')
const unknown = (name: string): Outcome<never> =>
  fail(
    'environment.unknown',
    `There is no environment named ${name} that may be used.`,
    'See the Environments page in the settings, or `countersign environments list`.',
  )
const goneAway = ({ name, path }: Confirmed): Outcome<never> =>
  fail('environment.unknown', `The environment ${name} is no longer at ${path}.`, 'Make it again, or choose another.')
const noEnvironment = (path: string): Outcome<never> =>
  fail(
    'environment.unknown',
    `There is no Python environment at ${path}.`,
    'Name the folder that holds bin/python, or the interpreter itself.',
  )
const otherFile = ({ name, python }: Known): Outcome<never> =>
  fail(
    'environment.changed',
    `The interpreter of ${name} (${python}) is not the file that was looked at when it was added.`,
    'Look at it again and add it anew, on the Environments page or with `countersign environments add`.',
  )
const hidden = (python: string): Outcome<never> =>
  fail(
    'settings.untrusted',
    `${python} is in a folder that a sandbox uses for itself.`,
    'Make the environment in another place, such as your home folder.',
  )
const reserved = fail('request.invalid', `The name ${systemEnvironment} is taken.`, 'Choose another name.')
const noPython = fail('sandbox.unavailable', 'No Python was found on this machine.', 'Install python3.')
const notYours = fail(
  'access.denied',
  'Only the owner of this installation can add an interpreter.',
  'Sign in as the owner of this installation.',
)
