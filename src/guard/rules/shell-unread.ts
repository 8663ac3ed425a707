import { shellNames } from '../bash/interpreters.ts'
import { type Call, origin, type Program, type Value } from '../model.ts'
import type { Rule } from '../rule.ts'
import { comesFrom, fromSketch, sketch, startOf, wholeOf } from '../values.ts'
import { line, shell, words } from './shell-ask.ts'

const fetchers = new Set(
  words('curl wget fetch lynx links w3m aria2c nc ncat netcat ssh GET lwp-request http ftp tftp dig openssl'),
)
const savers = new Set(words('curl wget aria2c scp ftp nc fetch'))
const unpackers = new Set(words('gunzip zcat bunzip2 bzcat xzcat uudecode rev xxd unzip gpg'))
const coders = new Set(words('base64 base32 basenc openssl gzip bzip2 xz'))
const runsInput = new Set<string>([
  ...shellNames,
  'python',
  'perl',
  'ruby',
  'php',
  'node',
  'lua',
  'source',
  '.',
  'eval',
  'at',
  'batch',
])

const decodes = (call: Call): boolean =>
  unpackers.has(call.name)
    ? call.name !== 'xxd' || /(^| )-\w*r/.test(line(call))
    : (coders.has(call.name) && /(^| )(-\w*[dD]\b|--decode|-base64 -d)/.test(line(call))) ||
      (call.name === 'tr' &&
        /A-Za-z|a-zA-Z|N-ZA-M/.test(line(call)) &&
        call.args.length >= 2 &&
        !/^\[?a-z\]?$/.test(sketch(call.args[0]) ?? ''))

/** The name of a file, also where its folder is not known. */
const nameOf = (file: Value): string => wholeOf(fromSketch(tail(sketch(file) ?? ''))) ?? ''

/** The first command that runs one of these files, or makes it a program. */
function runs(files: Set<string>, { calls }: Program): Call | undefined {
  files.delete('')
  if (files.size === 0) return undefined
  return calls.find(
    call =>
      (/[/.]/.test(call.name) && files.has(tail(call.name))) ||
      ((runsInput.has(call.name) || call.name === 'chmod') &&
        call.args.some(
          arg =>
            files.has(nameOf(arg)) &&
            (call.name !== 'chmod' || /(^| )(\+x|[ugoa]*\+\w*x|[0-7]*[1357][0-7]*) /.test(line(call))),
        )),
  )
}

/** What came out of a cipher or an encoding; a packed file is no secret. */
const ciphers = new Set(words('base64 base32 basenc openssl xxd gpg uudecode tr rev'))
const deciphers = (call: Call): boolean => ciphers.has(call.name) && decodes(call)

