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
  ])('says whether %j in %s can be taken back', (code, language, answer) =>
    expect(impactOf(code, language).reversible).toBe(answer),
  )
})
