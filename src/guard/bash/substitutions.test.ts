// biome-ignore-all lint/suspicious/noTemplateCurlyInString: shell code spells its own variables this way.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { testSeed } from '../../seed.testing.ts'
import { textOf } from '../values.ts'
import { bashFrontEnd } from './front-end.ts'

/** A harmless command that says when it was run; `@@` marks where it goes. */
const forms = ['$(echo RAN >&3)', '`echo RAN >&3`'] as const

function sees(code: string): { readonly seen: boolean; readonly complete: boolean } {
  const { calls, complete } = bashFrontEnd.read(code, 'bash')
  return { seen: calls.some(({ name, args }) => name === 'echo' && textOf(args[0]) === 'RAN'), complete }
}

/** Lets Bash itself say which of these scripts run the command. */
function runs(scripts: readonly string[]): boolean[] {
  const each = '(eval "$code") 3>&1 >/dev/null 2>&1 </dev/null | grep -q RAN && echo yes || echo no'
  const script = `shopt -s extglob; for code; do ${each}; done`
  // Some of them write files.
  const cwd = mkdtempSync(join(tmpdir(), 'substitutions-'))
  const { stdout } = spawnSync('bash', ['-c', script, 'bash', ...scripts], { encoding: 'utf8', cwd })
  rmSync(cwd, { recursive: true, force: true })
  return stdout
    .trim()
    .split('\n')
    .map(line => line === 'yes')
}

