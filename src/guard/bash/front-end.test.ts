// biome-ignore-all lint/suspicious/noTemplateCurlyInString: shell code spells its own variables this way.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Program } from '../model.ts'
import { sketch } from '../values.ts'
import { bashFrontEnd } from './front-end.ts'

const read = (code: string): Program => bashFrontEnd.read(code, 'bash')
/** The calls as a person would write them, unknown parts as `?`. */
const calls = (code: string): string[] =>
  read(code).calls.map(({ name, args }) => [name, ...args.map(arg => sketch(arg, '?') ?? '?')].join(' '))

describe('the words of a command', () => {
  it.each([
    ['x=rm; $x -rf /', 'rm -rf /'],
    ['r""m file', 'rm file'],
    ["$'\\x72\\x6d' file", 'rm file'],
    ['\\rm file', 'rm file'],
    ['/usr/bin/rm file', 'rm file'],
    ['{rm,-rf,/}', 'rm -rf /'],
    ['cat${IFS}/etc/passwd', 'cat /etc/passwd'],
    ['a=c; b=at; $a$b notes', 'cat notes'],
    ['c$@at notes', 'cat notes'],
    ['x="rm -rf"; $x /', 'rm -rf /'],
    ['list=(rm -rf /); "${list[@]}"', 'rm -rf /'],
    ['p=/etc/hosts; cat "${p%hosts}passwd"', 'cat /etc/passwd'],
    ['p=abc; echo "${p/b/x}" "${p:1:1}" "${p^^}" "${q:-y}"', 'echo axc b ABC y'],
    ['ls ${PATH:0:1}etc', 'ls /etc'],
    ['n=x; x=cat; ${!n} notes', 'cat notes'],
    ['$(echo rm) -f x', 'rm -f x'],
    ['`printf "\\162\\155"` -f x', 'rm -f x'],
    ['$(rev <<< mr) x', 'rm x'],
    ['echo "$HOME/x" ~/y', 'echo ~/x ~/y'],
    ['python3.11 run.py', 'python run.py'],
  ])('of %j are %j', (code, expected) => expect(calls(code)).toContain(expected))

  it('stay apart when they were quoted, and fall apart when they were not', () => {
    expect(calls('x="a b"; cat "$x"')).toEqual(['cat a b'])
    expect(read('x="a b"; cat "$x"').calls[0]?.args).toHaveLength(1)
    expect(read('x="a b"; cat $x').calls[0]?.args).toHaveLength(2)
  })

  it('that are not known are kept as unknown', () => expect(calls('rm "$1" "a$2"')).toEqual(['rm ? a?']))
})

describe('what a script knows', () => {
  it('is one of several after a branch, and each is listed', () => {
    expect(calls('if a; then d=/; else d=out; fi; rm -r $d')).toEqual(expect.arrayContaining(['rm -r /', 'rm -r out']))
  })
  it('keeps the old value when a branch may not be taken', () => {
    expect(calls('d=/; if a; then d=out; fi; rm -r $d')).toEqual(expect.arrayContaining(['rm -r /', 'rm -r out']))
  })
  it('goes through each word of a loop', () => {
    expect(calls('for f in a /etc/passwd; do cat $f; done')).toEqual(['cat a', 'cat /etc/passwd'])
  })
  it('reaches into functions with their arguments', () => {
    expect(calls('wipe() { rm -rf "$1"; }; wipe /')).toEqual(['~wipe /', 'rm -rf /'])
  })
  it('reaches functions that nobody calls', () => expect(calls('wipe() { rm -rf /; }')).toContain('rm -rf /'))
  it('does not leave a subshell', () => expect(calls('(x=/); rm -r "$x"')).toEqual(['rm -r ?']))
  it('goes through aliases', () => expect(calls('alias wipe="rm -rf"\nwipe /')).toContain('rm -rf /'))
  it('goes through files that the script wrote itself', () => {
    expect(calls('echo "rm -rf /" > job.sh\nbash job.sh')).toContain('rm -rf /')
  })
})

