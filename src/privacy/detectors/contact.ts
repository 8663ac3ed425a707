import { isNorthAmerican } from '../validators/phone.ts'
import { type Detector, finder, grouped, shapes, words } from './detector.ts'

/** Words that make a number a phone number. */
const phoneWords = [
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
  'llamar',
  'llama',
  'anruf',
  'anrufen',
  'rückruf',
  'erreichbar',
  'festnetz',
  'mobil',
  'chiama',
  'chiamare',
  'appeler',
  'telepono',
  'telpon',
  'celular',
  'móvil',
  'movil',
  'portable',
  'телефон',
  '電話',
  '电话',
  '手机',
  '手機',
  '手機號碼',
  '電話號碼',
  '聯絡電話',
  '行動電話',
  '전화',
  '전화번호',
  '휴대폰',
  'number is',
  ...words(
    'telefonnummer, telefoonnummer, mobilnummer, mobiltelefon, mobilní, numer telefonu, komórka, tlf, mob, gsm, puhelin, puhelinnumero, sími, telefone, telemóvel, numéro de portable, cep telefonu, telefonu, telefonas, tālrunis, telefonszám, điện thoại, telp, тел, телефона, моб, мобильный, телефону, τηλ, τηλέφωνο, τηλεφώνου, κινητό, טלפון, נייד, הטלפון, هاتف, الهاتف, جوال, الجوال, موبايل, تلفن, موبایل, फोन, मोबाइल, โทร, โทรศัพท์, เบอร์, 携帯, 联系方式, 핸드폰, 연락처',
  ),
]

/** North American, or with the zero that callers dial within a country. */
const isDialled = (digits: string): boolean =>
  isNorthAmerican(digits) || (/^0[1-9]\d{7,9}$/.test(digits) && !digits.includes('000000'))

/**
 * Britain, Japan, Nigeria and the Philippines dial 07, 08 and 09, China 13 to 19; 172 is for machines. What begins with
 * a day of birth, as half of Europe's personal numbers do, is one of these with a wrong check digit as often as not.
 */
const isMobile = (digits: string): boolean =>
  /^(?:07[0-57-9]|0[89][01]|09[1-9]|13\d|14[5-9]|15[0-35-9]|16[2567]|17[0135-8]|18\d|19[0-35-9])/.test(digits) &&
  !/^(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2])|^\d\d(?:0[1-9]|1[0-2]|2[1-9]|3[0-2])(?:0[1-9]|[12]\d|3[01])/.test(
    digits,
  ) &&
  !/(\d)\1{6}/.test(digits)

/** What is dialled once somebody has answered, right behind the number. */
const extensions = ['-', '.', ' '].flatMap(sign =>
  ['A', 'AAA'].flatMap(mark =>
    [1, 2, 3, 4, 5].map(length => `${grouped([3, 3, 4], [sign]).join()}${mark}${'9'.repeat(length)}`),
  ),
)

/** How somebody can be reached. */
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
        '(+41) 22 730 5989',
        'É+14155550132.',
        '+44 2079460958x12',
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
      '99-999 9999',
      ...extensions,
    ),
    score: 0.65,
    near: 0.9,
    context: phoneWords,
    valid: text => isDialled(text.replace(/(?:X|EXT)\d{1,5}$/, '')),
    examples: {
      found: [
        '415-555-0132',
        '415.555.0132',
        '1-800-555-0199',
        '020 7946 0958',
        '086 123 4567',
        '01 42 68 53 00',
        '07700 900123',
        '415-555-0132EXT77',
        '09-762 5400',
      ],
      ignored: [
        '115-555-0132',
        '415-155-0132',
        '100 200 3000',
        '415-555-0132%',
        '¥415-555-0132',
        'call 415-555-0132--212-555-0147',
        '415-555-0132KG77',
      ],
    },
  },
  {
    rule: 'phone-possible',
    type: 'PHONE',
    title: 'Phone number with country code, of a block that is not assigned yet',
    find: finder,
    score: 0.3,
    near: 0.8,
    alone: 0.55,
    context: phoneWords,
    examples: {
      found: ['+35311234567', 'Tel: +594 612 345 678'],
      ignored: ['n +594 612 345 678', '+594 612', '+999 12345678'],
    },
  },
  {
    rule: 'phone-half-grouped',
    type: 'PHONE',
    title: 'North American phone number behind its area',
    find: shapes('999-9999999', '999 9999999', '999.9999999'),
    score: 0.3,
    near: 0.85,
    alone: 0.55,
    context: phoneWords,
    valid: isNorthAmerican,
    examples: { found: ['415-5550132', 'call 415 5550132'], ignored: ['lot 415-5550132', '115-5550132'] },
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
      found: [
        '(415) 555-0132',
        '(01) 234 5678',
        'my mobile is 0861234567',
        'call 4155550132',
        'Tel: 09-7625400',
        'Tel (555) 555 5555',
      ],
      ignored: [
        'Phone: 777-77-7777',
        '2024-01-02',
        '4155550132',
        '10.0.0.1',
        '100-200-300',
        '(2024) 100-2000',
        'call 3.14159265',
      ],
    },
  },
  {
    rule: 'phone-area',
    type: 'PHONE',
    title: 'Phone number in one piece behind its area',
    find: shapes(
      ...grouped([2, 8], [' ', '-', '/']),
      ...[3, 4, 5].flatMap(area => [6, 7, 8].flatMap(rest => grouped([area, rest], [' ', '-', '/']))),
    ),
    score: 0.6,
    near: 0.9,
    context: phoneWords,
    // Germany and Italy; what begins with 010 to 014 is no area there.
    valid: digits => /^0(?:1[5-7]|[2-9])\d{7,10}$/.test(digits) && !/0{6}/.test(digits),
    examples: {
      found: ['Büro 030 12345678', '0151/12345678', '089 1234567'],
      ignored: ['0111-1234567', '130 12345678'],
    },
  },
  {
    rule: 'phone-mobile',
    type: 'PHONE',
    title: 'Mobile number in one piece',
    find: shapes('99999999999'),
    score: 0.2,
    near: 0.85,
    alone: 0.55,
    context: phoneWords,
    valid: isMobile,
    examples: {
      found: ['09171234567', '13812345678', 'mobile 07700900123', 'mobile 01087654322'],
      ignored: ['n 09171234567', '09170000000', '01087654322', '17212345678', '08034512345'],
    },
  },
]
