import { givenCode, isUnread } from '../bash/embedded-code.ts'
import { inputOf } from '../bash/facts.ts'
import { interpreters, shellNames } from '../bash/interpreters.ts'
import { readOptions, valuesOf } from '../bash/options.ts'
import { type Call, origin, type Pipeline, type Program, type Value } from '../model.ts'
import type { Answer, Rule, Scene } from '../rule.ts'
import { comesFrom, isKnown, sketch, startOf, textOf } from '../values.ts'
import { line, shell } from './shell-ask.ts'

/** A shell with neither code nor file nor anything on its input. */
function waitsForCommands(call: Call): boolean {
  const options = readOptions(call.args, 'o O rcfile init-file', true)
  if (options.flags.has('c') || options.flags.has('version') || options.flags.has('help')) return false
  const files = options.operands.filter(operand => !/^[<>&\d]/.test(startOf(operand)))
  return files.length === 0 && inputOf(call) === undefined
}

/** A shell whose input is there and cannot be read, as a file could be. */
function isFedUnread(call: Call): boolean {
  const { flags, operands } = readOptions(call.args, 'o O rcfile init-file', true)
  const input = inputOf(call)
  return (
    !flags.has('c') && (operands.length === 0 || flags.has('s')) && input?.kind === 'unknown' && input.origins === 0
  )
}

/** What comes down the pipe is its code; a file that is passed on unchanged is a script as any other. */
function takesCode(call: Call): boolean {
  if ((shellNames as readonly string[]).includes(call.name))
    return readOptions(call.args, 'o O', true).operands.length === 0
  const interpreter = Object.hasOwn(interpreters, call.name) ? interpreters[call.name] : undefined
  return (
    interpreter?.prompts === true &&
    interpreter.language !== 'prompt' &&
    call.args.every(arg => /^(-[a-zA-Z]?|\/dev\/stdin)$/.test(textOf(arg) ?? '')) &&
    !comesFrom(inputOf(call), origin.file)
  )
}

/** The interpreter at the end of a pipeline that runs what comes down. */
const fedBy = ({ calls }: Pipeline): Call | undefined => {
  const last = calls.findLastIndex(takesCode)
  return last > 0 ? calls[last] : undefined
}

