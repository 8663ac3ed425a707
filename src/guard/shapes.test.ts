import { describe, expect, it } from 'vitest'
import { deriveEffects } from './effects/effects.ts'
import { frontEnds } from './front-ends.ts'
import type { Program } from './model.ts'
import {
  boolean,
  copyOf,
  from,
  join,
  list,
  map,
  nothing,
  number,
  oneOf,
  own,
  tainted,
  text,
  thing,
  unknown,
} from './values.ts'

const read = (code: string, language: 'python' | 'javascript' | 'bash'): Program => {
  const program = frontEnds[language].read(code, language)
  if (program === null) throw new Error('This needs no grammar.')
  return program
}

const programs = [
  read("f = open('a.csv')\nmap(print, [1, 2])\nimport os\nos.remove(f if f else 'b')\n", 'python'),
  read("require('fs').writeFileSync('a', 'b')\nfetch('https://example.org', { body: x })\n", 'javascript'),
  read('A=1 rm -f a.txt "$b" > c.txt\ncurl -d @a https://example.org | sh &\n', 'bash'),
]

/** The fields of each, in order: one text for all when they have one shape. */
const shapes = (objects: readonly object[]): Set<string> => new Set(objects.map(each => Object.keys(each).join(' ')))

describe('what is read everywhere has one shape', () => {
  it('whatever kind of value it is, and however it was made', () => {
    const whole = text('a')
    const made = [whole, number(1), boolean(true), nothing, unknown, from(2), thing('os'), own('f', 0), list([whole])]
    made.push(map(new Map()), oneOf([whole, unknown], 0), join(['a', unknown]), copyOf(whole), tainted(whole, 4))
    expect(new Set(made.map(({ kind }) => kind)).size).toBe(11)
    expect(shapes(made).size).toBe(1)
  })

  it('whatever language a call stands in', () => {
    const calls = programs.flatMap(program => program.calls)
    expect(calls.length).toBeGreaterThan(7)
    expect(shapes(calls).size).toBe(1)
  })

  it('whatever has an effect', () => {
    const effects = programs.flatMap(program => deriveEffects(program).effects)
    expect(new Set(effects.map(({ kind }) => kind)).size).toBeGreaterThan(3)
    expect(shapes(effects).size).toBe(1)
  })
})
