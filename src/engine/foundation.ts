import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openCatalogue, textsOf } from '../analyses/analyses.ts'
import { createApproval } from '../approval/approval.ts'
import { createAudit, type PrintPdf } from '../audit/audit.ts'
import { type Clock, systemClock } from '../clock.ts'
import type { Alert } from '../contract/alerts.ts'
import { Failure, type Problem } from '../contract/problem.ts'
import { Limits } from '../contract/run.ts'
import { createEvents } from '../events.ts'
import { createFiles } from '../files/files.ts'
import { createGuard } from '../guard/guard.ts'
import { localCaller, localName } from '../identity.ts'
import { uuidV7 } from '../ids.ts'
import { fileKeyStore, type KeyStore } from '../keystore.ts'
import { openLog } from '../log.ts'
import { createPrivacy, logRedactor } from '../privacy/privacy.ts'
import { openTableSeals } from '../row-seal.ts'
import { type Python, trustedPython } from '../sandbox/local/local.ts'
import type { SandboxProvider } from '../sandbox/sandbox.ts'
import { openSettings } from '../settings/settings.ts'
import { openStorage } from '../storage/storage.ts'

export interface EngineOptions {
  readonly home: string
  readonly env: NodeJS.ProcessEnv
  readonly keys?: KeyStore
  readonly clock?: Clock
  /** Further back ends; one of a kind that is built in takes its place. */
  readonly backEnds?: readonly SandboxProvider[]
  /** Sandboxes kept warm; a command that runs once wants none. */
  readonly pool?: number
  /** Whether numerical libraries are loaded before the first sandbox, for all of them; without a pool they are not. */
  readonly preload?: boolean
  /** Prints a page; without it a Chromium of this machine does. */
  readonly printPdf?: PrintPdf
  /** Shows an alert as the system does; only a desktop has that. */
  readonly notify?: (alert: Alert) => void
}

export type Foundation = Awaited<ReturnType<typeof openFoundation>>

/** What all the rest stands on: settings, database, record, guard, privacy and who may say yes. */
export async function openFoundation(options: EngineOptions) {
  const { home, env, clock = systemClock } = options
  makeHome(home)
  const settings = openSettings(home, env, clock)
  const ids = uuidV7(clock)
  const keys = options.keys ?? fileKeyStore(join(home, 'keys'))
  const logLines = logRedactor(() => settings.current.privacy.log)
  const log = openLog(join(home, 'logs'), settings.current.log.level, logLines)
  const storage = await openStorage({ file: join(home, 'countersign.db'), clock })
  const caller = await localCaller(storage, keys, ids)
  const seals = await openTableSeals(storage, keys)
  const { tenant } = caller
  const onProblem = (problem: Problem) => log.warn({ code: problem.code }, problem.message)

  const catalogue = openCatalogue(home)
  const audit = await createAudit({
    ...{ storage, keys, clock, ids, folder: home, tenant, onProblem },
    textsOf: named => textsOf(catalogue, named),
  })
  const ownPython = interpreters(home, () => settings.current.sandbox.python)
  const guard = createGuard({ clock, python: async () => (await ownPython())?.executable ?? null })
  const privacy = await createPrivacy({
    ...{ storage, audit, keys, clock, ids, tenant },
    settings: () => settings.current.privacy,
    log: logLines,
  })
  const approval = createApproval({
    ...{ storage, audit, keys, clock, ids, tenant, onProblem },
    inspect: (code, language) => guard.inspect(code, language),
    policyFile: join(home, 'policy.yaml'),
  })
  await approval.identities.ensure({ id: caller.user, tenant, name: localName() })
  const limitBytes = () => settings.current.sandbox.keepMegabytes * 1024 * 1024
  return {
    ...{ home, env, clock, settings, ids, keys, seals, log, storage, caller, tenant, onProblem },
    ...{ catalogue, audit, ownPython, guard, privacy, approval },
    events: createEvents(),
    files: createFiles({ storage, clock, home, limitBytes }),
    policy: async () => (await approval.policy.current()).policy,
    limits: (): Limits => {
      const { timeoutSeconds, memoryMegabytes } = settings.current.sandbox
      return Limits.parse({ timeoutMs: timeoutSeconds * 1000, memoryBytes: memoryMegabytes * 1024 * 1024 })
    },
  }
}

function makeHome(home: string): void {
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Failure(
      'storage.read-only',
      `The data folder cannot be made: ${reason}`,
      'Set COUNTERSIGN_HOME to a folder that you can write to.',
      { cause: error },
    )
  }
}

/** The interpreter for the setting as it is now, looked for once. */
function interpreters(home: string, wanted: () => string): () => Promise<Python | null> {
  let known: { readonly wanted: string; readonly found: Promise<Python | null> } | null = null
  return () => {
    const now = wanted()
    if (known?.wanted !== now) known = { wanted: now, found: trustedPython(home, now) }
    return known.found
  }
}
