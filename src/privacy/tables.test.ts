import { describe, expect, it } from 'vitest'
import { bait } from './corpus/bait.ts'
import { scanText } from './privacy.ts'
import { findInTables } from './tables.ts'

const found = (text: string) => scanText(text).map(({ start, end, type }) => [type, text.slice(start, end)])

/** How many characters are looked at or cut out: the same on every machine, other than time. */
function workFor(text: string): number {
  const { charCodeAt, slice } = String.prototype
  let count = 0
  try {
    Reflect.set(String.prototype, 'charCodeAt', function (this: string, at: number): number {
      count++
      return charCodeAt.call(this, at)
    })
    Reflect.set(String.prototype, 'slice', function (this: string, from?: number, to?: number): string {
      const cut = slice.call(this, from, to)
      count += cut.length
      return cut
    })
    findInTables(text)
  } finally {
    Reflect.set(String.prototype, 'charCodeAt', charCodeAt)
    Reflect.set(String.prototype, 'slice', slice)
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

  it('are known by a first row with a separator in quotes, and by lines that end as Windows ends them', () => {
    expect(found('See:\nfull name,amount\n"Dyke, Bo",5\nAl,6\n')).toEqual([
      ['PERSON', 'Dyke, Bo'],
      ['PERSON', 'Al'],
    ])
    expect(found('See:\r\n| full name | amount |\r\n| --- | --- |\r\n| Bo | 5 |\r\n')).toEqual([['PERSON', 'Bo']])
    expect(found('名前:\n会社,full name\n銀行,Bo\n')).toEqual([['PERSON', 'Bo']])
  })

  it('are found below a table that the text begins with, and in a text of any length', () => {
    expect(found('full name,amount\nBo,5\n\nage,full name,city\n7,Al,Cork\nend\nCy,6\n')).toEqual([
      ['PERSON', 'Bo'],
      ['PERSON', 'Al'],
      ['PERSON', 'Cy'],
    ])
    expect(found('Address\nas asked for:\nfull name,amount\nBo,5\n')).toEqual([['PERSON', 'Bo']])
    expect(found(`${'No more of it here.\n'.repeat(20_000)}full name,amount\nBo,5\n`)).toEqual([['PERSON', 'Bo']])
  })

  it('take nothing from a header of another form that happens to be as wide', () => {
    expect(found('See:\nfull name;amount\nBo;5\nx,y,ssn,z;c\nAl;6\n')).toEqual([
      ['PERSON', 'Bo'],
      ['PERSON', 'x,y,ssn,z'],
      ['PERSON', 'Al'],
    ])
  })

  it('end with a row that is too long for one', () => {
    const long = 'x '.repeat(40_000)
    expect(found(`id,full name\n1,Bo\n2,"${long}`)).toEqual([['PERSON', 'Bo']])
    expect(found(`See:\nid,full name\n1,Bo\n2,${long}\n3,Al\n`)).toEqual([['PERSON', 'Bo']])
  })
})
