import { describe, expect, it } from 'vitest'
import { bait } from './corpus/bait.ts'
import { scanText } from './privacy.ts'
import { findInTables } from './tables.ts'

/** How many characters are looked at: the same on every machine, other than time. */
function workFor(text: string): number {
  const look = String.prototype.charCodeAt
  let count = 0
  const counting = function (this: string, at: number): number {
    count++
    return look.call(this, at)
  }
  try {
    Reflect.set(String.prototype, 'charCodeAt', counting)
    findInTables(text)
  } finally {
    Reflect.set(String.prototype, 'charCodeAt', look)
  }
  return count
}

const hostile: Record<string, string> = {
  'nothing but headers': 'full name,dob,amount\n',
  'headers with a password': 'id,email,password\n',
  'aligned headers': 'name  phone  city\n',
  'aligned personal headers': 'full name  dob  city\n',
  'a quote that is never closed': 'ssn,name\n"x,y\n',
  'a quote at the end': 'ssn,name\nx,"y\n',
  'a quote in Markdown': 'x:\n|ssn|name|\n|"|x|\n',
  'a quote before the header': '"\nssn,name\na,b\n',
  'tabs and a quote': 'x:\nssn\tname\na\t"b\n',
  'many small tables': 'x:\nssn,name\nx,y\n\n',
  'tables that break off': 'x:\nssn,name\na,b\nc\n',
  ...bait,
}

describe('tables between the lines of a text', () => {
  it.each(Object.entries(hostile))('take work that grows with the text alone: %s', (_name, unit) => {
    const text = (length: number) => `hello there:\n${unit.repeat(Math.ceil(length / unit.length)).slice(0, length)}`
    const [once, twice] = [workFor(text(8000)), workFor(text(16_000))]
    expect(twice).toBeLessThan(once * 2.2 + 2000)
    expect(twice).toBeLessThan(16_000 * 25)
  })

  it('are read to the end when they have more values than a call may have arguments', () => {
    expect(scanText(`See:\nfull name,dob\n${'Bo,1\n'.repeat(50_000)}`)).toHaveLength(100_000)
  })

  it('go on behind each other, also without a gap between them', () => {
    const found = (text: string) => scanText(text).map(({ start, end, type }) => [type, text.slice(start, end)])
    expect(found('See:\nfull name,amount\nBo,5\ncity,passport\nCork,x17\n\nAnd:\nfull name,amount\nAl,6\n')).toEqual([
      ['PERSON', 'Bo'],
      ['PERSON', 'city'],
      ['PERSON', 'Cork'],
      ['PASSPORT', 'x17'],
      ['PERSON', 'Al'],
    ])
    expect(found('See:\nfull name,note\nCy,4\n"Bo\nvan Dyke",5\nAl,6\n')).toEqual([
      ['PERSON', 'Cy'],
      ['PERSON', 'Bo\nvan Dyke'],
      ['PERSON', 'Al'],
    ])
  })
})
