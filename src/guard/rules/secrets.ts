import { type Assignment, origin } from '../model.ts'
import { isSecretName } from '../paths.ts'
import type { Rule } from '../rule.ts'
import { comesFrom, textOf } from '../values.ts'
import { code, everywhere, option, python } from './ask.ts'

/** Values that nobody would use as a password: empty, placeholders, labels, types, references. */
const placeholder =
  /^(|\*+|x+|\.+|-+|_+|<.*>|\{.*\}|\$.*|%.*|none|null|undefined|true|false|str(ing)?|text|varchar.*|int|password|passwd|pwd|token|secret|key|api[_-]?key|your[-_ ].*|my[-_ ]?(token|key)|example|test|todo|n\/a|utf-?8|field|input|hidden|required|basic|bearer|env|config|default)$/i

function looksRandom(text: string): boolean {
  return (
    text.length >= 16 &&
    /\d/.test(text) &&
    /[a-z]/i.test(text) &&
    !/[\s/\\:]|^[a-z]+\.[a-z]+\b/.test(text) &&
    new Set(text).size >= 10
  )
}

const lastOf = (target: string): string => target.slice(target.lastIndexOf('.') + 1)

function isHardCoded({ target, value, how }: Assignment): boolean {
  const name = lastOf(target)
  const text = textOf(value)
  if (text === null || placeholder.test(text) || text.length > 500) return false
  // Names of things around secrets: `password_field`, `token_type`, `secret_santa`, `tokenizer`.
  if (
    /(field|label|hint|type|name|path|file|url|uri|len(gth)?|size|count|prompt|regex|pattern|column|col|id|list|index|idx|ttl|expiry|algorithm|strategy|header|param|prefix|postfix|suffix|message|error|msg|santa|izer|ized?|format|env|var|store|policy|policies|attempts|strength|page|form|reset|hash(ed|er)?s?)$/i.test(
      name,
    )
  )
    return false
  if (/\s/.test(text.trim()) && !/pass|^secret_?key$/i.test(name)) return false
  if (/^(.*_)?tokens?$/i.test(name) || /token$/i.test(name)) return looksRandom(text)
  if (how === 'entry') return !/\s/.test(text) && text.length >= 4 && text.toLowerCase() !== name.toLowerCase()
  if (how === 'compare') return /passw|pwd|secret/i.test(name) && text.length >= 3 && text.length <= 64
  return text.length >= 3
}

/** In a shell `pwd` is a folder, and what was given to the script is not written into it. */
function isShellSecret({ target, value }: Assignment): boolean {
  const text = textOf(value) ?? ''
  return (
    !/^(old)?_?pwd$/i.test(target) &&
    !/^[./~-]|^\d$|[\s|]/.test(text) &&
    value.origins === 0 &&
    /^[A-Za-z_]\w*$/.test(target)
  )
}

const shapes: readonly (readonly [RegExp, string])[] = [
  [/\b(AKIA|ASIA)[0-9A-Z]{16}\b/, 'an AWS access key'],
  [/\bgh[pousr]_[A-Za-z0-9]{36,}\b|\bgithub_pat_[A-Za-z0-9_]{50,}/, 'a GitHub token'],
  [/\bsk-(proj-|ant-)?[A-Za-z0-9_-]{20,}\b/, 'an API key'],
  [/\bxox[abposr]-[A-Za-z0-9-]{10,}/, 'a Slack token'],
  [/\bAIza[0-9A-Za-z_-]{35}\b/, 'a Google API key'],
  [/\b[rs]k_live_[0-9a-zA-Z]{16,}/, 'a payment key'],
  [/-----BEGIN (RSA |EC |OPENSSH |DSA |PGP )?PRIVATE KEY/, 'a private key'],
  [/\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/, 'a signed token'],
  [
    /\b(postgres(ql)?|mysql(\+\w+)?|mongodb(\+srv)?|redis|amqp|mssql(\+\w+)?|ftp|https?):\/\/[^\s:/@{}<>$%]{1,64}:[^\s:/@{}<>$%*]{3,64}@[\w.-]+/i,
    'a password in an address',
  ],
  [
    /\b(postgres(ql)?|mysql(\+\w+)?|mongodb|redis|mssql):\/\/[^\s:/@{}<>$%]{1,64}:@[\w.-]+/i,
    'an account without a password',
  ],
]