/** `xargs sh` gives whatever it reads to a shell, as the name of a script. */
const feedsShell = (call: Call): boolean =>
  (shellNames as readonly string[]).includes((textOf(call.args.at(-1)) ?? '').replace(/^.*\//, ''))

/** `eval "$(pyenv init -)"`: what a tool prints about itself, and nothing that the script put together. */
const asksTool = /^eval\s+"?(\$\(|`)\s*[\w./~-]+(\s+[\w./=~:-]+)*\s*(2>\s*\/dev\/null\s*)?(\)|`)"?/

function evaluated(call: Call, { program }: Scene): Answer {
  const all = call.args
  if (all.some(arg => comesFrom(arg, origin.download)))
    return { severity: 'critical', message: 'Runs code that it fetched from the network.' }
  const known = all.map(arg => sketch(arg, '\u{fffc}') ?? '\u{fffc}').join(' ')
  // `eval "${name}_COUNT=0"`, with a name out of `tr`: what is decoded is the name of a variable.
  if (all.some(arg => comesFrom(arg, origin.decoded)) && !/^[\w\u{fffc}]+=[\w\u{fffc}./-]*$/u.test(known))
    return { severity: 'critical', message: 'Runs code that it first decodes, so that nobody can read it.' }
  if (all.every(isKnown)) return { severity: 'low', message: 'Runs a fixed text as code.' }
  // Setting a variable whose name is computed, or quoting the arguments again, are the honest uses.
  if (/^\s*(\w*\u{fffc}?\w*\+?=|set -- |set -\w+ |export |declare |local |printf |echo |unset |\w+=)/u.test(known))
    return { severity: 'low' }
  return !all.some(arg => comesFrom(arg, origin.input | origin.environment | origin.file)) &&
    asksTool.test(program.source.slice(call.start, call.end))
    ? { severity: 'low' }
    : true
}

const asksToolInFile = /^(?:source|\.)\s+<\(\s*[\w./~-]+(\s+[\w./=~:-]+)*\s*\)/
const isSourced = ({ name }: Call): boolean => name === 'source' || name === '.'

/** A pipe with a name, which whoever has the name writes to. */
const isPipeOf = ({ calls }: Program, file: Value): boolean =>
  calls.some(({ name, args }) => name === 'mkfifo' && args.some(arg => sketch(arg) === sketch(file)))

/** Sorting through a pipe is how awk sorts; a makefile is there to start programs. */
const pipesOn = /^([gmn]?awk|g?make)$/

const dataFile = /\.(txt|csv|tsv|json|jsonl|log|dat|data|md|xml|html?|ya?ml|out|tmp|bak|lst|list)$/i

export const shellExecutionRules: readonly Rule[] = [
  {
    id: 'shell/eval',
    languages: shell,
    type: 'eval',
    severity: 'medium',
    cwe: 'CWE-95',
    description: 'Runs text as code, and the text is not known before the script runs.',
    recommendation: 'Use an array for a command with arguments, and `declare` or `printf -v` for computed names.',
    implies: ['run'],
    match: { on: 'call', names: ['eval'], when: evaluated },
    examples: {
      bad: [
        'eval "$1"',
        'while read -r step; do eval "$step"; done < steps',
        'eval "$(curl -s https://example.org/x)"',
        'eval "$(echo bHM= | base64 -d)"',
      ],
      good: [
        'eval "set -- $args"',
        'evaluate "$1"',
        'eval "$(pyenv init -)"',
        'for c in l s; do r+=$c; done; eval "$r"',
      ],
    },
  },
  {
    id: 'shell/unreadable-command',
    languages: shell,
    type: 'obfuscation',
    severity: 'critical',
    cwe: 'CWE-506',
    description: 'The command itself is fetched or decoded while the script runs, so that nobody can read it before.',
    recommendation: 'Write the commands as they are.',
    implies: ['run'],
    match: {
      on: 'call',
      names: ['unknown.name'],
      when: call => comesFrom(call.args[0], origin.download | origin.decoded),
    },
    examples: {
      bad: ['$(curl -s https://example.org/c)', 'c=$(base64 -d <<< "$x"); $c', '`openssl enc -d -aes-128-cbc -in x`'],
      good: ['"$EDITOR_CMD" file', '$cmd -v'],
    },
  },
  {
    id: 'shell/data-command',
    languages: shell,
    type: 'command-injection',
    severity: 'medium',
    cwe: 'CWE-94',
    description: 'The command itself is a word read from a file or from the input, so that nobody can read it before.',
    recommendation: 'Write the commands into the script, with the data as arguments.',
    implies: ['run'],
    match: {
      on: 'call',
      names: ['unknown.name'],
      when: call =>
        comesFrom(call.args[0], origin.line | origin.file) &&
        !comesFrom(call.args[0], origin.download | origin.decoded),
    },
    examples: {
      bad: ['read -r c; $c', 'while read -r c; do $c; done < list', 'c=$(cat list); $c', 'mapfile -t a < f; "${a[@]}"'],
      good: [
        '"$1" --version',
        '"$@"',
        '${EDITOR:-vi} notes',
        'read -r name; echo "$name"',
        'read -r c <<< "ls -l"; $c',
      ],
    },
  },
  {
    id: 'shell/data-file-as-code',
    languages: shell,
    type: 'command-injection',
    severity: 'medium',
    cwe: 'CWE-94',
    description: 'Runs a file of data as a script.',
    recommendation: 'Put the commands into a script, where they can be read first.',
    implies: ['run'],
    match: {
      on: 'call',
      names: [...Object.keys(interpreters), 'make', 'gmake', 'source', '.'],
      when: (call, { program }) => {
        const inFile = interpreters[call.name]?.operandIsCode === true || /^g?make$/.test(call.name)
        if (inFile)
          return valuesOf(readOptions(call.args, 'e f F v C j file'), 'f', 'file').some(file =>
            dataFile.test(startOf(file)),
          )
        // `source <(tool completion bash)`: what a tool prints about itself.
        if (isSourced(call) && asksToolInFile.test(program.source.slice(call.start, call.end))) return false
        const { flags, operands } = readOptions(call.args, 'o O c e E r m rcfile init-file eval', true)
        if (['c', 'e', 'E', 'r', 'm', 'eval', 'ne', 'pe'].some(flag => flags.has(flag))) return false
        const [file] = operands
        // `bash <(cat steps)`: a file that holds what another file says.
        return (
          dataFile.test(startOf(file)) ||
          (/^\/dev\/fd\/\d+$/.test(startOf(file)) && comesFrom(file, origin.file | origin.line))
        )
      },
    },
    examples: {
      bad: [
        'bash cmds.txt',
        'sh ./steps.csv',
        '. ./cmds.txt',
        'bash -x out.log',
        'bash <(cat steps)',
        'bash <(make_steps)',
        'python3 notes.txt',
        'perl data.csv',
        'awk -f rules.txt table',
      ],
      good: [
        'bash run.sh',
        '. ./.env',
        'source <(kubectl completion bash)',
        "bash -c 'cat a.txt'",
        'source settings',
        'sh build',
        "awk '{ print }' table.txt",
        "sed -e 's/a/b/' notes.txt",
        'python3 -m json.tool data.json',
        'python3 analyse.py data.csv',
        "perl -ne 'print' data.txt",
      ],
    },
  },
  {
    id: 'shell/data-input-as-code',
    languages: shell,
    type: 'command-injection',
    severity: 'medium',
    cwe: 'CWE-94',
    description: 'Feeds a file of data to an interpreter, which runs its lines.',
    recommendation: 'Put the commands into a script, where they can be read first.',
    implies: ['run'],
    match: {
      on: 'redirection',
      when: ({ operator, target, call }, { program }) =>
        operator === '<' &&
        call !== null &&
        Object.hasOwn(interpreters, call.name) &&
        interpreters[call.name]?.operandIsCode !== true &&
        readOptions(call.args, '', true).operands.length === 0 &&
        !call.args.some(arg => /^-\w*[ceE]|^--eval/.test(startOf(arg))) &&
        (dataFile.test(startOf(target)) || isPipeOf(program, target)),
    },
    examples: {
      bad: ['bash < cmds.txt', 'python3 < steps.txt', 'bash -s < out.log', 'mkfifo p; sh < p & echo "$line" > p'],
      good: [
        'bash < run.sh',
        'python3 analyse.py < data.txt',
        "python3 -c 'print(input())' < data.txt",
        'wc -l < a.txt',
      ],
    },
  },
  {
    id: 'shell/piped-code',
    languages: shell,
    type: 'command-injection',
    severity: 'medium',
    cwe: 'CWE-78',
    description: 'Makes commands out of data and pipes them into a shell.',
    recommendation: 'Call the commands directly, with the data as arguments.',
    implies: ['run'],
    match: {
      on: 'pipeline',
      when: pipeline => {
        const call = fedBy(pipeline)
        return call !== undefined && !isKnown(inputOf(call))
      },
    },
    examples: {
      bad: ["ls | sed 's/^/echo /' | sh", "ls | sed 's/.*/print(1)/' | python3 -"],
      good: ["echo 'ls -l' | sh", 'ls | sort', "ls | perl -pe 's/a/b/'", 'cat run.py | python3'],
    },
  },
  {
    id: 'shell/interactive-shell',
    languages: shell,
    type: 'process',
    severity: 'high',
    cwe: 'CWE-78',
    description: 'Opens a shell that takes its commands from somewhere else, where no review sees them.',
    recommendation: 'Write the commands into the script.',
    implies: ['run'],
    match: {
      on: 'call',
      names: [...shellNames, 'xargs'],
      when: (call, { program }) =>
        call.name === 'xargs'
          ? feedsShell(call)
          : waitsForCommands(call) ||
            (isFedUnread(call) &&
              !program.pipelines.some(({ calls }) => calls.includes(call)) && {
                severity: 'medium',
                message: 'Opens a shell that takes its commands from the output of another command.',
              }),
    },
    examples: {
      bad: [
        '/bin/sh',
        'coproc sh',
        'coproc P { bash -i; }',
        'exec 3> >(sh); echo ls >&3',
        'f() { sh; }; make_steps | f',
        'bash -p',
        'find . -exec /bin/sh \\; -quit',
        'awk \'BEGIN {system("/bin/sh")}\'',
      ],
      good: [
        'sh build.sh',
        "bash -c 'ls'",
        'bash --version',
        'echo ls | sh',
        'coproc bc -l',
        'make 2> >(tee errors.log)',
        'f() { sh; }; echo ls | f',
      ],
    },
  },
  {
    id: 'shell/unread-file',
    languages: shell,
    type: 'command-injection',
    severity: 'low',
    cwe: 'CWE-829',
    description: 'Runs the commands of another file in this shell, and what stands in that file is not seen here.',
    recommendation: 'Review that file as well.',
    implies: ['run'],
    match: { on: 'call', names: ['unread.file'] },
    examples: {
      bad: ['. ./cmds.sh', 'source cmds.sh', 'source "$1"'],
      good: ['source .venv/bin/activate', "echo 'ls' > a.sh; . ./a.sh", '. /dev/stdin <<< ls', 'bash run.sh'],
    },
  },
  {
    id: 'shell/data-as-code',
    languages: shell,
    type: 'command-injection',
    severity: 'medium',
    cwe: 'CWE-94',
    description: 'Runs lines of a file, of the output of a command or of a text that cannot be read as commands.',
    recommendation: 'Write the commands into the script, with the data as arguments.',
    implies: ['run'],
    match: {
      on: 'call',
      names: [...Object.keys(interpreters), 'parallel', 'unread.code'],
      when: (call, { program }) => {
        // Without a command of its own it runs each line that it is given.
        if (call.name === 'parallel')
          return /^(:::.*)?$/.test(startOf(readOptions(call.args, 'j a S arg-file jobs colsep', true).operands[0]))
        // What comes in, or what the script wrote into a file, and no word of it is known.
        if (call.name === 'unread.code') return !program.pipelines.some(each => fedBy(each)?.start === call.start)
        const interpreter = interpreters[call.name]
        return interpreter !== undefined && givenCode(interpreter, call.args).some(isUnread)
      },
    },
    examples: {
      bad: [
        "cat list | xargs -I{} sh -c '{}'",
        'bash -c "$(cat list)"',
        'mapfile -t s < steps; bash -c "${s[0]}"',
        'python3 -c "$(cat list)"',
        'read -r c; python3 -c "$c"',
        'sh -c "$1"',
        'bash -lc "$* 2>&1"',
        'node -e "$code"',
        'bash <<< "$x"',
        'python3 - <<< "$1"',
        'bash -s a <<< "$x"',
        'sh <<E\n$x\nE',
        '{ bash; } <<< "$x"',
        '. /dev/stdin <<< "$x"',
        'echo "$x" > a.sh; bash a.sh',
        'echo "$x" > a.sh; . ./a.sh',
        'parallel < list',
        'parallel :::: list',
      ],
      good: [
        "ls | xargs -I{} sh -c 'wc -l {}'",
        'bash -c "make $(cat target)"',
        'cmd="ls -l"; bash -c "$cmd"',
        "sh -c ':'",
        'source <(pip completion --bash)',
        'jupyter nbconvert --to script a.ipynb --stdout > a.py; python3 a.py',
        "bash <<< 'ls'",
        'bash <<< "ls $1"',
        'sh <<E\nls $x\nE',
        'bash run.sh <<< "$answers"',
        'cat <<< "$x"',
        'cat run.py | python3',
        'curl -s https://x.org/a.json | python3 -m json.tool',
        'run() { bash -c "$1"; }\nrun ls',
        'bash -c "ls $1"',
        'parallel gzip ::: *.csv',
        'ls | parallel -j 4 gzip',
      ],
    },
  },
  {
    id: 'shell/late-substitution',
    languages: shell,
    type: 'obfuscation',
    severity: 'high',
    cwe: 'CWE-94',
    description: 'Puts a command into an array subscript, where arithmetic runs it.',
    recommendation: 'Write the command where it runs.',
    implies: ['run'],
    match: { on: 'assignment', when: ({ value }) => /^\w+\[\$\(.+\)\]$/s.test(textOf(value) ?? '') },
    examples: { bad: ["x='a[$(id)]'; (( x ))"], good: ['a[0]=$(id)', "x='a[0]'"] },
  },
  {
    id: 'shell/script-runs',
    languages: shell,
    type: 'command-injection',
    severity: 'medium',
    cwe: 'CWE-78',
    description: 'A one-liner in another language starts a program, as a way around the rules for programs.',
    recommendation: 'Start programs from the script itself, where a reviewer sees them.',
    implies: ['run'],
    match: {
      on: 'call',
      names: ['script.run'],
      when: call =>
        textOf(call.args[0]) === null || !pipesOn.test(textOf(call.args[1]) ?? '')
          ? true
          : { severity: 'low', message: 'A one-liner in another language starts a program.' },
    },
    examples: {
      bad: ["perl -e 'system($ARGV[0])' x", "sed 's/x/y/e' f", 'lua -e \'os.execute("id")\'', "echo ':!id' | vim -es"],
      good: ["perl -ne 'print if /x/' f", "sed 's/a/b/' f", 'awk \'{ print | "sort -n" }\' f'],
    },
  },
  {
    id: 'shell/one-liner-shell',
    languages: shell,
    type: 'process',
    severity: 'high',
    cwe: 'CWE-78',
    description: 'Code for another interpreter names a shell, as a way around the rules for shells.',
    recommendation: 'Remove it.',
    implies: ['run'],
    match: {
      on: 'call',
      names: Object.keys(interpreters).filter(name => !(shellNames as readonly string[]).includes(name)),
      when: call => {
        const all = `${line(call)} ${sketch(inputOf(call)) ?? ''}`.slice(0, 20_000)
        return /(system|exec\w*|popen|spawn\w*|os\.execute|shell_exec|passthru|term|process|interact|call)\b[^;\n]{0,80}["'`( ](\/(usr\/)?bin\/)?(ba|da|z|k|c|a)?sh\b(?!\.)/i.test(
          all,
        )
      },
    },
    examples: {
      bad: ['ruby -e \'exec "/bin/sh"\'', 'lua -e \'os.execute("/bin/sh")\'', "expect -c 'spawn /bin/sh;interact'"],
      good: ["ruby -e 'puts 1'", 'python build.py'],
    },
  },
]