/** Every place in which Bash works out a substitution, with a value where one is needed to get there. */
const places = [
  ...['ls x[@@]', 'ls [!@@]', 'ls [[:alpha:]@@]', 'ls *[@@]*', 'ls @(@@)', 'ls !(a|@@)', 'ls +(@@|b)', 'ls ?(a@@)'],
  ...['[[ -v a[@@] ]]', '[[ a[@@] -eq 1 ]]', '[[ 1 -eq a[@@] ]]', '[[ x == @@ ]]', '[[ x == [@@] ]]', '[[ @@ ]]'],
  ...['[[ x == @(@@|b) ]]', '[[ x =~ @@ ]]', '[[ x =~ (@@|b) ]]', '[[ x =~ [@@] ]]', '[[ ! ( -n @@ ) ]]'],
  ...['[[ -f [@@] ]]', '[[ @@ -nt b ]]', '[[ a < @@ ]]', '[[ -n @@ && 1 ]]', '[ -n @@ ]', 'test -n "a@@"'],
  ...['case x in [@@]) ;; esac', 'case x in @@) ;; esac', 'case x in a|@@) ;; esac', 'case x in @(@@)) ;; esac'],
  ...['case @@ in x) ;; esac', 'case 1 in 1) echo @@;; esac', 'case 1 in [0-9@@]*) ;; esac'],
  ...['x=[@@]', 'x=@@', 'x+=@@', 'a[@@]=1', 'a[@@]+=1', 'a=([@@]=1)', 'a=([1]=@@)', 'a=(@@ b)', 'a+=(@@)', 'a=(x[@@])'],
  ...['x=@@ true', 'x=[@@] true', 'a=1 x="@@" true', 'declare -A m=([@@]=1)', 'declare a[@@]=1', 'declare x=@@'],
  ...['export x=@@', 'readonly r=@@', 'typeset t=@@', 'f() { local l=@@; }; f'],
  ...['a=1; echo ${#a[@@]}', 'a=1; echo "${#a[@@]}"', 'echo ${!a[@@]}', 'echo ${a[@@]}', 'echo "${a[@@]:1}"'],
  ...['x=abc; echo ${x^@@}', 'x=abc; echo ${x^^@@}', 'x=abc; echo ${x,@@}', 'x=abc; echo "${x,,@@}"'],
  ...['x=abc; echo ${x:@@}', 'x=abc; echo ${x:1:@@}', 'x=abc; echo ${x/@@/y}', 'x=abc; echo "${x//@@/y}"'],
  ...['x=abc; echo ${x/#@@/y}', 'x=abc; echo ${x/%@@/y}', 'x=abc; echo "${x/a/@@}"', 'x=a; echo ${x/[@@]/}'],
  ...[
    'x=a; echo ${x/a/[@@]}',
    'x=abc; echo ${x#@@}',
    'x=abc; echo "${x%%@@}"',
    'x=a; echo ${x#[@@]}',
    'x=a; echo ${x%@(@@)}',
  ],
  ...['echo ${x:-@@}', 'echo ${x-@@}', 'echo ${x:=@@}', 'echo "${x:-"@@"}"', 'x=1; echo ${x:+@@}', 'echo ${x:?@@}'],
  ...['echo ${x:-${y:-@@}}', 'echo ${x:-a b @@}', 'echo ${x:-b[@@]}', 'echo "${x:-\'@@\'}"', "echo ${x:-'a'@@}"],
  ...['set -- a; echo ${1:+@@}', 'set -- abc; echo "${@/@@/b}"', 'set -- abc; echo ${*#@@}'],
  ...['echo $((@@+1))', 'echo $((1+(@@)))', 'echo $((a[@@]))', 'echo $((x ? 1 : @@+1))', 'echo "$((@@))"'],
  ...['echo $((${x:-@@}))', 'echo $[1+@@]', '((@@+1))', '((a[@@]++))', '(( x = @@ ))', 'let x=@@', 'let "x=@@"'],
  ...['for ((i=@@;i<1;i++)); do :; done', 'for ((i=0;i<@@+1;i++)); do :; done', 'for ((i=0;i<1;i+=@@+1)); do :; done'],
  ...['for x in @@; do :; done', 'for x in a[@@]; do :; done', 'select x in @@; do break; done'],
  ...['while [ -n "@@" ]; do break; done', 'until [ -z "@@" ]; do break; done', 'if [ -n @@ ]; then :; fi'],
  ...['cat <<E\n@@\nE', 'cat <<E\n${x:-@@}\nE', 'cat <<E\n$((@@))\nE', 'cat <<-E\n\t@@\n\tE', 'cat <<E | cat\n@@\nE'],
  ...['cat <<< @@', 'cat <<< "a @@"', 'cat <<< a[@@]', 'cat < /dev/null@@', ': > /dev/null@@', ': 2> "/dev/null@@"'],
  ...[': &> /dev/null@@', ': {fd}> /dev/null@@', '> /dev/null@@', 'if :; then :; fi > /dev/null@@'],
  ...[
    'echo {@@,b}',
    'echo {a,"b@@"}',
    'echo x{1..2}@@',
    'echo a{b,c[@@]}d',
    'echo "@@"',
    `echo "a'@@'b"`,
    'echo $"a@@"',
  ],
  ...['echo a@@b', 'echo ~@@', 'echo a#@@', 'echo <(@@)', 'cat <(echo @@)', 'echo a > >(cat @@)', 'echo $(echo @@)'],
  ...['echo "$(echo "@@")"', '@@', '"@@" || :', 'f() { @@; }; f', 'f() { :; } > /dev/null@@; f', 'f() ( echo @@ ); f'],
  ...['( echo @@ )', '{ echo @@; }', '! echo @@', 'time echo @@', 'echo @@ | cat', 'true && echo @@', 'echo @@ & wait'],
  ...[
    'coproc echo @@',
    'coproc X { echo @@; }; wait',
    'eval "@@"',
    "eval 'echo @@'",
    "bash -c 'echo @@'",
    "trap 'echo @@' EXIT",
  ],
  ...["trap '@@' DEBUG; :", "trap 'echo @@' ERR; false", "mapfile -C '@@' -c 1 l <<< x", "PS4='+ @@'; set -x; :"],
  ...[
    "export PS4='@@'; set -x; :",
    'y=\'@@\'; echo "${y@P}"',
    "compgen -W '@@'",
    "read 'a[@@]' <<< x",
    "printf -v 'a[@@]' x",
  ],
  ...["declare 'a[@@]=1'", "test -v 'a[@@]'", "[ -v 'a[@@]' ]", "[[ -v 'a[@@]' ]]", "let 'a[@@]=1'"],
  ...["x='a[@@]'; (( x ))", "x='a[@@]'; (( 1 + x ))", "x='a[@@]'; echo $((x))", "x='a[@@]'; echo $(( $x ))"],
  ...["x='a[@@]'; let y=x", "x='a[@@]'; [[ $x -eq 1 ]]", "x='a[@@]'; [[ x -eq 1 ]]", "x='a[@@]'; s=abc; echo ${s:x:1}"],
  ...["x='a[@@]'; s=abc; echo ${s:$x}", "x='a[@@]'; a[x]=1", "x='a[@@]'; echo ${a[x]}", "x='a[@@]'; declare -i y=x"],
  ...[
    "x='a[@@]'; declare -i y; y=x",
    "x='a[@@]'; y=x; (( y ))",
    "x='a[@@]'; echo ${!x}",
    'x=\'a[@@]\'; declare "$x=1"',
  ],
  ...["x='a[@@]'; for ((i=x;i<0;i++)); do :; done", 'if false; then f() { :; }; else f() { @@; }; fi; f'],
  ...['if true; then f() { @@; }; else f() { :; }; fi; f'],
  // The name of a file that stands for a command, in the midst of a word.
  ...['[[ x[<(echo @@)] == a ]]', '[[ a == x[<(echo @@)] ]]', '[[ -v a[<(echo @@)] ]]', '[[ -f x<(echo @@) ]]'],
  ...['[[ <(echo @@)x ]]', '[[ a < x<(echo @@) ]]', '[[ ! ( x>(: @@) ) ]]', '[[ a && x<(echo @@) ]]', '[[ 2<(: @@) ]]'],
  ...['case x<(: @@) in a) ;; esac', 'case x in [<(: @@)]) ;; esac', 'case x in a|b<(: @@)c) ;; esac'],
  ...['x=a<(: @@)', 'x=a<(: @@) true', 'x=[<(: @@)] true', 'a=(x<(: @@)y)', 'declare x=a<(: @@)', 'echo a{b,<(: @@)}'],
  ...['cat <<< x<(: @@)', ': > /dev/null<(: @@)', 'f() { :; } > ./x<(: @@); f', 'for i in x<(: @@)y; do :; done'],
  ...[
    'echo 2<(: @@)',
    'echo {fd}<(: @@)',
    'echo "a b"<(: @@)',
    'echo $(:)<(: @@)',
    'echo <(:)<(: @@)',
    'let x=<(: @@)',
  ],
  // In brackets after what could be a variable, the parser takes it for text.
  ...[
    'x[<(: @@)] y',
    'x[<(: @@)]"" y',
    'a=1 x[a>(: @@)]y',
    'x["\\""<(: @@)] y',
    "x[$'\\''<(: @@)] y",
    'x[<(x[<(: @@)])]',
  ],
  ...['echo x\\\n<(: @@)', 'echo \\ <(: @@)', 'x<(: @@)', 'echo $( [[ x[<(: @@)] ]] )', '[[ x[<([[ y<(: @@) ]])] ]]'],
]