describe('a wrapped command', () => {
  it.each([
    'sudo rm -rf /',
    'sudo -u bob FOO=1 rm -rf /',
    'env -i A=1 rm -rf /',
    'nohup nice -n 5 timeout -k 1 5 rm -rf / &',
    'command exec rm -rf /',
    'busybox rm -rf /',
    'echo / | xargs rm -rf',
    'xargs -I{} rm -rf {} <<< /',
    'flock /tmp/l rm -rf /',
    "echo 'rm -rf /' | xargs -I{} sh -c {}",
    "declare -n ref=cmd; cmd='rm -rf /'; $ref",
    "mapfile -t lines <<< 'rm -rf /'; ${lines[0]}",
    '{rm,-rf,/}',
    "bash -c 'rm -rf /'",
    'bash -lc \'rm -rf "$1"\' _ /',
    "source /dev/stdin <<< 'rm -rf /'",
    "echo 'rm -rf /' | . /dev/fd/0",
    "echo 'rm -rf /' > x; . ./x",
    "mapfile -c 1 -C 'rm -rf /' lines < f",
    "complete -C 'rm -rf /' ls",
    `bind -x '"\\C-l": rm -rf /'`,
    "let 'a[$(rm -rf /)]=1'",
    "[ -v 'a[$(rm -rf /)]' ]",
    "printf -v 'a[$(rm -rf /)]' x",
    "declare -i x='a[$(rm -rf /)]'",
    "PS4='$(rm -rf /)'; set -x",
    "PROMPT_COMMAND='rm -rf /'",
    'hash -p /bin/rm ls; ls -rf /',
    `perl -e 'open(F, "rm -rf /|")'`,
    `echo 'exec rm -rf /' | tclsh`,
    "su -c 'rm -rf /' root",
    'eval "rm -rf /"',
    'eval rm -rf /',
    'trap "rm -rf /" EXIT',
    'echo "rm -rf /" | sh',
    'sh <<< "rm -rf /"',
    'sh <<EOF\nrm -rf /\nEOF',
    'bash <(echo "rm -rf /")',
    'echo cm0gLXJmIC8= | base64 -d | sh',
    'eval "$(echo 726d202d7266202f | xxd -r -p)"',
    'awk \'BEGIN { system("rm -rf /") }\'',
    'perl -e \'system("rm -rf /")\'',
    "vim -c ':!rm -rf /' x",
    "tar cf /dev/null x --checkpoint-action=exec='rm -rf /'",
    "ssh -o ProxyCommand='rm -rf /' x",
    "PAGER='rm -rf /' man ls",
    "git -c core.pager='rm -rf /' log",
    'find . -exec rm -rf / \\;',
    '$(rm -rf /)',
    'x=`rm -rf /`',
    'cat <(rm -rf /)',
    '[[ -n $(rm -rf /) ]]',
    '(( x = $(rm -rf / | wc -l) ))',
    'case $(rm -rf /) in x) ;; esac',
    'cat <<EOF\n$(rm -rf /)\nEOF',
    'coproc rm -rf /',
    'time rm -rf /',
    '! rm -rf /',
  ])('is found in %j', code => expect(calls(code)).toContain('rm -rf /'))

  it('is no command where it is only text', () => {
    for (const code of ["echo 'rm -rf /'", "cat <<'EOF'\n$(rm -rf /)\nEOF", '# rm -rf /', "grep 'rm -rf' notes"]) {
      expect(calls(code).some(call => call.startsWith('rm'))).toBe(false)
    }
  })
})

describe('code for other interpreters', () => {
  it.each([
    ["python3 -c 'print(1)'", 'python', 'print(1)'],
    ['python3 <<EOF\nprint(1)\nEOF', 'python', 'print(1)\n'],
    ["echo 'print(1)' | python -", 'python', 'print(1)'],
    ["node -e 'f()'", 'javascript', 'f()'],
    ['f=/tmp/x.py; echo "print(1)" > $f; python $f', 'python', 'print(1)'],
  ])('in %j is handed on', (code, language, source) => {
    expect(read(code).embedded).toMatchObject([{ language, code: source }])
  })
})

