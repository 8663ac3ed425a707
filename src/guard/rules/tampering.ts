import type { Rule } from '../rule.ts'
import { startOf, textOf } from '../values.ts'
import { code, isTrue, names, option, python, says, scripts } from './ask.ts'

/** Functions that see what a person types, what is sent or what is run; whoever replaces one sees it too. */
const replaced =
  /^(builtins\.(input|open|exec|eval|compile|__import__|getattr)|getpass\.getpass|os\.(environ|system|popen|open|listdir|remove|getenv)|subprocess\.(run|Popen|call|check_output)|socket\.(socket|getaddrinfo|create_connection|gethostbyname)|requests\.(get|post|put|request|Session\.\w+|sessions\.Session\.\w+|api\.request)|urllib\.request\.urlopen|http\.client\.HTTPS?Connection\.\w+|ssl\.SSLSocket\.\w+|importlib\.import_module|sys\.modules\.\w+|(pandas|pd|numpy|np|math|statistics|decimal|scipy|statsmodels|sklearn|datetime|random|csv|json)(\.\w+)+|sys\.(meta_path|path_hooks)|(\w+\.)*__code__|builtins\.print)$/
const replacedScripts =
  /^(window|globalThis|global|self)\.fetch$|^((window|globalThis|global|self)\.)?(XMLHttpRequest\.prototype\.(open|send|setRequestHeader)|WebSocket(\.prototype\.send)?|navigator\.sendBeacon|(EventTarget|HTMLInputElement|HTMLFormElement)\.prototype\.\w+|https?\.(request|get)|child_process\.\w+|fs\.(read|write)\w+|crypto\.(createHmac|createHash|randomBytes)|Module\.prototype\.require|JSON\.(parse|stringify)|Math\.\w+|Number\.\w+|Date\.now|(Array|Function|Promise|String|Object|Map|Set)\.prototype\.\w+)$/

/** Calculations of a library, which also have settings: `pandas.options.mode.copy_on_write = True`. */
const library =
  /^(pandas|pd|numpy|np|math|statistics|decimal|scipy|statsmodels|sklearn|datetime|random|csv|json|Math|Number)\./

/** Where code is published for everybody to use, and read by many. */
const publicCode =
  /^(https:)?\/\/(deno\.land|jsr\.io|esm\.(sh|run)|unpkg\.com|cdnjs\.cloudflare\.com|cdn\.(jsdelivr\.net|skypack\.dev|plot\.ly|bokeh\.org|tailwindcss\.com)|d3js\.org|code\.jquery\.com|ajax\.googleapis\.com|maps\.googleapis\.com|www\.gstatic\.com|raw\.githubusercontent\.com\/denoland)\//

const wallet =
  /^(bc1[a-z0-9]{20,}|[13][a-km-zA-HJ-NP-Z1-9]{25,34}|0x[0-9a-fA-F]{40}|T[1-9A-HJ-NP-Za-km-z]{33}|4[0-9AB][1-9A-HJ-NP-Za-km-z]{93})$/

/** Names that differ only in letters which look alike mix these; a look for the mixture costs less than the names. */
const mixtures = '_0x O0 0O oO Oo lI Il l1 1l I1 1I'.split(' ')

