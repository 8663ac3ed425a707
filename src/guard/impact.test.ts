import { beforeAll, describe, expect, it } from 'vitest'
import { type Language, languages } from '../contract/run.ts'
import { prepare } from './front-ends.ts'
import { inspectProgram } from './inspect.ts'

beforeAll(async () => {
  await Promise.all(languages.map(prepare))
})

const impactOf = (code: string, language: Language = 'python') => inspectProgram(code, language).impact

describe('what a program would touch', () => {
  it('lists what a finding says and no target shows, as unknown', () => {
    const { commands, reversible, blastRadius } = impactOf('x = 1\nexec(input())')
    expect(commands).toEqual([{ target: null, expression: 'exec(input())', lines: [2] }])
    expect([reversible, blastRadius]).toEqual(['unknown', 'local'])
  })

  it('lists it once, where a target shows it already', () => {
    expect(impactOf("import os\nos.system('rm a')").commands).toHaveLength(1)
    expect(impactOf('import requests\nrequests.get("https://a.example", verify=False)').hosts).toHaveLength(1)
  })

  it('reads what a shell is told to do on another machine', () => {
    const { filesDeleted, hosts, reversible, blastRadius } = impactOf("ssh db.example 'rm -rf /srv/x'", 'bash')
    expect(filesDeleted.map(({ target }) => target)).toEqual(['/srv/x'])
    expect([hosts[0]?.target, reversible, blastRadius]).toEqual(['db.example', 'no', 'network'])
    expect(impactOf('ssh db.example <<END\nrm -rf /srv/x\nEND', 'bash').filesDeleted).toHaveLength(1)
  })

  it('does not know what lies in a folder that is not known', () => {
    const { filesDeleted, blastRadius } = impactOf('cd "$1"\nrm -rf *', 'bash')
    expect([filesDeleted[0]?.target, blastRadius]).toEqual([null, 'local'])
    expect(impactOf('cd "$1"\ncd /srv/a\nrm -rf b', 'bash').filesDeleted[0]?.target).toBe('/srv/a/b')
  })

  it('lets nothing that a program of its own does change folder or names for the rest', () => {
    expect(impactOf("bash -c 'cd /tmp'\nrm -rf results", 'bash').filesDeleted[0]?.target).toBe('results')
    expect(impactOf("x=results\nbash -c 'x=/tmp/a'\nrm -rf $x", 'bash').filesDeleted[0]?.target).toBe('results')
  })

  it.each([
    ["psql -h db.example -c 'DROP TABLE t'", 'DROP TABLE t'],
    ["sqlite3 a.db 'DELETE FROM t'", 'DELETE FROM t'],
    ["echo 'UPDATE t SET a = 1' | mysql shop", 'UPDATE t SET a = 1'],
    ['redis-cli flushall', 'flushall'],
  ])('lists what %j changes in a database', (code, statement) => {
    const { dataModified, reversible } = impactOf(code, 'bash')
    expect([dataModified[0]?.target?.trim(), reversible]).toEqual([statement, 'no'])
  })

  it('keeps code that comes from outside apart from commands that are known', () => {
    const { commands } = impactOf("import subprocess\nsubprocess.run(['ls'])\nexec(input())")
    expect(commands.map(({ target }) => target)).toEqual(['ls', null])
  })

  it.each<[string, Language, string]>([
    ["open('out/a.csv', 'w')", 'python', 'contained'],
    ["open('/tmp/a', 'w')", 'python', 'contained'],
    ["open('/data/a.csv', 'w')", 'python', 'local'],
    ["import os\nos.remove('/home/a/b')", 'python', 'local'],
    ["import os\nos.remove('/etc/shadow')", 'python', 'system'],
    ['import os\nos.setuid(0)', 'python', 'system'],
    ["fetch('https://a.example')", 'javascript', 'network'],
  ])('says how far %j in %s reaches', (code, language, radius) =>
    expect(impactOf(code, language).blastRadius).toBe(radius),
  )

  it.each<[string, Language, string]>([
    ["print(open('a.csv').read())", 'python', 'yes'],
    ["import os\nos.remove('a.csv')", 'python', 'no'],
    ['rm -rf build', 'bash', 'unknown'],
    ['rm -f *.tmp', 'bash', 'unknown'],
    ['t=$(mktemp)\nrm "$t"', 'bash', 'yes'],
    ['import os\nos.kill(pid, 9)', 'python', 'unknown'],
    ["import urllib.request\nurllib.request.urlopen('https://a.example')", 'python', 'unknown'],
    ["fetch('https://a.example', { method: 'POST', body })", 'javascript', 'no'],
  ])('says whether %j in %s can be taken back', (code, language, answer) =>
    expect(impactOf(code, language).reversible).toBe(answer),
  )
})