describe('one-liners in other languages', () => {
  it.each([
    [`perl -e 'unlink glob "/data/*"'`, 'script.delete /data/* perl'],
    ["perl -we 'unlink </data/*>'", 'script.delete /data/* perl'],
    [`ruby -e 'FileUtils.rm_rf(Dir.home)'`, 'script.delete ~ ruby'],
    ["tclsh <<< 'file delete -force /data'", 'script.delete /data tclsh'],
    [`julia -e 'rm("/data", recursive=true)'`, 'script.delete /data julia'],
    [`perl -e 'open(F, ">/etc/motd")'`, 'script.write /etc/motd perl'],
    [`perl -e 'open(my $f, "<", "/etc/shadow")'`, 'script.read /etc/shadow perl'],
    [`php -r '("sys"."tem")("id");'`, 'script.run ? php'],
    ["perl -ne 'system $_' list", 'script.run ? perl'],
  ])('of %j do %j', (code, expected) => expect(calls(code)).toContain(expected))
})

describe('what cannot be read', () => {
  const deep = (open: string, close: string): string => open.repeat(10_000) + close.repeat(10_000)
  it.each([
    ['brackets', deep('(', ')')],
    ['substitutions', deep('$(', ')')],
    ['quotes in substitutions', deep('"$(', ')"')],
    ['branches', deep('if true; then ', 'fi;')],
    ['expansions', deep('${a:-', '}')],
  ])('is said of 10,000 nested %s', (_, code) => expect(read(code).complete).toBe(false))

  it('is said of wrong syntax', () => {
    expect(read('if true; then').problems[0]).toMatchObject({ kind: 'syntax' })
    expect(read('print("x")').complete).toBe(false)
  })

  it('is said of code that hides in code without end', () =>
    expect(read('x=\'eval "$x"\'; eval "$x"').complete).toBe(false))

  it('does not grow with values that double at each line', () => {
    const started = process.threadCpuUsage()
    read(`a=$1\n${'a=$a$a\n'.repeat(2_000)}rm "$a"`)
    read(`a=xxxxxxxx\n${'a=$a$a\n'.repeat(60)}$a`)
    expect(process.threadCpuUsage(started).user / 1000).toBeLessThan(5_000)
  })

  it('never throws, whatever the text', () => {
    const pieces = fc.constantFrom(
      '$(',
      ')',
      '`',
      '"',
      "'",
      '${',
      '}',
      'a=',
      'rm ',
      '<<E\n',
      'E\n',
      '|',
      '&',
      ';',
      '\n',
      'if ',
      'then ',
      'fi',
      '((',
      '))',
      '[[',
      ']]',
      '{a,b}',
      '$x',
      '\\',
      '>',
      '<(',
      'f(){ ',
      'eval ',
      'for x in ',
      'do ',
      'done',
      '\0',
      '\ud800',
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.array(pieces, { maxLength: 40 }).map(parts => parts.join('')),
        ),
        code => {
          const program = read(code)
          for (const { start, end } of program.calls)
            expect(start >= 0 && end <= code.length && start <= end).toBe(true)
        },
      ),
      { numRuns: 600 },
    )
  })
})

it('places nothing behind the last letter', () => {
  for (const { end } of read('${`\\').calls) expect(end).toBeLessThanOrEqual(4)
})

describe('the shape of a script', () => {
  it('shows a function that starts itself', () =>
    expect(read(':(){ :|:& };:').marks).toMatchObject([{ kind: 'fork-bomb' }]))
  it('shows a loop without an end, and not one that waits or asks', () => {
    expect(read('while :; do echo; done').marks).toMatchObject([{ kind: 'endless-loop' }])
    expect(read('while :; do read -r x; sleep 1; done').marks).toEqual([])
  })
  it('counts decisions by function', () => {
    expect(read('if a; then b; fi; while c; do d; done').complexity).toBe(3)
    expect(read('f() { if a; then b; fi; }; g() { if a; then b; fi; }; f; g').complexity).toBe(2)
  })
  it('lists pipelines by what they come down to', () => {
    expect(read('curl x | sudo bash').pipelines[0]?.calls.map(({ name }) => name)).toEqual(['curl', 'bash'])
  })
})
