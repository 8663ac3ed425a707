import { origin, type Value } from '../model.ts'
import type { Rule } from '../rule.ts'
import { comesFrom, sketch, startOf } from '../values.ts'
import { code, everything, everywhere, isFixed, isForeign, isTrue, names, option, python, scripts } from './ask.ts'

/** Rules about code that hides what it calls. */
export const indirectionRules: readonly Rule[] = [
  {
    id: 'execution/dynamic-import',
    languages: code,
    type: 'dynamic-import',
    severity: 'medium',
    cwe: 'CWE-829',
    description: 'Loads a module whose name is not known before the program runs.',
    recommendation: 'Import the modules that are needed by name.',
    implies: ['run'],
    match: {
      on: 'call',
      names: [
        '__import__',
        'importlib.import_module',
        'require',
        'import',
        'importlib.util.spec_from_file_location',
        'imp.load_source',
        'runpy.run_path',
        'runpy.run_module',
        'importlib.machinery.SourceFileLoader',
        'zipimport.zipimporter',
        'doctest.testfile',
        'pyximport.install',
        'importScripts',
        'process.binding',
        'process._linkedBinding',
        'process.dlopen',
        'module.createRequire',
        'require.extensions.*',
        'module._extensions.*',
        'torch.hub.load',
      ],
      when: call => {
        if (call.name === 'torch.hub.load')
          return (
            !/^local$/.test(sketch(call.named.get('source')) ?? '') && {
              message: 'Fetches a repository and runs the code in it.',
            }
          )
        if (/^(require\.|module\._)extensions/.test(call.name))
          return { message: 'Runs a file as a module, past the name that was imported.' }
        if (/\.node$/.test(sketch(call.args[0]) ?? '') && /^(require|import)$/.test(call.name))
          return { severity: 'high', message: 'Loads native code, where no check applies.' }
        const value = call.args[/(load_source|spec_from_file_location|SourceFileLoader)$/.test(call.name) ? 1 : 0]
        if (/^process\./.test(call.name))
          return { severity: 'high', message: 'Reaches into the inside of the runtime, past every check.' }
        if (value === undefined) return true
        if (comesFrom(value, origin.request | origin.download)) return { severity: 'high' }
        if (comesFrom(value, origin.decoded)) return { severity: 'high', message: 'Hides which module it loads.' }
        if (call.name === '__import__' && isFixed(value))
          return {
            severity: /^(os|subprocess|socket|pty|ctypes|builtins)$/.test(sketch(value) ?? '') ? 'medium' : 'low',
            message: 'Loads a module in a roundabout way.',
          }
        if (call.name === 'module.createRequire') return { severity: 'low' }
        if (call.name === 'importScripts' && /^(https?:)?\/\//.test(sketch(value) ?? ''))
          return { severity: 'medium', message: 'Loads code from another host and runs it.' }
        // Code that lies where anybody can put it.
        if (/^(\/tmp|\/var\/tmp|\/dev\/shm)\//.test(startOf(value)) && !/^(require|import)$/.test(call.name))
          return true
        return value.kind !== 'text' && !isLocal(value)
      },
    },
    examples: {
      bad: [
        'import importlib\nimportlib.import_module(name)',
        "import runpy\nrunpy.run_path('/tmp/a.py')",
        { language: 'javascript', code: 'require(name)' },
        { language: 'javascript', code: "importScripts('https://cdn.example.org/a.js')" },
      ],
      good: [
        "import importlib\nimportlib.import_module('json')",
        { language: 'javascript', code: "require('./local')" },
      ],
    },
  },
  {
    id: 'execution/named-in-settings',
    languages: python,
    type: 'dynamic-import',
    severity: 'medium',
    cwe: 'CWE-470',
    description: 'Calls what a table of settings names in a text.',
    recommendation: 'Name only classes of the logging module there.',
    implies: ['run'],
    match: {
      on: 'call',
      names: ['logging.config.dictConfig'],
      when: call => {
        const named = factoriesIn(call.args[0])
        if (named.some(name => /^(os|posix|subprocess|shutil|builtins|pty|ctypes|importlib|runpy|code)\./.test(name)))
          return { severity: 'high' }
        return named.some(name => !name.startsWith('logging.'))
      },
    },
    examples: {
      bad: [
        "import logging.config\nlogging.config.dictConfig({'handlers': {'h': {'()': 'os.system', 'command': 'id'}}})",
        "import logging.config\nlogging.config.dictConfig({'filters': {'f': {'()': 'mine.Filter'}}})",
      ],
      good: [
        "import logging.config\nlogging.config.dictConfig({'handlers': {'h': {'class': 'logging.StreamHandler'}}})",
        'import logging.config\nlogging.config.dictConfig(CONFIG)',
      ],
    },
  },
  {
    id: 'execution/shared-path',
    languages: python,
    type: 'dynamic-import',
    severity: 'medium',
    cwe: 'CWE-427',
    description: 'Looks for modules in a folder that everybody can write to, or that hides.',
    recommendation: 'Keep modules in the working folder.',
    implies: ['run'],
    match: {
      on: 'call',
      names: ['sys.path.insert', 'sys.path.append', 'site.addsitedir'],
      when: call =>
        call.args.some(value =>
          /^(\/tmp|\/var\/tmp|\/dev\/shm)(\/|$)|^[/~].*\/\.(?!venv|local|pyenv)\w/.test(startOf(value)),
        ),
    },
    examples: {
      bad: ["import sys\nsys.path.insert(0, '/tmp/.x')"],
      good: ["import sys\nsys.path.append('..')", "import sys\nsys.path.insert(0, 'src')"],
    },
  },
  {
    id: 'execution/escape-through-objects',
    languages: python,
    type: 'eval',
    severity: 'high',
    cwe: 'CWE-693',
    description: 'Walks through internal attributes of objects to reach functions that are not given to it.',
    recommendation: 'Import what is needed openly.',
    implies: ['run'],
    match: {
      on: 'call',
      names: [
        '*.__subclasses__',
        '*.__getattribute__',
        '*.__mro__',
        '*.__reduce__',
        'gc.get_objects',
        'sys._getframe',
        'inspect.currentframe',
        'inspect.stack',
        'inspect.getouterframes',
        'sys._current_frames',
      ],
      when: (call, { program }) => {
        if (call.name === 'gc.get_objects')
          return { severity: 'medium', message: 'Looks for things among all that the process holds.' }
        if (/^(sys|inspect)\./.test(call.name))
          return ofCallers.test(program.source)
            ? { severity: 'medium', message: 'Reaches the variables of the code that called it, down to the kernel.' }
            : /_getframe|currentframe/.test(call.name) && { severity: 'low' }
        // A class that overrides a method hands on to the one it overrides.
        if (call.within !== null && call.name.endsWith(`.${call.within}`)) return { severity: 'low' }
        return call.name.endsWith('__getattribute__')
          ? !isFixed(call.args.at(-1)) || /system|popen|exec|eval|import/.test(sketch(call.args.at(-1)) ?? '')
          : true
      },
    },
    examples: {
      bad: [
        '().__class__.__bases__[0].__subclasses__()',
        'import sys\nsys._getframe(3).f_globals',
        "import inspect\ninspect.stack()[1][0].f_globals['x'] = 2",
      ],
      good: [
        'type(x).__name__',
        'import sys\nprint(sys._getframe(1).f_code.co_name)',
        "import sys\nmodule = sys._getframe(1).f_globals.get('__name__', '__main__')",
        'import inspect\nprint(inspect.stack()[1].function)',
        'class A:\n    def __getattribute__(self, name):\n        return object.__getattribute__(self, name)',
      ],
    },
  },
  {
    id: 'execution/hidden-attribute',
    languages: python,
    type: 'obfuscation',
    severity: 'medium',
    cwe: 'CWE-470',
    description: 'Chooses an attribute of a powerful module at run time.',
    recommendation: 'Call the function by its name.',
    implies: ['run'],
    match: {
      on: 'call',
      names: ['getattr', 'setattr', 'operator.methodcaller', 'operator.attrgetter', 'operator.itemgetter'],
      when: call => {
        const [object, name] = call.args
        // These are told the name first and the object later.
        if (call.name.startsWith('operator.')) return telling.test(sketch(object) ?? '') && { severity: 'high' }
        if (
          object?.kind === 'thing' &&
          /^(os|subprocess|builtins|sys|socket|shutil|ctypes|importlib)$/.test(object.name)
        ) {
          return isFixed(name)
            ? { severity: /system|popen|exec|eval|remove|spawn/.test(sketch(name) ?? '') ? 'high' : 'low' }
            : true
        }
        return comesFrom(name, origin.decoded) ? { severity: 'high' } : comesFrom(name, origin.request)
      },
    },
    examples: {
      bad: [
        "import os\ngetattr(os, 'sys' + 'tem')('id')",
        'import os\ngetattr(os, name)',
        "import operator, os\noperator.methodcaller('system', 'id')(os)",
      ],
      good: [
        "getattr(row, 'price')",
        'getattr(model, name)',
        "import operator\nsorted(x, key=operator.attrgetter('price'))",
      ],
    },
  },
  {
    id: 'execution/hidden-text',
    languages: code,
    type: 'obfuscation',
    severity: 'medium',
    cwe: 'CWE-506',
    description: 'Writes plain letters as numbers, so that a reader does not see what a text says.',
    recommendation: 'Write the text plainly.',
    implies: [],
    match: {
      on: 'program',
      find: ({ program }) => {
        if (!program.source.includes('\\x')) return []
        const found = /["'`](?:\\x(?:[46][1-9a-f]|[57][0-9a]|2[ef]|3[0-9]|5f|20|28|29)){8,}/i.exec(program.source)
        return found === null ? [] : [{ at: { start: found.index, end: found.index + found[0].length } }]
      },
    },
    examples: {
      bad: ["x = '\\x63\\x68\\x69\\x6c\\x64\\x5f\\x70\\x72\\x6f\\x63'"],
      good: ["x = b'\\x89PNG\\r\\n\\x1a\\n'", "print('\\x1b[31mred\\x1b[0m')"],
    },
  },
  {
    id: 'execution/hidden-member',
    languages: scripts,
    type: 'obfuscation',
    severity: 'high',
    cwe: 'CWE-470',
    description:
      'Gets at the functions of a powerful module without naming them, or through the store of loaded modules.',
    recommendation: 'Load the module openly and call the function by its name.',
    implies: ['run'],
    match: {
      on: 'call',
      names: [
        'Object.values',
        'Object.entries',
        'Object.keys',
        'Object.getOwnPropertyNames',
        'Object.getOwnPropertyDescriptor',
        'Object.getOwnPropertyDescriptors',
        'Reflect.get',
        'Reflect.ownKeys',
        'Reflect.getOwnPropertyDescriptor',
        'require.cache.*',
      ],
      when: call => call.name.startsWith('require.') || names(call.args[0], /^(child_process|vm|process\.binding)\b/),
    },
    examples: {
      bad: [
        "Object.values(require('child_process'))[0]('id')",
        "require.cache['child_process'].exports.exec('id')",
        "Reflect.get(require('child_process'), name)('id')",
      ],
      good: ['Object.values(prices)', "delete require.cache[require.resolve('./settings')]"],
    },
  },
  {
    id: 'execution/loader-change',
    languages: scripts,
    type: 'obfuscation',
    severity: 'medium',
    cwe: 'CWE-915',
    description: 'Changes how modules are loaded, so that a name later means something else.',
    recommendation: 'Load modules under their own names.',
    implies: ['run'],
    match: {
      on: 'assignment',
      about: target =>
        /^(require\.(cache|extensions)|module\._(load|resolveFilename|extensions)|Module\._\w+)\b/.test(target),
      when: ({ how }) => how === 'assign',
    },
    examples: {
      bad: ["require.extensions['.js'] = load", "require.cache['x'] = { exports: {} }"],
      good: ['cache.extensions = 3', 'module.exports = {}'],
    },
  },
  {
    id: 'execution/web-assembly',
    languages: scripts,
    type: 'eval',
    severity: 'medium',
    cwe: 'CWE-829',
    description: 'Runs machine code that nobody can read here.',
    recommendation: 'Use a package that was reviewed, or write it in the language itself.',
    implies: ['run'],
    match: {
      on: 'call',
      names: [
        'WebAssembly.compile',
        'WebAssembly.instantiate',
        'WebAssembly.compileStreaming',
        'WebAssembly.instantiateStreaming',
        'WebAssembly.Module',
      ],
      when: call => (comesFrom(call.args[0], origin.download | origin.request) ? { severity: 'high' } : true),
    },
    examples: { bad: ['WebAssembly.instantiate(bytes, {})'], good: ['new WebAssembly.Memory({ initial: 1 })'] },
  },
  {
    id: 'execution/worker-text',
    languages: scripts,
    type: 'eval',
    severity: 'medium',
    cwe: 'CWE-95',
    description: 'Runs text as the code of a worker, and the text is not known before the program runs.',
    recommendation: 'Give the worker a file of the working folder.',
    implies: ['run'],
    match: {
      on: 'call',
      names: ['Worker', 'SharedWorker', 'worker_threads.Worker'],
      when: call => {
        const [code] = call.args
        if (names(code, /createObjectURL\(\)$/)) return true
        return !isFixed(code) && (isTrue(option(call, 'eval')) || /^(data|blob):/.test(startOf(code)))
      },
    },
    examples: {
      bad: ['new Worker(URL.createObjectURL(new Blob([code])))', 'new Worker(`data:text/javascript,${code}`)'],
      good: ["new Worker(new URL('./worker.js', import.meta.url))"],
    },
  },
  {
    id: 'execution/remote-command',
    languages: code,
    type: 'process',
    severity: 'medium',
    cwe: 'CWE-78',
    description: 'Runs a command on another machine.',
    recommendation: 'Leave other machines to the tools that administer them.',
    implies: ['run', 'connect'],
    match: {
      on: 'call',
      names: [
        '*.exec_command',
        '*.execCommand',
        '*.invoke_shell',
        'fabric.Connection',
        ...['plumbum.SshMachine', 'plumbum.machines.SshMachine', 'plumbum.machines.paramiko_machine.ParamikoMachine'],
        'fabric.api.run',
        'fabric.api.sudo',
        'winrm.Session',
        'netmiko.ConnectHandler',
        'napalm.get_network_driver',
        'asyncssh.connect',
        'ssh2.Client',
        'node-ssh.NodeSSH',
      ],
      when: call => (isForeign(call.args[0]) ? { severity: 'high' } : true),
    },
    examples: { bad: ["client.exec_command('ls')"], good: ['client.execute(x)'] },
  },
  {
    id: 'execution/indirect-call',
    languages: code,
    type: 'obfuscation',
    severity: 'high',
    cwe: 'CWE-470',
    description: 'Calls a function whose name was decoded or came from outside.',
    recommendation: 'Call the function by its name.',
    implies: ['run'],
    match: {
      on: 'call',
      names: ['?', '?attribute', '?module.*', '?attribute.*'],
      when: call =>
        comesFrom(call.receiver ?? undefined, origin.decoded | origin.download | origin.request) ||
        (/^\?(attribute|module)/.test(call.name) &&
          everything(call).some(value => comesFrom(value, origin.decoded | origin.download))),
    },
    examples: {
      bad: [
        "import base64, os\ngetattr(os, base64.b64decode(x).decode())('id')\n__import__(base64.b64decode(y).decode()).run('a', base64.b64decode(z))",
      ],
      good: ['handlers[name](x)'],
    },
  },
  {
    id: 'execution/unknown-program',
    languages: everywhere,
    type: 'process',
    severity: 'low',
    cwe: 'CWE-78',
    description: 'A command cannot be told before the program runs.',
    recommendation: 'Write the command into the code, so that a reviewer sees it.',
    implies: ['run'],
    match: {
      on: 'effect',
      kinds: ['run'],
      when: effect => sketch(effect.target) === null && effect.target.kind !== 'list',
    },
    examples: { bad: ['import subprocess\nsubprocess.run(cmd)'], good: ["import subprocess\nsubprocess.run('ls')"] },
  },
]

/** Variables of other code; its name and its file are what a log says. */
const ofCallers = /\bf_(?:globals|locals|builtins)\b(?!\s*(?:\.get\(|\[)\s*['"]__(?:name|file|package)__['"])/

/** Names that mean the same in every object that has them. */
const telling =
  /(^|\.)(system|popen|Popen|check_output|spawn[lv]\w*|exec[lv]\w*|rmtree|unlink|__import__|__globals__|__builtins__|__subclasses__)$/

const isLocal = (value: Value): boolean => /^\.{1,2}\//.test(sketch(value) ?? '')

/** What a table says is to be called: the texts under `()`, however deep. */
function factoriesIn(value: Value | undefined, depth = 0): string[] {
  if (value?.kind !== 'map' || depth > 6) return []
  return [...value.entries].flatMap(([key, inner]) =>
    key === '()' ? [sketch(inner) ?? ''] : factoriesIn(inner, depth + 1),
  )
}
