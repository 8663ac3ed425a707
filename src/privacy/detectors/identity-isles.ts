import { isLikelyNhs, isNhs, isNino, isPpsn, isSize, isUkDrivingLicence, isUtr } from '../validators/isles.ts'
import { type Detector, grouped, shapes } from './detector.ts'

const ppsWords = ['pps', 'ppsn', 'pps no', 'pps number', 'personal public service', 'tax reference', 'revenue']

export const isles: readonly Detector[] = [
  {
    rule: 'ie-ppsn',
    type: 'IE_PPSN',
    title: 'Irish Personal Public Service number',
    find: shapes('9999999A', '9999999AA', '9999999-A', '9999999-AA'),
    score: 0.85,
    near: 1,
    context: ppsWords,
    valid: text => isPpsn(text) && !isSize(text),
    examples: {
      found: ['1234567T', 'PPS no 1234567FA', '6433435F', '6433435-F'],
      ignored: ['1234567A', '5242880KB', '1234567TA', '12345678T'],
    },
  },
  {
    rule: 'ie-ppsn-spaced',
    type: 'IE_PPSN',
    title: 'Irish Personal Public Service number with spaces',
    find: shapes('9999999 A', '9999999 AA', '999 9999 A', '999 9999 AA'),
    score: 0.3,
    near: 1,
    alone: 0.85,
    context: ppsWords,
    valid: text => isPpsn(text) && !isSize(text),
    examples: { found: ['PPS 1234567 T', '1234567 FA'], ignored: ['merge 1234567 t into', 'PPS 1234567 A'] },
  },
  {
    rule: 'uk-nino',
    type: 'UK_NINO',
    title: 'UK National Insurance number',
    find: shapes(
      'AA999999A',
      'AA 99 99 99 A',
      'AA 999999 A',
      'AA-99-99-99-A',
      'AA 999 999 A',
      'AA99 99 99A',
      'AA 99 99 99A',
      'AA 999999A',
      'AA999999 A',
      'AA99-99-99-A',
      'AA99.99.99.A',
    ),
    score: 0.7,
    near: 0.95,
    context: ['national insurance', 'nino', 'ni number', 'ni no', 'insurance number'],
    valid: isNino,
    examples: {
      found: ['AB123456C', 'NI number AB 12 34 56 C', 'aa 12 34 56 b'],
      ignored: ['BG123456A', 'AB123456E', 'QQ123456C', 'AO123456A'],
    },
  },
  {
    rule: 'uk-nhs',
    type: 'UK_NHS',
    title: 'UK NHS number',
    find: shapes(...grouped([3, 3, 4], [' ', '-', '.'])),
    score: 0.75,
    near: 1,
    context: ['nhs', 'health', 'patient', 'chi', 'medical'],
    valid: isNhs,
    examples: {
      found: ['943 476 5919', 'NHS 485-777-3457'],
      ignored: ['943 476 5918', '485-777-3458', '000 000 0000'],
    },
  },
  {
    rule: 'uk-nhs-plain',
    type: 'UK_NHS',
    title: 'UK NHS number without spaces',
    find: shapes('9999999999'),
    score: 0.3,
    near: 0.95,
    context: ['nhs', 'health', 'patient', 'chi', 'medical'],
    valid: isLikelyNhs,
    examples: {
      found: ['patient 9434765919', 'NHS number: 0315728469'],
      ignored: ['9434765919 packets', 'patient 9434765918', '9434765919'],
    },
  },
  {
    rule: 'uk-utr',
    type: 'UK_UTR',
    title: 'UK Unique Taxpayer Reference',
    find: shapes('9999999999', '99999 99999', '99999-99999', '999 999 9999', '9999999999A'),
    score: 0.2,
    near: 0.9,
    context: ['utr', 'taxpayer', 'tax reference', 'self assessment', 'self-assessment', 'hmrc', 'tax ref'],
    // A K behind it is how some letters of the office end it.
    valid: text => /^\d{10}K?$/.test(text) && isUtr(text.slice(0, 10)),
    examples: {
      found: ['UTR 1955839661', 'UTR 19558-39661', 'UTR 1955839661K', 'HMRC: 19558 39661'],
      ignored: ['UTR 2955839661', 'ref 1955839661'],
    },
  },
  {
    rule: 'uk-driving-licence',
    type: 'UK_DRIVING_LICENCE',
    title: 'Driving licence of Great Britain',
    find: {
      by: 'words',
      starts: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
      shortest: 16,
      longest: 16,
      pattern:
        /(?:[A-Z][A-Z9]{4}\d{6}[A-Z][A-Z9][A-Z0-9]{3}|[a-z][a-z9]{4}\d{6}[a-z][a-z9][a-z0-9]{3})(?![0-9A-Za-z_])/y,
    },
    score: 0.8,
    valid: text => isUkDrivingLicence(text.toUpperCase()),
    examples: {
      found: ['MORGA657054SM9IJ', 'licence SMITH711215AB9XX', 'byrne657054sm9ij', 'LI999512018A99AB'],
      ignored: ['MORGA699054SM9IJ', 'AAAAA999999AA999', 'MO9GA657054SM9IJ', '99999657054SM9IJ'],
    },
  },
]
