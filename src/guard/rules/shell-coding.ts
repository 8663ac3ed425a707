// biome-ignore-all lint/suspicious/noTemplateCurlyInString: shell code spells its own variables this way.
import { type Call, origin } from '../model.ts'
import type { Rule } from '../rule.ts'
import { comesFrom, sketch, startOf } from '../values.ts'
import { line, shell, words } from './shell-ask.ts'

/** Scripts that mean well and let others in: the mistakes that are made in every language, as a shell makes them. */

const hashes = /^(md5|sha1|sha224|sha256|sha384|sha512|b2)(sum)?$|^(cksum|shasum|sum)$/
const namesPassword = /\$\{?\w*(passw|passphrase)\w*/i

const isHash = (call: Call): boolean =>
  hashes.test(call.name) || (call.name === 'openssl' && /^(dgst|md5|sha)/.test(line(call)))

export const shellCodingRules: readonly Rule[] = [
  {
    id: 'shell/password-hash',
    languages: shell,
    type: 'weak-crypto',
    severity: 'medium',
    cwe: 'CWE-916',
    description: 'Hashes a password with a fast hash, so that it can be guessed.',
    recommendation: 'Use `mkpasswd -m yescrypt` or `argon2`.',
    implies: ['secrets'],
    match: {
      on: 'pipeline',
      when: ({ calls }, { program }) =>
        calls.some((call, at) => {
          const next = calls[at + 1]
          return (
            next !== undefined &&
            (call.name === 'echo' || call.name === 'printf') &&
            (isHash(next) || /^(base64|crc32)$/.test(next.name)) &&
            namesPassword.test(program.source.slice(call.start, call.end))
          )
        }),
    },
    examples: {
      bad: ['hash=$(echo -n "$password" | sha256sum)', 'printf %s "${salt}${Password}" | md5sum'],
      good: ['echo -n "$text" | sha256sum', 'sha256sum release.tar.gz', 'echo "$PWD" | md5sum'],
    },
  },
  {
    id: 'shell/eval-of-argument',
    languages: shell,
    type: 'eval',
    severity: 'medium',
    cwe: 'CWE-95',
    description: 'Runs an argument of the script or of a function as code.',
    recommendation: 'Call the command that is meant, with the argument as an argument: `"$@"`.',
    implies: ['run'],
    match: {
      on: 'call',
      names: ['eval'],
      when: (call, { program }) =>
        /^eval\s+(--\s+)?"?\$(\{?1\}?|[@*])"?\s*($|[;&|)])/.test(program.source.slice(call.start, call.end)),
    },
    examples: {
      bad: ['calculate() { result=$(eval "$1"); echo "$result"; }\ncalculate "1 + 2"', 'eval "$@"', 'eval $1'],
      good: ['eval "$(ssh-agent -s)"', 'eval "value=\\$$1"', 'run() { "$@"; }\nrun ls'],
    },
  },
  {
    id: 'shell/predictable-secret',
    languages: shell,
    type: 'weak-crypto',
    severity: 'medium',
    cwe: 'CWE-330',
    description: 'Makes a secret out of the time or of numbers that can be predicted.',
    recommendation: 'Use `openssl rand -hex 16`.',
    implies: ['secrets'],
    match: {
      on: 'assignment',
      about: target =>
        /passw|secret|token|salt|nonce|otp$|api_?key|^key$|(encryption|private|secret)_key$/i.test(target),
      when: ({ start, end }, { program }) =>
        /\$\{?RANDOM\b|\bsrand\(|\bdate \+%[sN]/.test(program.source.slice(start, end)),
    },
    examples: {
      bad: ['token=$(date +%s | md5sum)', 'salt=$((RANDOM % 1000)); salt=$RANDOM'],
      good: ['token=$(openssl rand -hex 16)', 'port=$RANDOM', 'stamp=$(date +%s)'],
    },
  },
  {
    id: 'shell/unverified-tls',
    languages: shell,
    type: 'weak-crypto',
    severity: 'medium',
    cwe: 'CWE-295',
    description: 'Does not verify who is at the other end, so that anybody in between can read and change the data.',
    recommendation: 'Leave the check on, and add the certificate that is missing.',
    implies: ['connect'],
    match: {
      on: 'call',
      names: words('curl wget git pip npm http https httpie yarn'),
      when: call => {
        const all = line(call)
        if (/\/\/(localhost|127\.|\[::1\])/.test(all)) return false
        switch (call.name) {
          case 'curl':
            return /(^| )(--insecure|-[a-jl-zA-Z]*k[a-zA-Z]*)( |$)/.test(all)
          case 'wget':
            return /--no-check-certificate/.test(all)
          case 'git':
            return /http\.sslVerify[ =]false/i.test(all)
          case 'pip':
            return /--trusted-host/.test(all)
          case 'npm':
          case 'yarn':
            return /strict-ssl[ =]false/.test(all)
          default:
            return /--verify[ =]no/.test(all)
        }
      },
    },
    examples: {
      bad: [
        'curl -sk https://example.org',
        'wget --no-check-certificate https://example.org/a',
        'git config http.sslVerify false',
      ],
      good: ['curl -s https://example.org', 'curl -k https://localhost:8443/health', 'wget https://example.org/a'],
    },
  },
  {
    id: 'shell/sql',
    languages: shell,
    type: 'sql-injection',
    severity: 'medium',
    cwe: 'CWE-89',
    description: 'Puts user input into an SQL statement.',
    recommendation: 'Pass it as a parameter: `psql -v name="$1"`, `.param set`.',
    implies: ['modify'],
    match: {
      on: 'call',
      names: words('sqlite3 mysql mariadb psql sqlcmd duckdb'),
      when: call =>
        call.args.some(
          arg =>
            arg.kind === 'joined' &&
            comesFrom(arg, origin.input) &&
            /\b(select\b.+\bfrom|insert\s+into|update\b.+\bset|delete\s+from)\b/is.test(sketch(arg) ?? ''),
        ) && !/^-v$/.test(startOf(call.args[0])),
    },
    examples: {
      bad: ['sqlite3 a.db "SELECT * FROM t WHERE name = \'$1\'"'],
      good: ["sqlite3 a.db 'SELECT * FROM t'", 'n=5; sqlite3 a.db "SELECT * FROM t LIMIT $n"'],
    },
  },
]
