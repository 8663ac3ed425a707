import type { Audit } from './audit/audit.ts'
import type { TenantId } from './contract/ids.ts'
import { fail, type Outcome } from './contract/problem.ts'
import type { ProgramFacts, Settings, SettingsChange } from './contract/settings.ts'
import type { Caller } from './conversations/conversations.ts'
import type { Privacy } from './privacy/privacy.ts'
import { hostsOnly, type SettingsStore } from './settings/settings.ts'
import { checkProgram } from './trusted-program.ts'

/** Changes to the settings: whose they are, what needs a look first, and the entry on the record. */
export interface ChangingSettings {
  /** All settings but the interpreter, which somebody has to look at first. */
  changeSettings(who: Caller, change: SettingsChange): Promise<Outcome<Settings>>
  inspectInterpreter(path: string): Promise<Outcome<ProgramFacts>>
  /** Sets the interpreter when the file is still the one that was shown. */
  chooseInterpreter(who: Caller, chosen: { path: string; sha256: string }): Promise<Outcome<Settings>>
}

export interface ChangingSettingsOptions {
  readonly settings: SettingsStore
  readonly privacy: Privacy
  readonly audit: Audit
  readonly tenant: TenantId
  readonly home: string
}

export function createChangingSettings(options: ChangingSettingsOptions): ChangingSettings {
  const { settings, privacy, audit, tenant, home } = options

  async function changeAny(who: Caller, change: SettingsChange): Promise<Outcome<Settings>> {
    if (who.tenant !== tenant) return notYours
    const before = settings.view()
    const changed = settings.change(change)
    if (!changed.ok) return changed
    const details = privacy.maskForRecord(
      hostsOnly({ before: pick(before.settings, change), after: pick(changed.value, change) }),
    )
    await audit.record({ action: 'settings.changed', tenant: who.tenant, actor: who.user, details })
    return changed
  }

  return {
    async changeSettings(who, change) {
      const python = change.sandbox?.python
      if (python && python !== settings.current.sandbox.python) {
        return fail(
          'settings.unconfirmed',
          'The interpreter is started outside the sandbox, so it has to be looked at first.',
          'Choose it on the settings page, which shows what it is.',
        )
      }
      return changeAny(who, change)
    },

    inspectInterpreter: path => checkProgram(path, home),

    async chooseInterpreter(who, { path, sha256 }) {
      const found = await checkProgram(path, home)
      if (!found.ok) return found
      if (found.value.sha256 !== sha256) {
        return fail('conflict', `${path} is not the file that was shown.`, 'Look at it again.')
      }
      return changeAny(who, { sandbox: { python: path } })
    },
  }
}

export const notYours = fail(
  'access.denied',
  'The settings of this installation belong to somebody else.',
  'Sign in as their owner.',
)

/** Only the settings that a change speaks of, for the record. */
const pick = (settings: Settings, change: SettingsChange): SettingsChange =>
  Object.fromEntries(
    Object.entries(change).map(([group, values]) => [
      group,
      Object.fromEntries(
        Object.keys(values).map(name => [name, (settings as unknown as SettingsChange)[group]?.[name] ?? null]),
      ),
    ]),
  )
