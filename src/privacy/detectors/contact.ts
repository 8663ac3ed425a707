import { isDate, number } from '../validators/checksums.ts'
import { isNorthAmerican } from '../validators/phone.ts'
import { type Detector, finder, grouped, shapes } from './detector.ts'

/** Words that make a number a phone number. */
export const phoneWords = [
  'phone',
  'phones',
  'tel',
  'telephone',
  'mobile',
  'cell',
  'cellphone',
  'call',
  'called',
  'calling',
  'fax',
  'whatsapp',
  'sms',
  'text me',
  'dial',
  'contact',
  'ring',
  'reach me',
  'reach us',
  'hotline',
  'landline',
  'telefon',
  'handy',
  'téléphone',
  'teléfono',
  'telefono',
  'phone number',
  'mobile number',
  'my number',
  'handset',
  'extension',
  'msisdn',
  'number is',
]

/** North American, or with the zero that callers dial within a country. */
const isDialled = (digits: string): boolean =>
  isNorthAmerican(digits) || (/^0[1-9]\d{7,9}$/.test(digits) && !digits.includes('000000'))

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
  if (digits.length < 6) return false
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

export const contact: readonly Detector[] = [
  {
    rule: 'email',
    type: 'EMAIL',
    title: 'E-mail address',
    find: finder,
    score: 0.95,
    examples: {
      found: [
        'jane.doe@bank.ie',
        "mail <o'brien+tax@sub.example.co.uk>",
        'мария@пример.рф',
        'a@b.io',
        'x_y-z%q@1and1.com',
      ],
      ignored: [
        'user@localhost',
        'logo@2x.png',
        '@scope/package',
        'git@github.com:org/repo.git',
        'getty@tty1.service',
        'a@b',
        'pkg@1.2.3',
      ],
    },
  },
  {
    rule: 'phone-international',
    type: 'PHONE',
    title: 'Phone number with country code',
    find: finder,
    score: 0.85,
    near: 0.95,
    context: phoneWords,
    examples: {
      found: [
        '+353 86 123 4567',
        'ring +1 (415) 555-0132 now',
        '+44 (0)20 7123 4567',
        '0049 30 901820',
        '+5511984565666',
      ],
      ignored: ['+1 2', '2+3000000', '+999 123 456 789', 'UTC+02:00', '+1234567890123456789'],
    },
  },
  {
    rule: 'phone-grouped',
    type: 'PHONE',
    title: 'Phone number in the groups of its country',
    find: shapes(
      ...grouped([3, 3, 4], ['-', '.', ' ']),
      ...grouped([1, 3, 3, 4], ['-', '.', ' ']),
      '999-999 9999',
      '999 999-9999',
      ...grouped([3, 4, 4], [' ', '-']),
      ...grouped([5, 6], [' ']),
      ...grouped([4, 3, 4], [' ', '-']),
      ...grouped([5, 3, 3], [' ']),
      ...grouped([2, 3, 4], [' ', '-']),
      ...grouped([2, 4, 4], [' ', '-']),
      ...grouped([2, 2, 2, 2, 2], [' ', '.', '-']),
      ...grouped([4, 3, 3], [' ', '-']),
    ),
    score: 0.65,
    near: 0.9,
    context: phoneWords,
    valid: isDialled,
    examples: {
      found: [
        '415-555-0132',
        '415.555.0132',
        '1-800-555-0199',
        '020 7946 0958',
        '086 123 4567',
        '01 42 68 53 00',
        '07700 900123',
      ],
      ignored: ['115-555-0132', '415-155-0132', '100 200 3000'],
    },
  },
  {
    rule: 'phone-national',
    type: 'PHONE',
    title: 'Phone number in a national format',
    find: finder,
    score: 0.7,
    near: 0.85,
    context: phoneWords,
    examples: {
      found: ['(415) 555-0132', '(01) 234 5678', 'my mobile is 0861234567', 'call 4155550132', 'Tel: 09-7625400'],
      ignored: ['2024-01-02', '4155550132', '10.0.0.1', '100-200-300', '(2024) 100-2000', 'call 3.14159265'],
    },
  },
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
  {
    rule: 'gps',
    type: 'GPS_COORDINATES',
    title: 'Geographic coordinates',
    find: finder,
    score: 0.2,
    near: 0.8,
    alone: 0.6,
    context: [
      'gps',
      'lat',
      'latitude',
      'lon',
      'lng',
      'longitude',
      'coordinates',
      'coords',
      'geo',
      'location',
      'position',
      'latlng',
      'latlon',
    ],
    examples: {
      found: [
        'lat/lon 53.349805, -6.26031',
        'GPS: 40.712776,-74.005974',
        '53°20\'59.3"N 6°15\'37.1"W',
        'location (48.8584, 2.2945)',
      ],
      ignored: ['weights 0.712776, 0.005974', 'lat 99.712776,-74.005974', 'x = 40.7, y = 3.2'],
    },
  },
  {
    rule: 'uk-postcode',
    type: 'UK_POSTCODE',
    title: 'UK postcode',
    find: shapes(
      'A9 9AA',
      'A99 9AA',
      'AA9 9AA',
      'AA99 9AA',
      'A9A 9AA',
      'AA9A 9AA',
      'A99AA',
      'A999AA',
      'AA99AA',
      'AA999AA',
      'A9A9AA',
      'AA9A9AA',
    ),
    score: 0.4,
    near: 0.75,
    alone: 0.6,
    context: ['postcode', 'post code', 'address', 'postal', 'street', 'road', 'london', 'live at', 'zip'],
    valid: text => !/\d[KMGT]B$/.test(text) && /^(?!Q|V|X)[A-Z][A-HK-Y]?\d[A-Z0-9]?\d[ABD-HJLNP-UW-Z]{2}$/.test(text),
    examples: {
      found: ['postcode SW1A 1AA', 'address: 10 High Road, LS1 4AP'],
      ignored: ['the M1 5GB disk', 'QX1 1AA', 'part AA9A 9AA'],
    },
  },
  {
    rule: 'ie-eircode',
    type: 'IE_EIRCODE',
    title: 'Irish Eircode',
    find: {
      by: 'words',
      starts: 'ACDEFHKNPRTVWXY',
      shortest: 3,
      longest: 7,
      pattern:
        /[ACDEFHKNPRTVWXY](?:\d{2}|6W)[ ]?(?=[0-9ACDEFHKNPRTVWXY]{0,3}\d)[0-9ACDEFHKNPRTVWXY]{4}(?![0-9A-Za-z_])/y,
    },
    score: 0.35,
    near: 0.8,
    alone: 0.6,
    context: ['eircode', 'postcode', 'address', 'dublin', 'cork', 'galway', 'limerick', 'co.', 'ireland'],
    examples: { found: ['Eircode D02 X285', 'Dublin 6, D6W XY00'], ignored: ['code D02 X285', 'B02 X285'] },
  },
  {
    rule: 'us-zip-plus-four',
    type: 'US_ZIP_CODE',
    title: 'US ZIP code with extension',
    find: shapes(...grouped([5, 4], ['-'])),
    score: 0.3,
    near: 0.7,
    context: ['zip', 'zipcode', 'zip code', 'postal', 'address', 'street', 'avenue', 'ave', 'blvd'],
    examples: { found: ['ZIP 94105-1234'], ignored: ['part 94105-1234'] },
  },
]