/** Rules about programs that change others, hide or stay behind. */
export const tamperingRules: readonly Rule[] = [
  {
    id: 'system/replaced-function',
    languages: code,
    type: 'obfuscation',
    severity: 'medium',
    cwe: 'CWE-506',
    description: 'Puts a function of its own in the place of one that all code of the process calls.',
    recommendation: 'Call a function of your own by its own name.',
    implies: ['run', 'secrets'],
    match: {
      on: 'assignment',
      about: target => replaced.test(target) || replacedScripts.test(target),
      when: ({ target, value, how }, { program }) =>
        how === 'assign' &&
        (program.language === 'python' ? replaced : replacedScripts).test(target) &&
        // What a library is told by a setting is no function of it.
        (!library.test(target) ||
          value.kind === 'own' ||
          (value.kind === 'thing' && /^(unittest\.mock|~)/.test(value.name))),
    },
    examples: {
      bad: [
        'import builtins\nreal = builtins.input\ndef spy(text=""):\n    answer = real(text)\n    log(answer)\n    return answer\nbuiltins.input = spy',
        'import os\nos.environ = Wrapper(os.environ)',
        'import pandas as pd\npd.DataFrame.sum = lambda *all: 0',
        { language: 'javascript', code: 'Math.round = x => Math.floor(x)' },
        {
          language: 'javascript',
          code: 'const real = window.fetch; window.fetch = (...all) => { log(all); return real(...all) }',
        },
      ],
      good: [
        'import sys, io\nsys.stdout = io.StringIO()',
        "import pandas as pd\npd.options.display.float_format = '{:.2f}'.format",
        "from unittest import mock\nwith mock.patch('builtins.input', return_value='3'):\n    run()",
        { language: 'javascript', code: 'const fetch = cached(load); api.fetch = fetch' },
      ],
    },
  },
  {
    id: 'system/tracing',
    languages: python,
    type: 'exfiltration',
    severity: 'medium',
    cwe: 'CWE-506',
    description: 'Watches every call of the process, with all values.',
    recommendation: 'Use a debugger or a profiler for as long as it is needed.',
    implies: ['secrets'],
    match: {
      on: 'call',
      names: ['sys.settrace', 'sys.setprofile', 'threading.settrace', 'threading.setprofile', 'sys.addaudithook'],
      when: call => call.args[0]?.kind !== 'nothing',
    },
    examples: {
      bad: ['import sys\nsys.settrace(lambda frame, event, arg: log(frame.f_locals))'],
      good: ['import sys\nsys.settrace(None)', 'import sys\nprint(sys.gettrace())'],
    },
  },
  {
    id: 'system/searched-memory',
    languages: python,
    type: 'secret',
    severity: 'medium',
    cwe: 'CWE-200',
    description: 'Looks through the objects or frames of the process for secrets.',
    recommendation: 'Remove it.',
    implies: ['secrets'],
    match: {
      on: 'call',
      names: ['gc.get_objects', 'gc.get_referrers', 'sys._current_frames', 'inspect.currentframe', 'inspect.stack'],
      when: (call, { program }) =>
        call.name.startsWith('gc.')
          ? /['"]\w*(passw|secret|token|api_?key)/i.test(program.source)
          : /\bf_back\b[\s\S]*\bf_locals\b|\bf_locals\b[\s\S]*\bf_back\b/.test(program.source),
    },
    examples: {
      bad: ["import gc\nfor o in gc.get_objects():\n    if isinstance(o, dict) and 'password' in o:\n        print(o)"],
      good: ['import gc\nprint(len(gc.get_objects()))', 'import inspect\nname = inspect.currentframe().f_code.co_name'],
    },
  },
  {
    id: 'execution/left-behind',
    languages: code,
    type: 'persistence',
    severity: 'medium',
    cwe: 'CWE-506',
    description: 'Starts a program that goes on after this one has ended, or whose output nobody is to see.',
    recommendation: 'Wait for what is started, and keep its output.',
    implies: ['run', 'persistence'],
    match: {
      on: 'call',
      names: [
        'child_process.spawn',
        'child_process.fork',
        'child_process.exec',
        'child_process.execFile',
        'execa',
        'execa.execa',
        'cross-spawn',
        'subprocess.Popen',
        'subprocess.run',
        'subprocess.call',
      ],
      when: call => {
        if (isTrue(option(call, 'detached')) || isTrue(call.named.get('start_new_session'))) return true
        if (names(call.named.get('preexec_fn'), /^os\.set(sid|pgrp)$/)) return true
        if (names(call.named.get('creationflags'), /DETACHED_PROCESS|CREATE_NO_WINDOW/)) return true
        return ['stdin', 'stdout', 'stderr'].every(stream => names(call.named.get(stream), /DEVNULL$/))
      },
    },
    examples: {
      bad: [
        "import subprocess\nsubprocess.Popen(['python', 'a.py'], start_new_session=True)",
        {
          language: 'javascript',
          code: "require('child_process').spawn('node', ['a.js'], { detached: true }).unref()",
        },
      ],
      good: [
        "import subprocess\nsubprocess.run(['git', 'gc'], stdout=subprocess.DEVNULL)",
        { language: 'javascript', code: "require('child_process').spawn('git', ['status'])" },
      ],
    },
  },
  {
    id: 'execution/built-name',
    languages: code,
    type: 'obfuscation',
    severity: 'medium',
    cwe: 'CWE-470',
    description: 'Calls a function of a powerful module by a name that it puts together or looks up.',
    recommendation: 'Call the function by its name.',
    implies: ['run'],
    match: { on: 'mark', kinds: ['built-name'] },
    examples: {
      bad: [
        { language: 'javascript', code: "const cp = require('child_process'); cp['sp' + 'awn']('node', ['a.js'])" },
        { language: 'javascript', code: "const cp = require('child_process'); cp[Object.keys(cp).find(isIt)]('node')" },
      ],
      good: [
        { language: 'javascript', code: "const cp = require('child_process'); cp['spawn']('git', ['status'])" },
        { language: 'javascript', code: 'const parse = parsers[kind + "Parser"]; parsers["a" + kind](text)' },
      ],
    },
  },
  {
    id: 'execution/machine-names',
    languages: code,
    type: 'obfuscation',
    severity: 'medium',
    cwe: 'CWE-506',
    description: 'Its names were made by an obfuscator.',
    recommendation: 'Run the code that this was made from.',
    implies: ['run'],
    match: {
      on: 'program',
      find: ({ program }) => {
        const { source } = program
        if (!mixtures.some(mixture => source.includes(mixture))) return []
        const seen = new Set(source.match(/\b_0x[0-9a-f]{2,}\b|\b[Oo][O0o]{7,}\b|\b[lI][lI1]{7,}\b/g) ?? [])
        return seen.size >= 3 ? [{ at: { start: source.search(/_0x|[O0]{8}|[lI1]{8}/), end: source.length } }] : []
      },
    },
    examples: {
      bad: ["_0x1a = ['a']\n_0x2b = _0x1a[0]\n_0x3c = print\n_0x3c(_0x2b)"],
      good: ['x = 0x1a2b3c\ny = 100000000000\nz = 11111111'],
    },
  },
  {
    id: 'execution/code-from-elsewhere',
    languages: scripts,
    type: 'dynamic-import',
    severity: 'medium',
    cwe: 'CWE-829',
    description: 'Loads code from another host and runs it.',
    recommendation: 'Keep a copy of the version that was read in the working folder.',
    implies: ['connect', 'run'],
    match: {
      on: 'program',
      find: ({ program }) =>
        program.imports
          .filter(({ module }) => /^https?:\/\//.test(module) && !publicCode.test(module))
          .map(at => ({ at })),
    },
    examples: {
      bad: ["import run from 'https://tools.example.net/run.js'", "await import('https://tools.example.net/run.js')"],
      good: ["import { mean } from 'https://esm.sh/simple-statistics'", "import run from './run.js'"],
    },
  },
  {
    id: 'execution/script-from-elsewhere',
    languages: scripts,
    type: 'dynamic-import',
    severity: 'medium',
    cwe: 'CWE-829',
    description: 'Puts a script of another host into the page.',
    recommendation: 'Serve the script with the page.',
    implies: ['connect', 'run'],
    match: {
      on: 'assignment',
      about: target => /(^|\.)src$/.test(target),
      when: ({ value, how }, { program }) =>
        how === 'assign' &&
        /^(https?:)?\/\/[^/]+\/.*\.js\b/.test(startOf(value)) &&
        !publicCode.test(startOf(value)) &&
        /createElement\(\s*['"`]script/.test(program.source),
    },
    examples: {
      bad: [
        "const s = document.createElement('script'); s.src = 'https://x.example.net/m.js'; document.head.append(s)",
      ],
      good: [
        "const s = document.createElement('script'); s.src = '/m.js'",
        "const s = document.createElement('script'); s.src = 'https://cdn.jsdelivr.net/npm/d3@7/d3.min.js'",
      ],
    },
  },
  {
    id: 'system/install-script',
    languages: code,
    type: 'persistence',
    severity: 'medium',
    cwe: 'CWE-506',
    description: 'Runs code of its own on every machine where a package is installed.',
    recommendation: 'Publish packages that do nothing when they are installed.',
    implies: ['run', 'persistence'],
    match: {
      on: 'program',
      find: ({ program }) => {
        const hooks = program.assignments.filter(
          ({ target, how, value }) =>
            how === 'assign' && /\.scripts\.((pre|post)?install|prepare)$/.test(target) && value.kind !== 'nothing',
        )
        const setups = program.calls.filter(({ name, named }) => {
          const commands = /(^|\.)setup$/.test(name) ? named.get('cmdclass') : undefined
          return (
            commands?.kind === 'map' &&
            ['install', 'develop', 'egg_info'].some(step => commands.entries.get(step)?.kind === 'own')
          )
        })
        return [...hooks, ...setups].map(at => ({ at }))
      },
    },
    examples: {
      bad: [
        "from setuptools import setup\nfrom setuptools.command.install import install\nclass Mine(install):\n    def run(self):\n        go()\nsetup(name='a', cmdclass={'install': Mine})",
        { language: 'javascript', code: "pkg.scripts.postinstall = 'node setup.js'" },
      ],
      good: [
        "from setuptools import setup\nsetup(name='a', version='1')",
        { language: 'javascript', code: "pkg.scripts.test = 'vitest'" },
      ],
    },
  },
  {
    id: 'system/payment',
    languages: code,
    type: 'exfiltration',
    severity: 'high',
    cwe: 'CWE-506',
    description: 'Replaces the account that a payment goes to, or makes a payment.',
    recommendation: 'Remove it.',
    implies: ['secrets'],
    match: {
      on: 'call',
      names: [
        '*.setData',
        'clipboardy.write',
        'clipboardy.writeSync',
        'pyperclip.copy',
        'navigator.clipboard.writeText',
        'electron.clipboard.writeText',
        'clipboard.writeText',
        '*.sendTransaction',
        '*.send_transaction',
        '*.send_raw_transaction',
        '*.sendSignedTransaction',
      ],
      when: call =>
        /send/i.test(call.name) ? { severity: 'medium' } : call.args.some(value => wallet.test(textOf(value) ?? '')),
    },
    examples: {
      bad: [
        "import pyperclip\npyperclip.copy('0x52908400098527886E0F7030069857D2E4169EE7')",
        { language: 'javascript', code: 'web3.eth.sendTransaction({ from, to, value })' },
      ],
      good: ["import pyperclip\npyperclip.copy('total: 3')", { language: 'javascript', code: 'chart.setData(rows)' }],
    },
  },
  {
    id: 'system/own-source-script',
    languages: scripts,
    type: 'obfuscation',
    severity: 'medium',
    cwe: 'CWE-506',
    description: 'Reads or copies its own source, as programs do that spread.',
    recommendation: 'Remove it.',
    implies: ['read', 'write'],
    match: {
      on: 'effect',
      kinds: ['read', 'delete'],
      when: ({ target, call }) =>
        says(target, /^\.\/program\.js$/) && /readFile|copyFile|unlink|rm|createReadStream/.test(call?.name ?? ''),
    },
    examples: {
      bad: ["const fs = require('fs'); fs.appendFileSync('b.js', fs.readFileSync(__filename))"],
      good: ["const path = require('path'); console.log(path.basename(__filename))"],
    },
  },
  {
    id: 'system/changed-package',
    languages: code,
    type: 'persistence',
    severity: 'medium',
    cwe: 'CWE-506',
    description: 'Changes the code of an installed package, which others will run.',
    recommendation: 'Leave installed packages to the tool that installs them.',
    implies: ['write', 'persistence'],
    match: {
      on: 'effect',
      kinds: ['write'],
      when: ({ target }) =>
        says(target, /(^|\/)(node_modules|site-packages|dist-packages)\/.*\.([cm]?js|py|so|node|json)$/),
    },
    examples: {
      bad: [{ language: 'javascript', code: "require('fs').writeFileSync('node_modules/a/index.js', text)" }],
      good: [{ language: 'javascript', code: "require('fs').writeFileSync('out/index.js', text)" }],
    },
  },
  {
    id: 'system/open-debugger',
    languages: scripts,
    type: 'network',
    severity: 'medium',
    cwe: 'CWE-489',
    description: 'Lets others debug this process, and run code in it.',
    recommendation: 'Start the debugger by hand for as long as it is needed.',
    implies: ['run', 'connect'],
    match: { on: 'call', names: ['inspector.open', 'process._debugProcess', 'v8.setFlagsFromString'] },
    examples: { bad: ["require('inspector').open(9229, '0.0.0.0')"], good: ["require('inspector').url()"] },
  },
]
