import { describe, expect, it } from 'vitest'
import { scanText } from './privacy.ts'

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

  it('knows other separators, and leaves lines of another width alone', () => {
    expect(found('Account Number\tBalance\n12345678\t10\nnote\n')).toEqual([['BANK_ACCOUNT', '12345678']])
    expect(found('amount;rate\n1;2\n')).toEqual([])
  })
})
