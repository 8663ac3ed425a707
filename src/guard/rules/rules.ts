import type { Rule } from '../rule.ts'
import { checkRules } from './checks.ts'
import { chosenPathRules } from './chosen-paths.ts'
import { cloudRules } from './cloud.ts'
import { cryptoRules } from './crypto.ts'
import { deserialisationRules } from './deserialisation.ts'
import { executionRules } from './execution.ts'
import { fileRules } from './files.ts'
import { handlerRules } from './handlers.ts'
import { harmRules } from './harm.ts'
import { indirectionRules } from './indirection.ts'
import { injectionRules } from './injection.ts'
import { insideRules } from './insides.ts'
import { kernelRules } from './kernel.ts'
import { leakRules } from './leaks.ts'
import { networkRules } from './network.ts'
import { notebookRules } from './notebook.ts'
import { pageRules } from './pages.ts'
import { replyRules } from './replies.ts'
import { secretRules } from './secrets.ts'
import { settingRules } from './settings.ts'
import { shellRules } from './shell.ts'
import { systemRules } from './system.ts'
import { systemFileRules } from './system-files.ts'
import { tamperingRules } from './tampering.ts'
import { traceRules } from './traces.ts'
import { trustRules } from './trust.ts'
import { unseenRules } from './unseen.ts'
import { watchingRules } from './watching.ts'
import { webRules } from './web.ts'

/** Every rule there is, in the order of the documentation. */
export const rules: readonly Rule[] = [
  ...executionRules,
  ...indirectionRules,
  ...insideRules,
  ...unseenRules,
  ...notebookRules,
  ...fileRules,
  ...systemFileRules,
  ...chosenPathRules,
  ...networkRules,
  ...leakRules,
  ...systemRules,
  ...watchingRules,
  ...kernelRules,
  ...harmRules,
  ...cloudRules,
  ...traceRules,
  ...tamperingRules,
  ...secretRules,
  ...injectionRules,
  ...pageRules,
  ...handlerRules,
  ...checkRules,
  ...deserialisationRules,
  ...cryptoRules,
  ...trustRules,
  ...webRules,
  ...replyRules,
  ...settingRules,
  ...shellRules,
]