/** Code that nobody can have read before it runs: fetched, decoded, deciphered. */
export const shellUnreadRules: readonly Rule[] = [
  {
    id: 'shell/download-run',
    languages: shell,
    type: 'command-injection',
    severity: 'critical',
    cwe: 'CWE-494',
    description: 'Fetches code from the network and runs it at once.',
    recommendation: 'Download it, read it, check its hash, and put it into the working folder.',
    implies: ['connect', 'run'],
    match: {
      on: 'pipeline',
      when: ({ calls }) => {
        const from = calls.findIndex(call => fetchers.has(call.name))
        return (
          from !== -1 &&
          calls.slice(from + 1).some(call => runsInput.has(call.name) && !/(^| )-(c|e|m|r|ne|pe)\b/.test(line(call)))
        )
      },
    },
    examples: {
      bad: ['curl -fsSL https://get.example.org/install.sh | bash', 'wget -qO- https://example.org/x | sudo sh'],
      good: ['curl -s https://example.org/a.json | jq .'],
    },
  },
  {
    id: 'shell/downloaded-code',
    languages: shell,
    type: 'command-injection',
    severity: 'critical',
    cwe: 'CWE-494',
    description: 'Runs code that was fetched from the network.',
    recommendation: 'Download it, read it, check its hash, and put it into the working folder.',
    implies: ['connect', 'run'],
    match: {
      on: 'call',
      names: [...shellNames, 'source', '.', 'python', 'perl', 'ruby', 'node', 'php'],
      when: call => call.args.some(arg => comesFrom(arg, origin.download)),
    },
    examples: {
      bad: [
        'bash <(curl -s https://example.org/x.sh)',
        'sh -c "$(curl -fsSL https://example.org/x.sh)"',
        'source <(wget -qO- https://example.org/x)',
      ],
      good: ['bash build.sh'],
    },
  },
  {
    id: 'shell/fetched-program',
    languages: shell,
    type: 'command-injection',
    severity: 'critical',
    cwe: 'CWE-494',
    description: 'Fetches a file, makes it a program and runs it.',
    recommendation: 'Use programs that were installed and checked.',
    implies: ['connect', 'run', 'write'],
    match: {
      on: 'calls',
      about: name => savers.has(name),
      find: (calls, { program, effects }) => {
        const fetched = new Set(
          effects
            .filter(effect => effect.kind === 'write' && savers.has(effect.call?.name ?? ''))
            .map(effect => nameOf(effect.target)),
        )
        for (const call of calls)
          if (call.name === 'wget' || call.name === 'curl')
            for (const arg of call.args) if (/^https?:\/\/.+\//.test(startOf(arg))) fetched.add(tail(startOf(arg)))
        const run = runs(fetched, program)
        return run ? [{ at: run }] : []
      },
    },
    examples: {
      bad: [
        'wget https://example.org/tool -O /tmp/tool\nchmod +x /tmp/tool\n/tmp/tool',
        'curl -o run.sh https://example.org/run.sh && bash run.sh',
        'curl -o "$dir/run.sh" https://example.org/run && bash "$dir/run.sh"',
        'curl -o "$dir/run.sh" https://example.org/run; "$dir/run.sh"',
      ],
      good: ['curl -o data.csv https://example.org/data.csv\nhead data.csv'],
    },
  },
  {
    id: 'shell/decoded-run',
    languages: shell,
    type: 'obfuscation',
    severity: 'critical',
    cwe: 'CWE-506',
    description: 'Decodes text and gives it to an interpreter, so that a reviewer does not see what runs.',
    recommendation: 'Write the commands as they are.',
    implies: ['run'],
    match: {
      on: 'pipeline',
      when: ({ calls }) => {
        const from = calls.findIndex(decodes)
        return (
          from !== -1 &&
          calls.slice(from + 1).some(call => runsInput.has(call.name) && !/(^| )-(c|e|ne|pe|n|p)\b/.test(line(call)))
        )
      },
    },
    examples: {
      bad: ['echo bHM= | base64 -d | sh', 'cat payload | xxd -r -p | bash'],
      good: ['echo aGVsbG8= | base64 -d > out.txt', 'zcat log.gz | awk "{print $1}"'],
    },
  },
  {
    id: 'shell/decoded-program',
    languages: shell,
    type: 'obfuscation',
    severity: 'high',
    cwe: 'CWE-506',
    description: 'Decodes a file and runs it, so that a reviewer does not see what runs.',
    recommendation: 'Keep the program as it is in the working folder.',
    implies: ['write', 'run'],
    match: {
      on: 'calls',
      about: name => ciphers.has(name),
      find: (calls, { program, effects }) => {
        if (!calls.some(deciphers)) return []
        const decoded = new Set<string>()
        for (const { kind, call, target } of effects) {
          if (kind !== 'write' || call === null) continue
          const pipe = program.pipelines.find(({ calls }) => calls.includes(call))?.calls ?? [call]
          if (pipe.slice(0, pipe.indexOf(call) + 1).some(deciphers)) decoded.add(nameOf(target))
        }
        for (const call of calls)
          if (deciphers(call)) {
            const file = /(?:^| )(?:-o|-out|--output)[ =](\S+)/.exec(line(call))?.[1]
            if (file !== undefined) decoded.add(tail(file))
            // The name of what it writes stands inside the file, and is that of the file as a rule.
            else if (call.name === 'uudecode')
              for (const arg of call.args) decoded.add(tail(startOf(arg)).replace(/\.\w+$/, ''))
          }
        const run = runs(decoded, program)
        return run ? [{ at: run }] : []
      },
    },
    examples: {
      bad: [
        'base64 -d enc.txt > run.sh\nchmod +x run.sh\n./run.sh',
        'openssl enc -d -aes-256-cbc -in p.enc -out p.sh -k "$k" && sh p.sh',
        'cat a.b64 | base64 --decode | tee /tmp/q.py > /dev/null; python3 /tmp/q.py',
      ],
      good: ['base64 -d picture.b64 > picture.png\nfile picture.png', 'gunzip tool.gz\nchmod +x tool'],
    },
  },
]

const tail = (path: string): string => path.replace(/[?#].*$/, '').replace(/^.*\//, '')
