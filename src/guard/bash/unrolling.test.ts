// biome-ignore-all lint/suspicious/noTemplateCurlyInString: shell code spells its own variables this way.
import { describe, expect, it } from 'vitest'
import { sketch } from '../values.ts'
import { bashFrontEnd } from './front-end.ts'

const calls = (code: string): string[] =>
  bashFrontEnd
    .read(code, 'bash')
    .calls.map(({ name, args }) => [name, ...args.map(arg => sketch(arg, '?') ?? '?')].join(' '))

describe('a loop that only puts a text together', () => {
  it.each([
    ['c=\'x tac\'; for ((i=${#c}-1; i>=0; i--)); do r+=${c:i:1}; done; eval "$r"', 'cat x'],
    ['for w in cat x; do r="$r$w "; done; $r', 'cat x'],
    ['s=catx; i=0; while [ $i -lt 3 ]; do o=$o${s:$i:1}; i=$((i+1)); done; $o y', 'cat y'],
    ['s="x tac"; while [ -n "$s" ]; do o+=${s: -1}; s=${s%?}; done; eval "$o"', 'cat x'],
    ['s=ca; n=0; while (( n < 2 )); do o+=${s:n:1}; ((n++)); done; ${o}t x', 'cat x'],
    ['for n in 99 97 116; do o+=$(printf "\\\\$(printf %03o $n)"); done; $o x', 'cat x'],
    ['declare -A m=([a]=ca [b]=t); for k in a b; do o+=${m[$k]}; done; $o x', 'cat x'],
    ['s=abcatx; for i in {2..4}; do o+=${s:$i:1}; done; $o y', 'cat y'],
  ])('is run as the shell runs it: %j', (code, expected) => expect(calls(code)).toContain(expected))

  it('is read once when its turns cannot be known', () => {
    expect(calls('while [ $i -lt $n ]; do r+=x; i=$((i+1)); done; echo "$r"')).toContain('echo ?')
    expect(calls('for w in "$@"; do r+=$w; done; echo "$r"')).toContain('echo ?')
  })

  it('does not go on for ever', () => {
    expect(calls('i=0; while (( i < 1 )); do r+=x; done; echo "$r"')).toContain('echo ?')
    expect(calls('x=ab; for i in {1..500}; do for j in {1..500}; do x=$x$x; done; done; echo done')).toContain(
      'echo done',
    )
  })
})

describe('a number', () => {
  it.each([
    ['echo $((2 * (3 + 4) % 5)) $((1 < 2 && 0)) $((16#ff)) $((7 / 2))', 'echo 4 0 255 3'],
    ['a=3; ((a += 4)); echo $a $((a > 5 ? 1 : 2))', 'echo 7 1'],
    ['l=(a b c); i=1; echo ${l[i]} ${l[i+1]} ${#l[@]}', 'echo b c 3'],
  ])('is worked out in %j', (code, expected) => expect(calls(code)).toContain(expected))

  it('is not known in a loop that may run any number of times', () => {
    expect(calls('i=0; while read -r x; do i=$((i+1)); echo $i; done')).toContain('echo ?')
  })
})

describe('a table by names', () => {
  it('gives what was put under a name', () => {
    expect(calls('declare -A t; t[x]=cat; ${t[x]} notes')).toContain('cat notes')
    expect(calls('declare -A t=([x]=cat [y z]=1); echo "${t[x]}" "${!t[@]}"')[1]).toMatch(/^echo cat/)
  })
})
