import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { namesInCode, speaksOf } from './names.ts'

const tools = (...names: string[]) => names.map(name => ({ server: 'a', name }))
const namesOf = (...names: string[]) => [...namesInCode(tools(...names)).values()].map(({ tool }) => tool)

describe('names of tools in code', () => {
  it('are identifiers of both languages, and the plain one keeps its name', () => {
    expect(namesOf('get-env', 'get_env', 'get.env', 'class', '2fa', 'then', '__init__').sort()).toEqual(
      ['_2fa', '_init__', 'class_', 'get_env', 'get_env_2', 'get_env_3', 'then_'].sort(),
    )
  })

  it('of thousands that become one are found without counting up for each', () => {
    const names = Array.from({ length: 2000 }, (_, n) =>
      [...n.toString(2).padStart(11, '0')].map(bit => '.-'[Number(bit)]).join(''),
    )
    expect(new Set(namesOf(...names)).size).toBe(2000)
  })

  it('of any list are unique and do not depend on its order', () => {
    const name = fc.stringMatching(/^[A-Za-z0-9_.-]{1,12}$/)
    fc.assert(
      fc.property(fc.uniqueArray(name, { minLength: 1, maxLength: 20 }), names => {
        const found = namesInCode(tools(...names))
        const chosen = [...found.values()].map(({ tool }) => tool)
        expect(new Set(chosen).size).toBe(names.length)
        for (const each of chosen) expect(each).toMatch(/^[A-Za-z_]\w*$/)
        const backwards = namesInCode(tools(...names.toReversed()))
        const asText = (of: typeof found) => [...of].map(([{ name: given }, { tool }]) => `${given} ${tool}`).sort()
        expect(asText(backwards)).toEqual(asText(found))
      }),
    )
  })
})

describe('what code speaks of', () => {
  const list = { server: 'ledger', tool: 'list_entries' }
  it.each([
    'tools.ledger.list_entries()',
    'await tools.ledger.list_entries({ a: 1 })',
    'x = tools . ledger . list_entries',
    'tools["ledger"]["list_entries"]()',
    'const { list_entries } = tools.ledger',
    'const { ledger } = tools; ledger.list_entries()',
    'led = tools.ledger\nled.list_entries()',
  ])('%s names it', code => expect(speaksOf(code)(list)).toBe(true))
  it.each([
    'tools.other.list_entries()',
    'tools.ledger.other()',
    'ledger.list_entries()',
    'mytools.ledger.list_entries()',
    '',
  ])('%s does not', code => expect(speaksOf(code)(list)).toBe(false))
})
