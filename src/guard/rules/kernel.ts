import type { Rule } from '../rule.ts'
import { python } from './ask.ts'

/** Modules of the kernel itself, under whatever private name. */
const own = /^_*countersign(?:_\w+)*(?:\.[\w.]+)?$/i
/** Ways to get at a module by a text. */
const byText = /\bmodules\b|import_module|__import__|find_spec|find_loader|getattr|run_module|pkgutil|\breload\b/

/** Rules about what runs the code and is no part of it. */
export const kernelRules: readonly Rule[] = [
  {
    id: 'system/kernel-internals',
    languages: python,
    type: 'privilege',
    severity: 'critical',
    cwe: 'CWE-693',
    description: 'Reaches into the kernel that runs the code and confines it.',
    recommendation: 'Remove it: no analysis needs the inside of the kernel.',
    implies: ['privilege', 'run'],
    match: {
      on: 'program',
      find: ({ program }) =>
        [
          ...program.imports.filter(({ module, names }) => own.test(module) || names.some(name => own.test(name))),
          ...program.calls.filter(({ name }) => own.test(name.replace(/[()[\]]+/g, ''))),
          ...(byText.test(program.source)
            ? program.texts.filter(({ role, text }) => role === 'value' && own.test(text))
            : []),
        ].map(({ start, end }) => ({ at: { start, end } })),
    },
    examples: {
      bad: [
        'import countersign.jail as j\nj.libc.system(b"id")',
        'from countersign import jail',
        "import importlib\nimportlib.import_module('countersign')",
        "import sys\nk = sys.modules['_countersign_kernel']",
        "__import__('countersign.jail')",
      ],
      good: [
        "print('countersign')",
        "df['countersign'].sum()",
        'countersigned = True',
        'import counters\ncounters.sign()',
      ],
    },
  },
]
