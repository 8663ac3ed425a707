import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import type { Item } from '../contract/conversations.ts'
import { desk, value } from './testing.ts'

const open = async () => {
  const at = await desk()
  const { paths } = value(await at.conversations.openSample(at.who))
  const [main, stress] = paths
  if (!main || !stress) expect.fail('the sample has two paths')
  return { ...at, main, stress }
}

it('the sample opens with a branch that shares all cells with the baseline but the ones it changed', async () => {
  const { main, stress, items, recorded } = await open()
  expect([main.name, stress.name, stress.parent]).toEqual(['main', 'stress +200bp', main.id])
  const inherited = (await items(stress.id)).map(item => item.inherited)
  expect(inherited).toEqual([true, true, true, true, false, false, false, true, false])
  expect(recorded.map(event => event.action)).toEqual(['conversation.created'])
})

it('the sample compares as a person would: the ratio falls by 1.07 points', async () => {
  const { conversations, who, main, stress } = await open()
  const { rows, counts } = value(await conversations.compare(who, { left: main.id, right: stress.id }))
  expect(counts).toEqual({ same: 7, changed: 1, leftOnly: 0, rightOnly: 1 })
  const numbers = rows.flatMap(row => row.numbers)
  expect(numbers).toContainEqual({
    label: 'CET1 ratio',
    left: 12.91,
    right: 11.84,
    unit: '%',
    absolute: -1.07,
    relative: -1.07 / 12.91,
  })
})

it('the sample runs in plain Python and shows what is on record', async () => {
  const { main, stress, items } = await open()
  for (const path of [main, stress]) {
    const cells = (await items(path.id)).filter(item => item.kind === 'cell' && item.language === 'python')
    const show = 'import json\ndisplay = lambda data, raw: print(json.dumps(data))'
    const printed = execFileSync('python3', ['-'], {
      ...{ input: `${show}\n${cells.map(cell => cell.text).join('\n')}`, encoding: 'utf8' },
    })
    expect(shown(printed.trimEnd())).toEqual(shown(cells.map(recorded).join('').trimEnd()))
  }
})

/** Numbers are the same however they are written. */
const shown = (printed: string) => printed.split('\n').map(line => (line.startsWith('{') ? JSON.parse(line) : line))

function recorded(item: Item): string {
  const outputs = item.kind === 'cell' ? (item.lastRun?.outputs ?? []) : []
  return outputs
    .flatMap(each => (each.whole ? [each.output] : []))
    .map(output => ('text' in output ? output.text : 'data' in output ? `${JSON.stringify(output.data)}\n` : ''))
    .join('')
}
