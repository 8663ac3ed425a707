import { calledUnseen, isCallInWaiting, runsText } from '../names.ts'
import type { Rule } from '../rule.ts'
import { code, names, python, scripts } from './ask.ts'

/** Modules of Python whose private functions start programs, delete or load: what their public ones are told for. */
const reaching =
  /^(tempfile|shutil|subprocess|uuid|ctypes|unittest|pydoc|pathlib|webbrowser|importlib|platform|sysconfig|inspect|code|codeop|pkgutil)\./
const isPrivate = (name: string): boolean => reaching.test(name) && /\._[a-z]\w*(?:$|[.([])/i.test(name)

/** Rules about ways to a function that nobody calls by its name. */
export const insideRules: readonly Rule[] = [
  {
    id: 'execution/private-function',
    languages: python,
    type: 'obfuscation',
    severity: 'medium',
    cwe: 'CWE-470',
    description: 'Calls a private function of a module that starts programs, loads code or deletes.',
    recommendation: 'Call the public function, so that a reader sees what happens.',
    implies: ['run'],
    match: {
      on: 'calls',
      about: isPrivate,
      find: calls => calls.map(({ start, end }) => ({ at: { start, end } })),
    },
    examples: {
      bad: [
        "import tempfile\ntempfile.TemporaryDirectory._rmtree('/srv/x')",
        "import shutil\nshutil._rmtree_unsafe('/srv/x', None)",
        "import uuid\nuuid._get_command_stdout('id')",
      ],
      good: [
        'from collections import namedtuple\nP = namedtuple("P", "x y")\nP(1, 2)._asdict()',
        'class A:\n    def _load(self):\n        return 1\nA()._load()',
      ],
    },
  },
  {
    id: 'execution/format-climbs',
    languages: python,
    type: 'obfuscation',
    severity: 'medium',
    cwe: 'CWE-134',
    description:
      'A pattern for a text climbs through the insides of what is put into it, up to all that a module holds.',
    recommendation: 'Put in the value that is meant.',
    implies: ['secrets'],
    match: {
      on: 'text',
      when: ({ text, role }) =>
        role === 'value' &&
        text.includes('__') &&
        /\{[^{}]*\.__(globals|builtins|subclasses|code|dict|self|closure)__/.test(text),
    },
    examples: {
      bad: ["print('{0.__init__.__globals__}'.format(row))", "'{0.__globals__[sys].modules[os].environ}'.format(f)"],
      good: ["print('{0.__class__.__name__}: {1}'.format(error, error))", "'__globals__'"],
    },
  },
  {
    id: 'execution/handed-function',
    languages: code,
    type: 'obfuscation',
    severity: 'medium',
    cwe: 'CWE-470',
    description:
      'Gives another name to a function that runs text or deletes, or registers it where it is called out of sight.',
    recommendation: 'Call the function by its name.',
    implies: ['run'],
    match: {
      on: 'assignment',
      about: target => target === 'return' || /(^|\.)__\w+__$/.test(target),
      when: ({ target, value }) =>
        names(value, runsText) || (target === 'return' ? isCallInWaiting(value) : names(value, calledUnseen)),
    },
    examples: {
      bad: [
        'class A:\n    __class_getitem__ = exec\nA["import os"]',
        'import os\nclass A:\n    __class_getitem__ = os.remove\nA["a.csv"]',
        'import os\nclass R:\n    @property\n    def x(self):\n        return os.system\nR().x("id")',
        "import os\ndef f():\n    return os.system, ('id',)",
      ],
      good: ['import os\ndef folder():\n    return os.getcwd', 'class A:\n    __repr__ = str'],
    },
  },
  {
    id: 'execution/import-machinery',
    languages: python,
    type: 'dynamic-import',
    severity: 'medium',
    cwe: 'CWE-829',
    description: 'Changes where and how modules are found for all code of the process.',
    recommendation: 'Import the modules that are needed by name.',
    implies: ['run'],
    match: {
      on: 'call',
      names: ['sys.meta_path.*', 'sys.path_hooks.*', 'copyreg.add_extension'],
      when: ({ name }) =>
        name === 'copyreg.add_extension'
          ? { message: 'Gives a function a number, by which pickles can name it unseen.' }
          : /\.(insert|append|extend|clear|remove|pop)$/.test(name),
    },
    examples: {
      bad: [
        'import sys\nsys.meta_path.insert(0, Loader())',
        "import copyreg\ncopyreg.add_extension('os', 'system', 240)",
      ],
      good: ['import sys\nprint(sys.meta_path)'],
    },
  },
  {
    id: 'execution/other-interpreter',
    languages: python,
    type: 'eval',
    severity: 'medium',
    cwe: 'CWE-95',
    description: 'Hands text to an interpreter or a compiler of another language, where nobody reads it.',
    recommendation: 'Write it in the language of the cell.',
    implies: ['run'],
    match: {
      on: 'call',
      names: [
        'tkinter.Tk().eval',
        'tkinter.Tcl().eval',
        'rpy2.robjects.r',
        'oct2py.octave.*',
        'cython.inline',
        'numpy.f2py.compile',
        'distutils.ccompiler.new_compiler().spawn',
        'papermill.execute_notebook',
        'nbclient.NotebookClient().execute',
        'nbclient.execute',
        'IPython.embed',
      ],
    },
    examples: {
      bad: [
        "import tkinter\ntkinter.Tk().eval('exec rm -rf /srv')",
        'import rpy2.robjects as ro\nro.r(\'unlink("/srv")\')',
      ],
      good: ['df.eval("a + b")'],
    },
  },
  {
    id: 'execution/listed-members',
    languages: scripts,
    type: 'obfuscation',
    severity: 'medium',
    cwe: 'CWE-470',
    description: 'Goes through the members of a powerful object, so that nobody sees which one is called.',
    recommendation: 'Call the function by its name.',
    implies: ['run'],
    match: {
      on: 'call',
      names: ['Object.entries', 'Object.values', 'Object.keys', 'Object.getOwnPropertyNames', 'Reflect.ownKeys'],
      when: call => names(call.args[0], /^(Deno|Bun|process|globalThis|fs|child_process|module|vm)$/),
    },
    examples: {
      bad: [{ language: 'typescript', code: "Object.entries(Deno).find(([k]) => k === 'removeSync')[1]('/srv')" }],
      good: [{ language: 'javascript', code: 'Object.entries(row).map(([name, value]) => value)' }],
    },
  },
  {
    id: 'execution/with-object',
    languages: scripts,
    type: 'obfuscation',
    severity: 'medium',
    cwe: 'CWE-470',
    description:
      'Calls members of an object as if they were plain names (`with`), so that no name says what is called.',
    recommendation: 'Write the object before each name.',
    implies: ['run'],
    match: {
      on: 'program',
      find: ({ program: { source } }) => {
        const found = source.includes('with') ? /(?:^|[;{}\n])\s*with\s*\(/.exec(source) : null
        return found === null ? [] : [{ at: { start: found.index, end: found.index + found[0].length } }]
      },
    },
    examples: {
      bad: [{ language: 'javascript', code: "with (require('fs')) rmSync('/srv')" }],
      good: [{ language: 'javascript', code: 'rows.map(row => replaceWith(row))' }],
    },
  },
]
