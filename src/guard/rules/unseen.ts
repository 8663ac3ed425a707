import { origin } from '../model.ts'
import type { Rule } from '../rule.ts'
import { comesFrom, startOf } from '../values.ts'
import { code, python } from './ask.ts'

/** Rules about what runs and does not stand in the program. */
export const unseenRules: readonly Rule[] = [
  {
    id: 'execution/other-file',
    languages: python,
    type: 'dynamic-import',
    severity: 'medium',
    cwe: 'CWE-829',
    description: 'Runs another file, of which nothing can be read here.',
    recommendation: 'Import the functions that are needed, or put the code into the cell.',
    implies: ['run'],
    match: {
      on: 'call',
      names: ['%run', '%load', 'runpy.run_path'],
      when: call => call.name !== '%load' || /^(https?|ftp):/i.test(startOf(call.args[0])),
    },
    examples: {
      bad: ["import runpy\nrunpy.run_path('other.py')", '%run prepare.py', '%load https://example.org/a.py'],
      good: ['%matplotlib inline', '%load prepare.py', 'x = """\n%run prepare.py\n"""'],
    },
  },
  {
    id: 'execution/chosen-member',
    languages: code,
    type: 'obfuscation',
    severity: 'medium',
    cwe: 'CWE-470',
    description: 'Calls a function of a powerful module that is chosen only when the program runs.',
    recommendation: 'Call the function by its name.',
    implies: ['run', 'write'],
    match: {
      on: 'call',
      names: [
        ...[
          'fs',
          'fs.promises',
          'child_process',
          'vm',
          'process',
          'Deno',
          'Bun',
          'worker_threads',
          'cluster',
          'module',
        ],
        ...['os', 'subprocess', 'shutil', 'builtins', 'ctypes', 'pty', 'socket', 'importlib'],
      ].map(module => `${module}[]`),
      when: call => !comesFrom(call.receiver ?? undefined, origin.request | origin.decoded) || { severity: 'high' },
    },
    examples: {
      bad: [
        { language: 'javascript', code: "require('fs')[process.argv[2]]('/data')" },
        'import os\nvars(os)[name]("a")',
      ],
      good: [
        { language: 'javascript', code: "require('fs')['readFileSync']('a.csv')" },
        { language: 'javascript', code: 'handlers[name](x)' },
      ],
    },
  },
]
