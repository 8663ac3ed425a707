import { isDate, number } from '../validators/checksums.ts'
import { type Detector, finder, shapes } from './detector.ts'

const birthWords = [
  'dob',
  'd.o.b',
  'date of birth',
  'birth date',
  'birth',
  'birthdate',
  'birthday',
  'born',
  'dateofbirth',
  'geboren',
  'geburtsdatum',
  'né le',
  'née le',
  'naissance',
  'nacimiento',
  'nato il',
  'nata il',
  'nascita',
]

/** Digits of a date in any order of day, month and year: some reading of them must be a day that exists. */
function isPossibleDate(digits: string): boolean {
  if (digits.length < 4) return false
  if (digits.length < 8) return true
  const yearFirst =
    /^(?:19|20)/.test(digits) && isDate(number(digits, 0, 4), number(digits, 4, 6), number(digits, 6, 8))
  const yearLast = /^\d{4}(?:19|20)/.test(digits)
  return (
    yearFirst ||
    (yearLast &&
      (isDate(0, number(digits, 2, 4), number(digits, 0, 2)) || isDate(0, number(digits, 0, 2), number(digits, 2, 4))))
  )
}

/** When somebody was born. A date alone is nobody's: a word near it has to say so. */
export const births: readonly Detector[] = [
  {
    rule: 'date-of-birth',
    type: 'DATE_OF_BIRTH',
    title: 'Date of birth',
    find: shapes(
      '99/99/9999',
      '9/9/9999',
      '99/9/9999',
      '9/99/9999',
      '99-99-9999',
      '99.99.9999',
      '9.9.9999',
      '9999-99-99',
      '9999/99/99',
      '9999.99.99',
      '99/99/99',
      '99-99-99',
      ...[
        '9-99-9999',
        '99-9-9999',
        '9-9-9999',
        '99.9.9999',
        '9.99.9999',
        '99.99.99',
        '99.9.99',
        '9.9.99',
        '9/9/99',
        '9/99/99',
        '99/9/99',
      ],
    ),
    score: 0.1,
    near: 0.85,
    context: birthWords,
    valid: isPossibleDate,
    examples: {
      found: ['DOB: 12/03/1980', 'born on 1980-03-12', 'date of birth 12.03.1980'],
      ignored: ['due on 12/03/2027', 'released 1980-03-12', 'DOB: 45/45/1980'],
    },
  },
  {
    rule: 'date-of-birth-words',
    type: 'DATE_OF_BIRTH',
    title: 'Date of birth with the month in words',
    find: finder,
    score: 0.1,
    near: 0.85,
    context: birthWords,
    examples: {
      found: ['Born 12 March 1980', 'birthday: March 12, 1980'],
      ignored: ['born in 1980', 'on 12 March 1980'],
    },
  },
]
