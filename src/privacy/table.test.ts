import { describe, expect, it } from 'vitest'
import { defaultScanner, StreamScanner, scanText } from './privacy.ts'

const found = (text: string) => scanText(text).map(({ start, end, type }) => [type, text.slice(start, end)])

describe('a table in text', () => {
  it('gives up what stands in columns with sensitive names', () => {
    const text = 'id,first_name,date of birth,amount\n1,"Aoife, B.",12/3/80,100\n2,Bo,,200\n'
    expect(found(text)).toEqual([
      ['PERSON', 'Aoife, B.'],
      ['DATE_OF_BIRTH', '12/3/80'],
      ['PERSON', 'Bo'],
    ])
  })

  it('may have a single column, until a line is no value of it', () => {
    expect(found('password\nhunter2\nsw0rdfish\n')).toEqual([
      ['PASSWORD', 'hunter2'],
      ['PASSWORD', 'sw0rdfish'],
    ])
    expect(found('full name\nBo van Dyke\nAl Gray\n\nThey have paid for Bo Dyke\nBo Dyke\n').slice(0, 2)).toEqual([
      ['PERSON', 'Bo van Dyke'],
      ['PERSON', 'Al Gray'],
    ])
    expect(found('Password\nIt is needed for all users\nhunter2\n')).toEqual([])
    expect(found('Token\nParser\n')).toEqual([])
    const text = `password\n${'hunter2\n'.repeat(600)}and that is all\nhunter2\n`
    const stream = new StreamScanner(defaultScanner())
    const inStream = [...text.matchAll(/[\s\S]{1,900}/g)].flatMap(([part]) => stream.push(part).found)
    expect([...inStream, ...stream.end().found]).toEqual(scanText(text))
    expect(scanText(text)).toHaveLength(600)
  })

  it('knows other separators, and leaves lines of another width alone', () => {
    expect(found('Account Number\tBalance\n12345678\t10\nnote\n')).toEqual([['BANK_ACCOUNT', '12345678']])
    expect(found('amount;rate\n1;2\n')).toEqual([])
  })

  it('is found after an introduction, and ends where its lines do', () => {
    expect(
      found('Here are the clients, as asked:\n\nfull name,amount\nBo,5\nAl,6\n\nThanks, Al,6 more follow\n'),
    ).toEqual([
      ['PERSON', 'Bo'],
      ['PERSON', 'Al'],
    ])
    expect(found('See:\n| full name | amount |\n| --- | --- |\n| Bo | 5 |\n')).toEqual([['PERSON', 'Bo']])
    expect(found('One, two.\nSend the password, or ask\nfor another one, or wait.\n')).toEqual([])
  })

  it('knows a data frame as it is printed, with the index that has no name', () => {
    const text = '      full name     dob  amount\n0      Jane Doe  1980-1     100\n1  Bo van Dyke  1981-2      20\n'
    expect(found(text)).toEqual([
      ['PERSON', 'Jane Doe'],
      ['DATE_OF_BIRTH', '1980-1'],
      ['PERSON', 'Bo van Dyke'],
      ['DATE_OF_BIRTH', '1981-2'],
    ])
  })

  it('gives up the same when it comes in chunks, and when a quote is never closed', () => {
    const rows = Array.from({ length: 400 }, (_, at) => `${at},"Person, ${at}",note ${at} a@b.ie,${at * 7}`).join('\n')
    const text = `id,full name,note,amount\n${rows}\n`
    const stream = new StreamScanner(defaultScanner())
    const parts = [...text.matchAll(/[\s\S]{1,700}/g)].map(([part]) => stream.push(part))
    const inStream = [...parts, stream.end()].flatMap(part => part.found)
    expect(inStream).toEqual(scanText(text))
    expect(inStream.filter(({ rule }) => rule === 'sensitive-column')).toHaveLength(400)

    const prose = new StreamScanner(defaultScanner())
    expect(prose.push('a sentence that goes on and on without an end '.repeat(50)).text.length).toBeGreaterThan(1000)
    const open = new StreamScanner(defaultScanner())
    const decided = open.push(`id,full name\n1,"${'x '.repeat(100_000)}`)
    expect(decided.text.length).toBeGreaterThan(100_000)
  })
})