/** One of these stands in each of the shapes. */
const marked = /AKIA|ASIA|gh[pousr]_|github_pat_|sk-|xox|AIza|k_live_|-----BEGIN|eyJ|:\/\//

export const secretRules: readonly Rule[] = [
  {
    id: 'secrets/hard-coded',
    languages: everywhere,
    type: 'secret',
    severity: 'medium',
    cwe: 'CWE-798',
    description: 'A password, key or token is written into the code.',
    recommendation: 'Keep it in the key store and ask for it when it is needed.',
    implies: ['secrets'],
    match: {
      on: 'assignment',
      about: target => isSecretName(lastOf(target)),
      when: (assignment, { program }) =>
        isHardCoded(assignment) && (program.language !== 'bash' || isShellSecret(assignment)),
    },
    examples: {
      bad: [
        "password = 'hunter2!'",
        "connect(user='a', password='s3cret')",
        "if password == 'letmein':\n    pass",
        { language: 'javascript', code: "const config = { apiKey: 'a81bc81b-dead-4e5d' }" },
        { language: 'bash', code: 'DB_PASSWORD=hunter2' },
      ],
      good: [
        'password = getpass.getpass()',
        "token = '[CLS]'",
        "password_label = 'Password'",
        "password = ''",
        { language: 'bash', code: 'pwd=$(pwd); password=$1; PASSWORD_STORE_DIR=~/store; old_pwd=$PWD' },
      ],
    },
  },
  {
    id: 'secrets/known-shape',
    languages: everywhere,
    type: 'secret',
    severity: 'high',
    cwe: 'CWE-798',
    description: 'A text has the shape of a credential.',
    recommendation: 'Remove it and make a new one: this one must count as lost.',
    implies: ['secrets'],
    match: {
      on: 'text',
      when: ({ text, role }) => {
        if (role !== 'value' || text.length < 12 || !marked.test(text)) return false
        const found = shapes.find(([shape]) => shape.test(text))
        return found ? { message: `The code contains ${found[1]}.` } : false
      },
    },
    examples: {
      bad: ["key = 'AKIAIOSFODNN7EXAMPL2'", "url = 'postgresql://app:s3cretpw@db.local/x'"],
      good: ["url = 'postgresql://localhost/x'", "name = 'sk-learn'"],
    },
  },
  {
    id: 'secrets/database-password',
    languages: code,
    type: 'secret',
    severity: 'medium',
    cwe: 'CWE-521',
    description: 'Connects to a database with a password that is written into the code, or with none.',
    recommendation: 'Keep the password in the key store and ask for it when it is needed.',
    implies: ['connect', 'secrets'],
    match: {
      on: 'call',
      names: [
        'MySQLdb.connect',
        'pymysql.connect',
        'psycopg2.connect',
        'mysql.connector.connect',
        'mariadb.connect',
        'pymssql.connect',
        'oracledb.connect',
        'mysql.createConnection',
        'mysql.createPool',
        'mysql2.createConnection',
        'pg.Client',
        'pg.Pool',
      ],
      when: call => {
        const password = textOf(option(call, 'password') ?? option(call, 'passwd'))
        return password !== null && !/^([*.x<{$].*|your.*)$/i.test(password)
      },
    },
    examples: {
      bad: [
        "import MySQLdb\nMySQLdb.connect(host='db', user='root', passwd='')",
        "import mysql.connector\nmysql.connector.connect(user='u', password='password')",
      ],
      good: ["import MySQLdb\nMySQLdb.connect(host='db', passwd=getpass.getpass())"],
    },
  },
  {
    id: 'secrets/empty-setting',
    languages: python,
    type: 'secret',
    severity: 'medium',
    cwe: 'CWE-258',
    description: 'The settings of an application name an account that has no password.',
    recommendation: 'Give the account a password and keep it in the key store.',
    implies: ['secrets'],
    match: {
      on: 'assignment',
      about: target => /(^|\.)PASSWORD$/.test(target),
      when: ({ value, how }) => how === 'entry' && textOf(value) === '',
    },
    examples: {
      bad: ["DATABASES = {'default': {'USER': 'app', 'PASSWORD': ''}}"],
      good: ["DATABASES = {'default': {'USER': 'app', 'PASSWORD': os.environ['DB']}}", "form = {'password': ''}"],
    },
  },
  {
    id: 'secrets/predictable',
    languages: code,
    type: 'weak-crypto',
    severity: 'medium',
    cwe: 'CWE-330',
    description: 'Makes a secret with a generator that can be predicted.',
    recommendation: 'Use `secrets` in Python, `crypto.randomBytes` in JavaScript.',
    implies: ['secrets'],
    match: {
      on: 'assignment',
      when: ({ target, value }, { program }) =>
        comesFrom(value, origin.random) &&
        // The number or word that a player has to guess.
        !(/^secret[a-z]*$/i.test(target) && /guess/i.test(program.source)) &&
        !/number|_?word_|index|idx|count|letter/i.test(target) &&
        /(passw|^pass$|secret|token|otp|nonce|salt|session|csrf|api_?key|captcha|(^|_)(encryption|private|secret|aes|rsa|crypt\w*)_?key$|\bpin\b|_pin$|verification|reset_?code|auth_?code|\biv$|_iv$)/i.test(
          target.slice(target.lastIndexOf('.') + 1),
        ),
    },
    examples: {
      bad: [
        "import random\ntoken = ''.join(random.choice('abc') for _ in range(8))",
        { language: 'javascript', code: 'const sessionId = Math.random().toString(36)' },
      ],
      good: [
        'import random\nx = random.random()',
        'import secrets\ntoken = secrets.token_hex()',
        {
          language: 'javascript',
          code: 'const secret = Math.floor(Math.random() * 9) + 1; const right = guess === secret',
        },
      ],
    },
  },
  {
    id: 'secrets/predictable-in-function',
    languages: code,
    type: 'weak-crypto',
    severity: 'medium',
    cwe: 'CWE-330',
    description: 'A function that by its name makes a secret uses a generator that can be predicted.',
    recommendation: 'Use `secrets` in Python, `crypto.randomBytes` in JavaScript.',
    implies: ['secrets'],
    match: {
      on: 'call',
      names: [
        'random.random',
        'random.randint',
        'random.choice',
        'random.choices',
        'random.sample',
        'random.randrange',
        'random.getrandbits',
        'Math.random',
        'random.randbytes',
        'random.uniform',
        'random.shuffle',
        'numpy.random.randint',
        // Other shapes of the same numbers.
        'random.gauss',
        'random.normalvariate',
        'random.lognormvariate',
        'random.triangular',
        'random.expovariate',
        'random.betavariate',
        'random.gammavariate',
        'random.paretovariate',
        'random.weibullvariate',
        'random.vonmisesvariate',
      ],
      when: call =>
        /(passw|secret|token|otp|nonce|salt|session_?id|csrf|api_?key|captcha|key_?gen|(generate|new|make|create)_?(key|pin|code)|(reset|recovery)_?(link|url|code)|verification)/i.test(
          call.within ?? '',
        ),
    },
    examples: {
      bad: [
        'import random\ndef generate_token():\n    return str(random.randint(0, 9))',
        'import random\ndef make_key():\n    return random.gauss(0, 1)',
      ],
      good: [
        'import random\ndef shuffle():\n    return random.random()',
        'import random\nclass Game:\n    def reset(self):\n        self.start = random.randint(1, 6)',
      ],
    },
  },
]
