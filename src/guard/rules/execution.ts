import { argvNames as pythonArgv } from '../effects/python-names.ts'
import { commandNames, commandWords, loopWords } from '../effects/python-stores.ts'
import { type Call, origin, type Value } from '../model.ts'
import type { Answer, Rule } from '../rule.ts'
import { comesFrom, list, sketch, unknown } from '../values.ts'
import { code, given, isFixed, isForeign, isTrue, option, python, scripts } from './ask.ts'

/** How bad it is to run this as code, by what is known of it. A fixed text is read in turn and judged by what it says. */
function executed(value: Value | undefined): Answer {
  if (value === undefined) return false
  if (comesFrom(value, origin.download))
    return { severity: 'critical', message: 'Runs code that it fetched from the network.' }
  if (comesFrom(value, origin.decoded))
    return { severity: 'critical', message: 'Runs code that it first decodes, so that nobody can read it.' }
  if (comesFrom(value, origin.request)) return { severity: 'critical', message: 'Runs code that comes with a request.' }
  if (value.kind === 'own' || value.kind === 'number' || value.kind === 'boolean' || value.kind === 'nothing')
    return false
  return isFixed(value) ? { severity: 'low', message: 'Runs a fixed text as code.' } : true
}

/** Programs that only show something, whatever their arguments. */
const harmless =
  /^\s*(clear|cls|ls|dir|pwd|date|echo|whoami|uname|nproc|hostname|true|sleep|which|wc|sort|head|tail|tree|cal|tput|python3? (-V|--version)|node (-v|--version)|git (status|log|diff|branch|rev-parse|describe)|nvidia-smi|java -version|pip3? (list|freeze|--version)|pause|stty size|df|du|free|uptime|title|color|mode)\b[^;&|`$<>]*$/

export const isHarmlessCommand = (command: string): boolean => harmless.test(command)

const shellCalls = [
  'os.system',
  'os.popen',
  'subprocess.getoutput',
  'subprocess.getstatusoutput',
  'popen2.popen2',
  'asyncio.create_subprocess_shell',
  'child_process.exec',
  'child_process.execSync',
  'shelljs.exec',
  'execa.command',
  'execa.execaCommand',
  'sudo-prompt.exec',
]
const argvCalls = [
  'child_process.spawn',
  'child_process.spawnSync',
  'child_process.execFile',
  'child_process.execFileSync',
  'asyncio.create_subprocess_exec',
  'execa',
  'execa.execa',
  'Deno.Command',
  'Bun.spawn',
  'Bun.spawnSync',
  'cross-spawn',
  'cross-spawn.spawn',
  'cross-spawn.sync',
  'child_process.fork',
  'Deno.run',
  'node-pty.spawn',
  ...pythonArgv.filter(name => !/^(sh|plumbum|invoke|fabric)\b/.test(name)),
]

function shellCommand(value: Value | undefined): Answer {
  if (value === undefined) return false
  if (comesFrom(value, origin.request))
    return { severity: 'critical', message: 'A shell command contains what a request says.' }
  if (comesFrom(value, origin.download))
    return { severity: 'critical', message: 'Runs a command that it fetched from the network.' }
  if (comesFrom(value, origin.decoded))
    return { severity: 'critical', message: 'Runs a command that it first decodes.' }
  const known = sketch(value)
  if (isFixed(value) && known !== null) {
    return isHarmlessCommand(known)
      ? { severity: 'low', message: 'Runs a harmless command.' }
      : { severity: 'medium', message: 'Runs a command in a shell.' }
  }
  return isForeign(value) ? { severity: 'high' } : true
}

function withShell(call: Call): boolean {
  const shell = option(call, 'shell')
  return (
    shell !== undefined &&
    (isTrue(shell) || shell.kind === 'text' || shell.kind === 'thing' || shell.kind === 'unknown')
  )
}

/** In JavaScript the words follow in a list of their own; the shell reads them all. */
function wholeCommand(call: Call): Value | undefined {
  const first = given(call, 0, 'args')
  const rest = call.args[1]
  return rest?.kind === 'list' && rest.origins !== 0
    ? list([...(first ? [first] : []), ...rest.items], rest.open)
    : first
}

/** Rules about text that is run and programs that are started. */
export const executionRules: readonly Rule[] = [
  {
    id: 'execution/eval',
    languages: code,
    type: 'eval',
    severity: 'high',
    cwe: 'CWE-95',
    description: 'Runs text as code, and the text is not known before the program runs.',
    recommendation: 'Parse the value (`ast.literal_eval`, `JSON.parse`) instead of running it.',
    implies: ['run'],
    match: {
      on: 'call',
      names: [
        'eval',
        'exec',
        'execfile',
        'Function',
        'AsyncFunction',
        'GeneratorFunction',
        'vm.runInThisContext',
        'vm.runInNewContext',
        'vm.runInContext',
        'vm.Script',
        'vm.compileFunction',
        'vm.SourceTextModule',
        'repl.start().eval',
        'code.InteractiveInterpreter().runcode',
        'code.InteractiveInterpreter().runsource',
        'code.InteractiveConsole().runcode',
        'code.InteractiveConsole().runsource',
        'code.InteractiveConsole().push',
        '_xxsubinterpreters.run_string',
        '_testcapi.run_in_subinterp',
        'code.interact',
        'numexpr.evaluate',
        'sympy.sympify',
        'sympy.S',
        'sympy.parse_expr',
        'sympy.parsing.sympy_parser.parse_expr',
        'vm2.VM().run',
        'vm2.NodeVM().run',
        'safe-eval',
        '*._compile',
      ],
      when: (call, { program }) => {
        if (call.name === 'code.interact') return { severity: 'medium' }
        if (call.name === '_xxsubinterpreters.run_string') return executed(call.args[1])
        if (call.name !== 'Function' && call.name !== 'AsyncFunction') return executed(call.args[0])
        const body = call.args.at(-1)
        // `new list.constructor(length)`: another of the same kind, as long as nothing says that it is given text.
        if (
          call.made &&
          !comesFrom(body, ~origin.parameter) &&
          (body?.kind === 'thing' || body?.kind === 'unknown') &&
          /^new\s+[\w$.]+\.constructor\b/.test(program.source.slice(call.start, call.start + 100))
        )
          return { severity: 'low', message: 'Makes another of the same kind.' }
        const plain = /^\s*(return this;?)?\s*$/.test(sketch(body) ?? '?')
        return isFixed(body) && !plain
          ? { severity: 'medium', message: 'Makes a function from a fixed text.' }
          : executed(body)
      },
    },
    examples: {
      bad: [
        'eval(input())',
        "import base64\nexec(base64.b64decode('cHJpbnQoMSk='))",
        { language: 'javascript', code: "globalThis['ev' + 'al'](code)" },
        { language: 'javascript', code: "new Function('a', body)" },
      ],
      good: [
        "import pandas as pd\ndf = pd.read_csv('a.csv')\ndf.eval('c = a + b')",
        'model.eval()',
        { language: 'javascript', code: 'const evaluate = (x) => x; evaluate("1")' },
        { language: 'javascript', code: 'const copy = list => new list.constructor(list.length)' },
      ],
    },
  },
  {
    id: 'execution/timer-text',
    languages: scripts,
    type: 'eval',
    severity: 'medium',
    cwe: 'CWE-95',
    description: 'Gives a timer text instead of a function; it is run as code.',
    recommendation: 'Give it a function.',
    implies: ['run'],
    match: {
      on: 'call',
      names: ['setTimeout', 'setInterval', 'setImmediate', 'execScript'],
      when: call =>
        call.args[0]?.kind === 'text' || call.args[0]?.kind === 'joined'
          ? true
          : comesFrom(call.args[0], origin.request) ||
            // What was decoded is text, whatever it says.
            (comesFrom(call.args[0], origin.decoded) && call.args[0]?.kind !== 'own' && { severity: 'high' }),
    },
    examples: {
      bad: ['setTimeout("go(" + x + ")", 10)', 'setTimeout(atob(process.argv[2]), 10)'],
      good: ['setTimeout(() => go(x), 10)', 'setTimeout(done, 10)'],
    },
  },
  {
    id: 'execution/compile',
    languages: python,
    type: 'eval',
    severity: 'medium',
    cwe: 'CWE-95',
    description: 'Compiles text into code.',
    recommendation: 'Write the code as code.',
    implies: ['run'],
    match: {
      on: 'call',
      names: [
        'compile',
        'codeop.compile_command',
        'types.CodeType',
        'types.FunctionType',
        'marshal.loads',
        'marshal.load',
      ],
      when: call =>
        call.name.startsWith('marshal') || call.name.startsWith('types')
          ? { severity: 'high' }
          : !isFixed(call.args[0]),
    },
    examples: {
      bad: ["compile(source, 'x', 'exec')", 'import marshal\nexec(marshal.loads(blob))'],
      good: [
        "import re\nre.compile('a+')",
        "model.compile(optimizer='adam')",
        'from types import FunctionType\nprint(isinstance(f, FunctionType))',
      ],
    },
  },
  {
    id: 'execution/shell-command',
    languages: code,
    type: 'command-injection',
    severity: 'high',
    cwe: 'CWE-78',
    description: 'Runs a command in a shell, and the command is not known before the program runs.',
    recommendation: 'Do it in the language itself, or give a fixed program a list of arguments.',
    implies: ['run'],
    match: {
      on: 'call',
      names: shellCalls,
      // Given to somebody who will call it with what cannot be told: `column.apply(os.system)`.
      when: call => shellCommand(given(call, 0, 'cmd', 'command') ?? (call.handed ? unknown : undefined)),
    },
    examples: {
      bad: [
        "import os\nos.system('ping ' + host)",
        'from os import system as s\ns(x)',
        "import os\ngetattr(os, 'sys' + 'tem')(x)",
        { language: 'javascript', code: "const { exec: e } = require('child_process'); e('ls ' + dir)" },
      ],
      good: ["import os\nos.system('clear')", 'system.run(x)'],
    },
  },
  {
    id: 'execution/shell-option',
    languages: code,
    type: 'command-injection',
    severity: 'high',
    cwe: 'CWE-78',
    description: 'Starts a program through a shell, which reads the arguments as code.',
    recommendation: 'Leave the shell out and give a list of arguments.',
    implies: ['run'],
    match: { on: 'call', names: argvCalls, when: call => withShell(call) && shellCommand(wholeCommand(call)) },
    examples: {
      bad: [
        'import subprocess\nsubprocess.run(cmd, shell=True)',
        { language: 'javascript', code: "require('child_process').spawn(cmd, { shell: true })" },
        { language: 'javascript', code: "app.get('/', req => spawn('ls', [req.query.dir], { shell: true }))" },
      ],
      good: ["import subprocess\nsubprocess.run(['ls', '-l'])"],
    },
  },
  {
    id: 'execution/process',
    languages: code,
    type: 'process',
    severity: 'medium',
    cwe: 'CWE-78',
    description: 'Starts another program.',
    recommendation: 'Do it in the language itself where a library can.',
    implies: ['run'],
    match: {
      on: 'call',
      names: argvCalls,
      when: call => {
        if (withShell(call)) return false
        const value = call.name === 'Deno.run' ? (option(call, 'cmd') ?? unknown) : given(call, 0, 'args')
        const first = value?.kind === 'list' ? value.items[0] : value
        const words =
          value?.kind === 'list' ? value.items.map(item => sketch(item) ?? '?').join(' ') : (sketch(value) ?? '')
        if (
          comesFrom(value, origin.request) ||
          (call.args[1]?.kind === 'list' && comesFrom(call.args[1], origin.request))
        )
          return { severity: 'high', message: 'A request decides what program is started, or with what.' }
        if (comesFrom(value, origin.decoded | origin.download))
          return { severity: 'critical', message: 'Starts a program that it first decodes or fetches.' }
        if (!isFixed(first))
          return { severity: 'medium', message: 'Starts a program that is not known before the run.' }
        return isHarmlessCommand(words) ||
          /^(git|python3?|node|npm|pip3?|make|gcc|ffmpeg|dot|latex|pdflatex|convert|sys\.executable) /.test(`${words} `)
          ? { severity: 'low' }
          : true
      },
    },
    examples: {
      bad: ['import subprocess\nsubprocess.run([tool, x])'],
      good: ["import subprocess\nsubprocess.run(['git', 'status'])", 'process.run(x)'],
    },
  },
  {
    id: 'execution/command-library',
    languages: python,
    type: 'process',
    severity: 'medium',
    cwe: 'CWE-78',
    description: 'Starts another program through a library that makes commands look like functions.',
    recommendation: 'Do it in the language itself where a library can.',
    implies: ['run'],
    match: {
      on: 'call',
      names: [...commandNames, '*.subprocess_shell', '*.subprocess_exec'],
      when: call => {
        const words = call.name.includes('.subprocess_') ? loopWords(call) : commandWords(call)
        if (words === null) return false
        const shown =
          words?.kind === 'list' ? words.items.map(item => sketch(item) ?? '?').join(' ') : (sketch(words) ?? '?')
        return isHarmlessCommand(shown) || /^(git|python3?|node|npm|pip3?|make) /.test(`${shown} `)
          ? { severity: 'low' }
          : true
      },
    },
    examples: {
      bad: [
        "import sh\nsh.kubectl('apply')",
        "from plumbum.cmd import chown\nchown('a', 'b')",
        'import asyncio\nloop = asyncio.get_event_loop()\nloop.subprocess_exec(Protocol, tool)',
      ],
      good: [
        "import sh\nsh.ls('-l')",
        "from sh import git\ngit('status')",
        "from plumbum import local\nlocal.cwd.chdir('a')",
      ],
    },
  },
  {
    id: 'execution/imported-command',
    languages: python,
    type: 'process',
    severity: 'medium',
    cwe: 'CWE-78',
    description: 'Imports a program as a function; operators start it, and no call shows with what.',
    recommendation: 'Do it in the language itself where a library can.',
    implies: ['run'],
    match: {
      on: 'import',
      modules: ['plumbum.cmd'],
      when: ({ names }) =>
        names.some(name => !isHarmlessCommand(name) && !/^(git|python3?|node|npm|make|grep|awk|sed|cat)$/.test(name)),
    },
    examples: {
      bad: ["from plumbum.cmd import rm\nrm['-rf', '/'] & FG", 'from plumbum.cmd import curl'],
      good: ['from plumbum.cmd import ls, grep', 'from plumbum import local'],
    },
  },
  {
    id: 'execution/replace-process',
    languages: python,
    type: 'process',
    severity: 'high',
    cwe: 'CWE-78',
    description: 'Replaces itself by another program or hands over its terminal.',
    recommendation: 'Use `subprocess.run` with a fixed program.',
    implies: ['run'],
    match: {
      on: 'call',
      names: [
        'os.execl',
        'os.execle',
        'os.execlp',
        'os.execlpe',
        'os.execv',
        'os.execve',
        'os.execvp',
        'os.execvpe',
        'pty.spawn',
        'os.spawnl',
        'os.spawnle',
        'os.spawnlp',
        'os.spawnv',
        'os.spawnve',
        'os.spawnvp',
        'os.posix_spawn',
        'os.posix_spawnp',
        'pty.fork',
        'os.forkpty',
        'os.startfile',
        '_posixsubprocess.fork_exec',
      ],
    },
    examples: {
      bad: ["import pty\npty.spawn('/bin/sh')", "import os\nos.execl('/bin/sh', 'sh')"],
      good: ['executor.execl(x)'],
    },
  },
]
