// biome-ignore-all lint/suspicious/noTemplateCurlyInString: shell code spells its own variables this way.
import { describe, expect, it } from 'vitest'
import { inspectCode } from './inspect.ts'

const deletions = async (code: string) => {
  const { risk, impact } = await inspectCode(code, 'bash')
  return { risk, reversible: impact.reversible, deleted: impact.filesDeleted.map(({ target }) => target) }
}

describe('a name that only the run chooses', () => {
  it.each([
    'd=$(mktemp -d); rm -rf "$d"',
    'd=$(mktemp -d work.XXXXXX); rm -rf "$d/a"',
    'd=/tmp/job.$$; mkdir "$d"; rm -rf "$d"',
    'd=build.$RANDOM; mkdir $d; rm -rf ./$d',
  ])('is nobody else’s: %s', async code => {
    expect(await deletions(code)).toMatchObject({ risk: 'low' })
  })

  it('is shown as mktemp writes it', async () => {
    expect((await deletions('rm -rf "$(mktemp -d)"')).deleted).toEqual(['/tmp/tmp.XXXXXX'])
  })

  it.each([
    ['mkdir XXX; rm -rf XXX/../reports', 'reports'],
    ['rm -rf XXXXXXXXXX/reports', 'XXXXXXXXXX/reports'],
    ['rm -rf /data/tmp.XXXXXXXXXX', '/data/tmp.XXXXXXXXXX'],
    ['d=$(mktemp -d work.XXXX); rm -rf "$d/../reports"', 'reports'],
  ])('is not what a script calls so, nor what lies beside it: %s', async (code, target) => {
    const { risk, reversible, deleted } = await deletions(code)
    expect(deleted).toEqual([target])
    expect(reversible).toBe('no')
    expect(risk).not.toBe('low')
  })

  it.each([
    ['one letter of it', 'd=$(mktemp -d); rm -rf "reports${d:0:0}"'],
    ['a variable that is called so', 'rm -rf "$tmpdir"'],
    ['what lies beside such a variable', 'rm -rf "$tmp/../reports"'],
    ['a text that the shell would have to expand', "rm -rf '$TMPDIR/reports'"],
    ['the sign by which it is sketched', 'rm -rf /data/\u{fffb}'],
    ['that sign by its number', "rm -rf $'/data/\\ufffb'"],
    ['that sign as something prints it', "rm -rf /data/$(printf '\\ufffb')"],
    ['what a part that is not known climbs to', 'rm -rf "build/$1/../../reports"'],
    ['a file that looks like one of the script’s own', 'echo x > "$one/a"; rm -rf "$other/a"'],
  ])('is not %s', async (_, code) => {
    const { risk, reversible } = await deletions(code)
    expect({ risk, reversible }).toEqual({ risk: 'high', reversible: 'no' })
  })

  it.each([
    'd=$(mktemp -d); trap "rm -rf \'$d\'" EXIT',
    'd=$(mktemp -d); bash -c "rm -rf $d"',
    'd=$(mktemp -d); args="-rf $d"; rm $args',
    'd=$(mktemp -d); cd "$d" && echo 1 > a && rm a',
    'd=$(mktemp -d); for f in "$d/a" "$d/b"; do rm -rf "$f"; done',
    'f=$(mktemp work.XXXX.csv); rm "${f%.csv}.txt"',
    'echo x > "$dir/a"; rm "$dir/a"',
  ])('stays so in code and words made of it: %s', async code => {
    expect(await deletions(code)).toMatchObject({ risk: 'low' })
  })
})

describe('a part that is not known', () => {
  it.each([
    ['bash', 'bash -c "__UNKNOWN__=build; rm -rf $1"'],
    ['bash', 'bash -c "a=__UNK; eval \\"\\${a}NOWN__=build\\"; rm -rf $1"'],
    ['bash', 'f() { rm -rf "$__UNKNOWN__"; }; __UNKNOWN__=build; bash -c "f; rm -rf $1"'],
    ['bash', 'bash -c "rm -rf \'$1\'"'],
    ['bash', 'bash -c "rm -rf \\$\'$1\'"'],
    ['python', 'import os, sys\nos.system(f"__UNKNOWN__=build; rm -rf {sys.argv[1]}")'],
    ['python', 'import subprocess, sys\nsubprocess.run(["rm", "-rf", f"build {sys.argv[1]}"])'],
    ['bash', `python3 -c "import shutil; __UNKNOWN__='build'; shutil.rmtree($1)"`],
    ['bash', `python3 -c "import shutil; globals()['__UNK' + 'NOWN__']='build'; shutil.rmtree($1)"`],
    ['bash', `node -e "__UNKNOWN__='build'; require('fs').rmSync($1, { recursive: true })"`],
    ['bash', `node -e "globalThis['__UNK' + 'NOWN__']='build'; require('fs').rmSync($1, { recursive: true })"`],
  ] as const)('is not known by a name that the %s code gives it: %s', async (language, code) => {
    const { risk, impact } = await inspectCode(code, language)
    expect(impact.filesDeleted.map(({ target }) => target)).toContain(null)
    expect(risk).toBe('high')
  })

  it('is no sign that somebody writes', async () => {
    const plain = await inspectCode('PATH="tools:$PATH"; ls', 'bash')
    const { risk, violations } = await inspectCode('PATH="\u{fffc}:$PATH"; ls', 'bash')
    expect({ risk, rules: violations.map(({ rule }) => rule) }).toEqual({
      risk: plain.risk,
      rules: plain.violations.map(({ rule }) => rule),
    })
    expect(risk).toBe('high')
  })
})
