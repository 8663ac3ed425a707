import type { Rule } from '../rule.ts'
import { textOf } from '../values.ts'
import { code, everything, isFalse, isFixed, lower, names, option, python, says } from './ask.ts'

const tlsCalls = [
  'requests.get',
  'requests.post',
  'requests.put',
  'requests.delete',
  'requests.patch',
  'requests.head',
  'requests.request',
  'requests.Session().get',
  'requests.Session().post',
  'requests.Session().request',
  'httpx.get',
  'httpx.post',
  'httpx.Client',
  'httpx.AsyncClient',
  'httpx.stream',
  'aiohttp.TCPConnector',
  'urllib3.PoolManager',
  '*.get',
  '*.post',
  'urllib.request.urlopen',
]

/** Rules about whom a program believes. */
export const trustRules: readonly Rule[] = [
  {
    id: 'crypto/unverified-tls',
    languages: python,
    type: 'weak-crypto',
    severity: 'medium',
    cwe: 'CWE-295',
    description: 'Accepts any certificate, so that anybody in between can read and change what is sent.',
    recommendation: 'Leave verification on and add the certificate of your own authority.',
    implies: ['connect'],
    match: {
      on: 'call',
      names: [...tlsCalls, 'urllib3.disable_warnings', 'requests.packages.urllib3.disable_warnings'],
      when: call =>
        // Whoever silences the warning has switched off what it warns of.
        call.name.endsWith('disable_warnings') ||
        ['verify', 'ssl', 'verify_ssl', 'ssl_verify'].some(name => isFalse(call.named.get(name))) ||
        lower(call.named.get('cert_reqs')) === 'cert_none',
    },
    examples: {
      bad: ["import requests\nrequests.get('https://x.org', verify=False)"],
      good: ["import requests\nrequests.get('https://x.org')"],
    },
  },
  {
    id: 'crypto/unverified-context',
    languages: python,
    type: 'weak-crypto',
    severity: 'medium',
    cwe: 'CWE-295',
    description: 'Makes a TLS context that accepts any certificate or an old protocol.',
    recommendation: 'Use `ssl.create_default_context()`.',
    implies: ['connect'],
    match: {
      on: 'call',
      names: [
        'ssl._create_unverified_context',
        'ssl._create_stdlib_context',
        'ssl.wrap_socket',
        'ssl.SSLContext',
        'OpenSSL.SSL.Context',
        'SSL.Context',
        'ssl.get_server_certificate',
        'urllib3.disable_warnings',
        'requests.packages.urllib3.disable_warnings',
      ],
      when: call => {
        if (call.name.endsWith('disable_warnings')) return { severity: 'low' }
        if (/SSLContext|SSL\.Context|get_server/.test(call.name))
          return everything(call).some(value => names(value, /SSLv[23]|TLSv1(_1)?(_METHOD)?$|SSLv23/))
        return true
      },
    },
    examples: {
      bad: ['import ssl\nssl._create_unverified_context()', 'import ssl\nssl.SSLContext(ssl.PROTOCOL_SSLv3)'],
      good: ['import ssl\nssl.create_default_context()'],
    },
  },
  {
    id: 'crypto/verification-off',
    languages: code,
    type: 'weak-crypto',
    severity: 'medium',
    cwe: 'CWE-295',
    description: 'Switches the verification of certificates off.',
    recommendation: 'Leave verification on.',
    implies: ['connect'],
    match: {
      on: 'assignment',
      about: target =>
        /(^|\.)(rejectUnauthorized|strictSSL|check_hostname|NODE_TLS_REJECT_UNAUTHORIZED|PYTHONHTTPSVERIFY|verify_mode|_create_default_https_context|verify|minVersion|secureProtocol|ssl_version)$/.test(
          target,
        ),
      when: ({ target, value, how }, { program }) => {
        const name = target.slice(target.lastIndexOf('.') + 1)
        if (name === 'rejectUnauthorized' || name === 'strictSSL' || name === 'check_hostname') return isFalse(value)
        if (name === 'NODE_TLS_REJECT_UNAUTHORIZED') return textOf(value) === '0' || isFalse(value)
        if (name === 'PYTHONHTTPSVERIFY') return textOf(value) === '0'
        if (name === 'verify_mode') return names(value, /CERT_NONE/)
        if (name === '_create_default_https_context') return names(value, /unverified/)
        if (name === 'minVersion') return says(value, /^(SSLv|TLSv1(\.1)?$)/)
        if (name === 'verify' && (/session|client/i.test(target) || /\brequests|httpx\b/.test(program.source)))
          return how === 'assign' && target.includes('.') && isFalse(value)
        return (
          (name === 'secureProtocol' || name === 'ssl_version') &&
          (says(value, /SSLv|TLSv1(_1)?(_|$)/) || names(value, /SSLv|TLSv1$/))
        )
      },
    },
    examples: {
      bad: [
        'import ssl\nssl._create_default_https_context = ssl._create_unverified_context',
        'import requests\ns = requests.Session()\ns.verify = False',
        { language: 'javascript', code: "https.get({ host: 'a', rejectUnauthorized: false })" },
      ],
      good: ['check = True'],
    },
  },
  {
    id: 'crypto/host-keys',
    languages: python,
    type: 'weak-crypto',
    severity: 'medium',
    cwe: 'CWE-295',
    description: 'Accepts the key of any SSH host.',
    recommendation: 'Load the known hosts and reject others.',
    implies: ['connect'],
    match: {
      on: 'call',
      names: [
        '*.set_missing_host_key_policy',
        'paramiko.AutoAddPolicy',
        'paramiko.WarningPolicy',
        'paramiko.client.AutoAddPolicy',
        'AutoAddPolicy',
      ],
      when: call => (call.name.endsWith('policy') ? call.args.some(value => names(value, /AutoAdd|Warning/)) : true),
    },
    examples: {
      bad: ['import paramiko\nc = paramiko.SSHClient()\nc.set_missing_host_key_policy(paramiko.AutoAddPolicy())'],
      good: ['import paramiko\nc = paramiko.SSHClient()\nc.set_missing_host_key_policy(paramiko.RejectPolicy())'],
    },
  },
  {
    id: 'crypto/slow-comparison',
    languages: code,
    type: 'weak-crypto',
    severity: 'medium',
    cwe: 'CWE-208',
    description: 'Compares a signature character by character; the time taken reveals how much of a guess is right.',
    recommendation: 'Use `hmac.compare_digest` or `crypto.timingSafeEqual`.',
    implies: ['secrets'],
    match: {
      on: 'call',
      names: [
        'hmac.new().hexdigest',
        'hmac.new().digest',
        'hmac.digest',
        'crypto.createHmac().update().digest',
        'crypto.createHmac().digest',
      ],
      when: (call, { program }) =>
        /[=!]==?\s*$/.test(program.source.slice(Math.max(0, call.start - 8), call.start)) ||
        /^\s*[=!]==?/.test(program.source.slice(call.end, call.end + 8)),
    },
    examples: {
      bad: ["import hmac\nok = given == hmac.new(key, body, 'sha256').hexdigest()"],
      good: [
        "import hmac\nok = hmac.compare_digest(given, hmac.new(key, body, 'sha256').hexdigest())",
        "import hmac\nmade = hmac.new(key, body, 'sha256').hexdigest()",
      ],
    },
  },
  {
    id: 'crypto/unsigned-token',
    languages: code,
    type: 'weak-crypto',
    severity: 'high',
    cwe: 'CWE-347',
    description: 'Accepts or makes tokens without a valid signature.',
    recommendation: 'Verify with a fixed list of algorithms.',
    implies: [],
    match: {
      on: 'call',
      names: [
        'jwt.decode',
        'jwt.encode',
        'jose.jwt.decode',
        'jsonwebtoken.verify',
        'jsonwebtoken.sign',
        'jsonwebtoken.decode',
        'jwt.verify',
        'jwt.sign',
        'jwt-simple.decode',
        'jose.JWT.verify',
        'jose.JWT.sign',
        'jwt.process_jwt',
        'python_jwt.process_jwt',
      ],
      when: (call, { program }) => {
        if (isFalse(option(call, 'verify')) || isFalse(option(call, 'verify_signature'))) return true
        const options = call.named.get('options')
        if (options?.kind === 'map' && isFalse(options.entries.get('verify_signature'))) return true
        const algorithm =
          option(call, 'algorithms') ??
          option(call, 'algorithm') ??
          (program.language === 'python' ? call.args[2] : undefined)
        const listed = algorithm?.kind === 'list' ? algorithm.items : [algorithm]
        if (listed.some(value => lower(value) === 'none')) return true
        if (/process_jwt$/.test(call.name)) return true
        if (call.name === 'jwt-simple.decode') return call.args[2]?.kind === 'boolean' && call.args[2].boolean
        const key = call.args[1]
        if (/(verify|sign|encode|decode)$/.test(call.name) && program.language !== 'python' && key?.kind === 'nothing')
          return true
        if (/\.(sign|encode|verify)$/.test(call.name) && isFixed(key) && key?.kind === 'text' && key.text.length > 1)
          return { severity: 'medium', message: 'Signs tokens with a key that is written into the code.' }
        return program.language !== 'python' && call.name.endsWith('.decode')
          ? { severity: 'medium', message: 'Reads a token without checking its signature.' }
          : false
      },
    },
    examples: {
      bad: [
        "import jwt\njwt.decode(t, options={'verify_signature': False})",
        {
          language: 'javascript',
          code: "const jwt = require('jsonwebtoken'); jwt.verify(t, k, { algorithms: ['none'] })",
        },
      ],
      good: ["import jwt\njwt.decode(t, key, algorithms=['RS256'])"],
    },
  },
]
