import type { Effect } from '../effect.ts'
import { normalise } from '../paths.ts'
import type { Rule } from '../rule.ts'
import { sketch, textOf } from '../values.ts'
import { everywhere, isForeign, isRequested, says } from './ask.ts'

/** `/usr/../etc/issue`: names one folder of the root and goes to another, so that a check of its start is fooled. */
function changesRoot(effect: Effect): boolean {
  const whole = textOf(effect.target)
  if (whole === null || !/^\/[^/]+\/.*\.\.\//.test(whole)) return false
  const [, before] = whole.split('/')
  const [, after] = normalise(whole).split('/')
  return before !== after && before !== '..'
}

/** Rules about who decides which file it is. */
export const chosenPathRules: readonly Rule[] = [
  {
    id: 'files/requested-path',
    languages: everywhere,
    type: 'path-traversal',
    severity: 'high',
    cwe: 'CWE-22',
    description: 'A path comes from a request, so that whoever sends it chooses the file.',
    recommendation: 'Reduce it to a file name and check that the resolved path stays in its folder.',
    implies: ['read'],
    match: { on: 'effect', kinds: ['read', 'write', 'delete'], when: effect => isRequested(effect.target) },
    examples: {
      bad: [
        "from flask import request\nopen('files/' + request.args['name'])",
        { language: 'javascript', code: "app.get('/f', (req, res) => fs.readFile('./' + req.query.name, done))" },
      ],
      good: [
        "from flask import request\nopen('files/fixed.txt')",
        "import os\nfrom flask import request\nopen(os.path.basename(request.args['name']))",
      ],
    },
  },
  {
    id: 'files/check-then-use',
    languages: ['python'],
    type: 'unsafe-file',
    severity: 'medium',
    cwe: 'CWE-367',
    description: 'Checks access to a file and opens it afterwards; in between the file can be replaced.',
    recommendation: 'Open the file and handle the failure.',
    implies: ['read'],
    match: {
      on: 'call',
      names: ['os.access'],
      when: (call, { effects }) => {
        const path = textOf(call.args[0])
        const name = call.args[0]?.kind === 'thing' ? call.args[0].name : null
        return effects.some(
          ({ call: used, target, start }) =>
            used?.name === 'open' &&
            start > call.start &&
            ((path !== null && textOf(target) === path) ||
              (name !== null && target.kind === 'thing' && target.name === name)),
        )
      },
    },
    examples: {
      bad: ["import os\nif os.access('a.txt', os.W_OK):\n    open('a.txt', 'w').write('b')"],
      good: ["import os\nprint(os.access('a.txt', os.R_OK))"],
    },
  },
  {
    id: 'files/given-path',
    languages: ['python'],
    type: 'path-traversal',
    severity: 'low',
    cwe: 'CWE-22',
    description: 'A path comes from outside the program.',
    recommendation: 'Check that it stays in the folder that it is meant for.',
    implies: ['read'],
    match: {
      on: 'effect',
      kinds: ['read', 'write'],
      when: effect => !isRequested(effect.target) && isForeign(effect.target),
    },
    examples: { bad: ['import sys\nopen(sys.argv[1])'], good: ["open('a.txt')"] },
  },
  {
    id: 'files/traversal-text',
    languages: everywhere,
    type: 'path-traversal',
    severity: 'medium',
    cwe: 'CWE-22',
    description: 'A path climbs several folders up, out of the working folder.',
    recommendation: 'Use paths inside the working folder.',
    implies: ['read'],
    match: {
      on: 'effect',
      kinds: ['read', 'write', 'delete'],
      when: effect =>
        sketch(effect.target)?.includes('..') === true &&
        (says(effect.target, /^(\.\.[\\/]){3,}|[\\/](\.\.[\\/]){2,}(etc|home|root|windows)/i) || changesRoot(effect)),
    },
    examples: {
      bad: [
        "open('../../../../srv/x').read()",
        "import os\nopen(os.path.join('/usr', '../etc/issue')).read()",
        { language: 'bash', code: 'base=/srv/app\ncat "$base/../../etc/timezone"' },
      ],
      good: ["open('../data/x.csv').read()", '"""../../.. in a docstring"""'],
    },
  },
]