describe('a substitution', () => {
  const scripts = places.flatMap(place => forms.map(form => place.replaceAll('@@', form)))

  it('is run by Bash in all these places', () => {
    const ran = runs(scripts)
    expect(scripts.filter((_, index) => !ran[index])).toEqual([])
  })

  it.each(places)('is seen in %j', place => {
    for (const form of forms) expect(sees(place.replaceAll('@@', form))).toEqual({ seen: true, complete: true })
  })

  it.each([
    ['${x/$(echo RAN /a)/y}', 'a slash inside'],
    ['"${x//$(echo RAN /a)/$(echo /b)}"', 'slashes in both parts'],
    ['${x/`echo RAN /a`/y}', 'a slash between backticks'],
    ['${x/$( (echo RAN)/b )/y}', 'a bracket before the slash'],
    ['${x/<(echo RAN /a)/y}', 'a file that stands for a command'],
  ])('is seen whole in %s, with %s', word => expect(sees(`x=a; echo ${word}`)).toMatchObject({ seen: true }))

  it.each([
    ['x=a<(:) rm -rf /data', 'rm'],
    ['x=[<(:)] rm -rf /data', 'rm'],
    ['x=<(:)a y=2 rm -rf /data', 'rm'],
  ])('of a file in the midst of a word does not end the word: %s', (code, command) => {
    const { calls, complete } = bashFrontEnd.read(code, 'bash')
    expect(calls.map(({ name }) => name)).toContain(command)
    expect(complete).toBe(true)
  })

  it('of a file that cannot be told from a sum makes the script one that was not wholly read', () => {
    expect(sees('x=a<((echo RAN)) true')).toEqual({ seen: true, complete: false })
  })

  it('is not looked for in a comparison', () => {
    for (const code of [
      '(( 1<(2) ))',
      'echo $((1<(2)))',
      'for ((i=0;i<(3);i++)); do :; done',
      '# a<(b)',
      "echo 'a<(b)'",
    ])
      expect(bashFrontEnd.read(code, 'bash')).toMatchObject({ complete: true })
  })

  it('that cannot be found again makes the script one that was not wholly read', () => {
    expect(sees('echo ${x/$(echo "/a}')).toMatchObject({ complete: false })
  })

  it.each(["x['<(@@)'] y", 'x["<(a)"] y', 'x[\\<\\(a] y', "x[' ]<(a)']"])('of a file is none in quotes: %s', code =>
    expect(sees(code.replaceAll('@@', 'echo RAN'))).toEqual({ seen: false, complete: true }),
  )

  it('is no code where quotes keep it from the shell', () => {
    for (const code of [
      "echo '@@'",
      "echo [a'@@']",
      "x='@@'; echo $x",
      'echo "\\@@"',
      "cat <<'E'\n@@\nE",
      'echo a # @@',
    ])
      expect(sees(code.replaceAll('@@', forms[0]))).toEqual({ seen: false, complete: true })
  })
})

