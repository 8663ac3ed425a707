import type { Rule } from '../rule.ts'
import { sketch } from '../values.ts'
import { code, everywhere, names, numberIn } from './ask.ts'

/** Rules about programs that take the machine down or over. */
const startsProcess = (name: string): boolean =>
  /^(os\.fork|os\.forkpty|multiprocessing\.Process|subprocess\.(Popen|run|call)|child_process\.(fork|spawn|exec)|os\.system|threading\.Thread)$/.test(
    name,
  )

export const harmRules: readonly Rule[] = [
  {
    id: 'system/fork-bomb',
    languages: code,
    type: 'resource-exhaustion',
    severity: 'critical',
    cwe: 'CWE-400',
    description: 'Starts processes without end.',
    recommendation: 'Start a fixed number of workers.',
    implies: ['resources'],
    match: {
      on: 'calls',
      about: startsProcess,
      find: (calls, { program }) => {
        const endless = program.marks.filter(mark => mark.kind === 'endless-loop')
        return calls
          .filter(
            call =>
              endless.some(loop => loop.start <= call.start && call.end <= loop.end) ||
              (call.name === 'os.fork' && call.inLoop) ||
              (/fork|Popen|spawn/.test(call.name) &&
                call.args.some(
                  value =>
                    names(value, /__file__|__filename|sys\.argv/) ||
                    (value.kind === 'list' && value.items.some(item => names(item, /__file__|sys\.argv/))),
                )),
          )
          .map(call => ({ at: call }))
      },
    },
    examples: {
      bad: [
        'import os\nwhile True:\n    os.fork()',
        { language: 'javascript', code: "while (true) require('child_process').fork('a.js')" },
      ],
      good: ['import os\nos.fork'],
    },
  },
  {
    id: 'system/endless-loop',
    languages: code,
    type: 'resource-exhaustion',
    severity: 'medium',
    cwe: 'CWE-835',
    description: 'Loops without end.',
    recommendation: 'Give the loop a way out.',
    implies: ['resources'],
    match: { on: 'mark', kinds: ['endless-loop'] },
    examples: {
      bad: ['while True:\n    x = 1', { language: 'javascript', code: 'for (;;) { work() }' }],
      good: ['while True:\n    if done:\n        break', 'while x < 3:\n    x += 1'],
    },
  },
  {
    id: 'system/huge-allocation',
    languages: code,
    type: 'resource-exhaustion',
    severity: 'medium',
    cwe: 'CWE-789',
    description: 'Asks for more memory or time than a calculation needs.',
    recommendation: 'Work in pieces.',
    implies: ['resources'],
    match: {
      on: 'call',
      names: [
        'bytearray',
        'bytes',
        'Buffer.alloc',
        'Array',
        'ArrayBuffer',
        'numpy.zeros',
        'numpy.ones',
        'time.sleep',
        '*.repeat',
        'itertools.repeat',
        'numpy.empty',
        '*.seek',
        '*.truncate',
      ],
      when: call =>
        /\.(seek|truncate)$/.test(call.name)
          ? // A file with a hole that no disk holds.
            (numberIn(call.args[0]) ?? 0) >= 1e11
          : call.name === 'time.sleep'
            ? (numberIn(call.args[0]) ?? 0) >= 900
            : (numberIn(call.args[0]) ?? 0) >= 2e9,
    },
    examples: {
      bad: ['bytearray(10 ** 11)', 'import time\ntime.sleep(100000)', "f = open('a', 'wb')\nf.seek(10 ** 13)"],
      good: ['bytearray(1024)', 'import time\ntime.sleep(1)'],
    },
  },
  {
    id: 'system/mining',
    languages: everywhere,
    type: 'resource-exhaustion',
    severity: 'critical',
    cwe: 'CWE-506',
    description: 'Mines a currency with this machine.',
    recommendation: 'Remove it.',
    implies: ['resources', 'connect'],
    match: {
      on: 'text',
      when: ({ text, role }) =>
        role === 'value' &&
        /stratum\+(tcp|ssl)|\bxmrig\b|\bminerd\b|cpuminer|coinhive|cryptonight|nicehash|minergate|supportxmr|monerohash|--donate-level|ethminer/i.test(
          text,
        ),
    },
    examples: { bad: ["pool = 'stratum+tcp://pool.example:3333'"], good: ["topic = 'data mining'"] },
  },
  {
    id: 'system/ransom',
    languages: code,
    type: 'destructive-command',
    severity: 'high',
    cwe: 'CWE-506',
    description: 'Walks through folders and encrypts, overwrites or renames what it finds.',
    recommendation: 'Name the files that are meant.',
    implies: ['write', 'read'],
    match: {
      on: 'program',
      find: ({ program, effects }) => {
        const walk = effects.find(
          effect =>
            effect.kind === 'read' &&
            effect.many &&
            /walk|listdir|rglob|scandir|iglob|glob$|readdir/.test(effect.call?.name ?? ''),
        )
        if (walk === undefined) return []
        const cipher = program.calls.find(call =>
          /(\.encrypt|encryptor|AES\.new|createCipheriv|Fernet)$/.test(call.name),
        )
        const change = effects.find(effect => effect.kind === 'write' && effect.many && sketch(effect.target) === null)
        if (cipher && change) return [{ at: walk }]
        // Written over with what nobody can turn back.
        const noise = program.calls.some(call =>
          /^(os\.urandom|secrets\.token_bytes|random\.randbytes|crypto\.randomBytes)$/.test(call.name),
        )
        const over = effects.find(
          effect =>
            effect.kind === 'write' &&
            effect.many &&
            effect.harmless !== true &&
            effect.target.kind !== 'text' &&
            (effect.target.kind !== 'joined' ||
              effect.target.parts.every(part => typeof part !== 'string' || part === '/')),
        )
        return noise && over ? [{ at: over }] : []
      },
    },
    examples: {
      bad: [
        "import os\nfrom cryptography.fernet import Fernet\nf = Fernet(k)\nfor r, d, files in os.walk('.'):\n    for n in files:\n        p = os.path.join(r, n)\n        open(n, 'wb').write(f.encrypt(open(p, 'rb').read()))",
      ],
      good: [
        "import os\nfor r, d, files in os.walk('.'):\n    print(files)",
        "import os\nfor n in os.listdir('in'):\n    open('out/' + n, 'wb').write(os.urandom(8))",
      ],
    },
  },
]
