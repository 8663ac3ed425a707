import { located } from '../bash/facts.ts'
import { origin } from '../model.ts'
import type { Rule } from '../rule.ts'
import { comesFrom, hasFresh, sketch, startOf } from '../values.ts'
import { shell } from './shell-ask.ts'

/** Code of others that runs as if it stood in the script. */
export const shellSourcingRules: readonly Rule[] = [
  {
    id: 'shell/foreign-script',
    languages: shell,
    type: 'command-injection',
    severity: 'medium',
    cwe: 'CWE-829',
    description: 'Runs a script from a place that others can write to, or that somebody else chooses.',
    recommendation: 'Put the script into the working folder, where it can be read first.',
    implies: ['run'],
    match: {
      on: 'call',
      names: ['source', '.'],
      when: call => {
        const [file] = call.args
        if (file === undefined) return false
        if ((sketch(file, '') ?? '') === '') return comesFrom(file, origin.input | origin.request)
        // A script that was just made is read where it is run.
        const path = startOf(located(call, file))
        return /^\/(tmp|var|srv|mnt|media|dev\/shm)\//.test(path) && !hasFresh(path)
      },
    },
    examples: {
      bad: ['. /srv/x.sh', 'source /tmp/settings', 'source "$1"'],
      good: ['. ./lib.sh', '. /etc/os-release', '. "$(dirname "$0")/lib.sh"', '. ~/.nvm/nvm.sh', '. "$dir/lib.sh"'],
    },
  },
]