describe('whatever stands around it, a substitution', () => {
  const words = [
    '@@',
    'a@@b',
    '"a @@"',
    "a'b'@@",
    '$"@@"',
    'x[@@]',
    '[!@@]',
    '@(@@|b)',
    '{@@,b}',
    '$((@@+1))',
    '$(echo @@)',
  ]
  const expansions = ['${x:-@@}', '${x:=@@}', '${s/@@/y}', '${s//a/@@}', '${s:@@}', '${s:0:@@}', '${s^@@}', '${s%%@@}']
  const others = ['${a[@@]}', '<(echo @@)', '"${x:-@@}"', '"${s/@@/y}"', '${s/#$(echo /b)/@@}', '$[@@]']
  const handed = ['a<(echo @@)', '<(echo @@)b', '2<(echo @@)', 'x[<(: @@)]', '"a"<(: @@)', '{x<(: @@),b}', 'a>(: @@)']
  const commands = ['echo @@', 'x=@@', 'x=@@ true', 'a=(@@)', 'a[@@]=1', '[[ @@ == a ]]', '[[ a == @@ ]]', '[ -n @@ ]']
  const compounds = ['case @@ in a) ;; esac', 'case a in @@) ;; esac', 'for i in @@; do :; done', '(( @@ + 1 ))']
  const redirected = [': < @@', ': 2> @@', 'cat <<< @@', 'cat <<E\n@@\nE\n', 'declare x=@@', '@@']
  const around = ['( @@\n)', '{ @@\n}', 'f() { @@\n}; f', 'if :; then @@\nfi', 'while :; do @@\nbreak; done', '! @@']
  const more = [
    'case a in a) @@\n;; esac',
    'time @@',
    'coproc X { @@\n}; wait',
    'for i in 1; do @@\ndone',
    'if @@\nthen :; fi',
  ]
  const nest = (shapes: readonly string[], most: number) =>
    fc
      .array(fc.constantFrom(...shapes), { maxLength: most })
      .map(found => (inner: string) => found.reduce((within, shape) => shape.replaceAll('@@', () => within), inner))
  // What is left of the value when the `a` is taken out must be no program: `bc` would wait for input.
  const scriptsWith = (...written: readonly string[]) =>
    fc
      .tuple(
        fc.constantFrom(...written),
        nest([...words, ...expansions, ...others, ...handed], 3),
        fc.constantFrom(...commands, ...compounds, ...redirected),
        nest([...around, ...more], 2),
      )
      .map(([form, word, command, outer]) => `s=aqz\n${outer(command.replaceAll('@@', () => word(form)))}`)

  it('is seen, or the script is said not to be wholly read', () => {
    fc.assert(
      fc.property(scriptsWith(...forms), code => {
        const { seen, complete } = sees(code)
        expect(seen || !complete).toBe(true)
      }),
      { numRuns: 2_000 },
    )
  })

  it('is seen wherever Bash runs it', () => {
    const seed = testSeed()
    // Quotes and sums keep a file that stands for a command from being one: Bash knows where.
    const some = fc.sample(scriptsWith(...forms, '<(echo RAN >&3)'), { numRuns: 150, seed })
    const ran = runs(some)
    expect(ran).toHaveLength(some.length)
    expect(ran.filter(Boolean).length, `seed ${seed}`).toBeGreaterThan(50)
    expect(
      some.filter((code, index) => ran[index] && !sees(code).seen),
      `seed ${seed}`,
    ).toEqual([])
  })
})
