import { isGermanPlate } from '../validators/plates.ts'
import { isVin } from '../validators/world.ts'
import { type Detector, shapes } from './detector.ts'

const plateWords = [
  'plate',
  'plates',
  'number plate',
  'licence plate',
  'license plate',
  'registration',
  'vehicle',
  'vehicles',
  'vrm',
  'reg',
  'car',
]
const vinWords = [
  'vin',
  'vehicle',
  'chassis',
  'car',
  'fahrgestellnummer',
  'bastidor',
  'telaio',
  'vehicle identification',
]

/** The letters of a German district, one or two of the owner's, up to four digits; E and H tell electric and old cars. */
const germanPlates = ['A', 'AA', 'AAA'].flatMap(district =>
  ['A', 'AA'].flatMap(letters =>
    ['9', '99', '999', '9999', '99A', '999A', '9999A', '99 A', '999 A', '9999 A', '99-A', '999-A', '9999-A'].flatMap(
      digits => [
        `${district} ${letters} ${digits}`,
        `${district} ${letters}${digits}`,
        `${district}-${letters}${digits}`,
        `${district}-${letters}-${digits}`,
        `${district}-${letters} ${digits}`,
      ],
    ),
  ),
)
const turkishPlates = [
  'A 999',
  'A 9999',
  'AA 99',
  'AA 999',
  'AA 9999',
  'AAA 99',
  'AAA 999',
  'AAA 9999',
  'A 99',
].flatMap(rest => [`99 ${rest}`, `99${rest.replace(' ', '')}`])

/** Vehicles, by their number and by their plates. */
export const vehicles: readonly Detector[] = [
  {
    rule: 'vin',
    type: 'VEHICLE_ID',
    title: 'Vehicle identification number',
    find: {
      by: 'words',
      starts: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789',
      shortest: 17,
      longest: 17,
      pattern: /[A-HJ-NPR-Z0-9]{17}(?![0-9A-Za-z_])/y,
    },
    score: 0.75,
    near: 0.95,
    context: vinWords,
    valid: isVin,
    examples: {
      found: ['1M8GDM9AXKP042788', 'VIN 1HGCM82633A004352'],
      ignored: ['1M8GDM9AYKP042788', '1HGCM82633A004353', '11111111111111112'],
    },
  },
  {
    rule: 'vin-context',
    type: 'VEHICLE_ID',
    title: 'Vehicle identification number named as such',
    find: {
      by: 'words',
      starts: 'ABCDEFGHJKLMNPRSTUVWXYZabcdefghjklmnprstuvwxyz0123456789',
      shortest: 17,
      longest: 17,
      pattern: /(?=[A-Za-z0-9]{0,12}[A-Za-z])[A-HJ-NPR-Za-hj-npr-z0-9]{12}\d{5}(?![0-9A-Za-z_])/y,
    },
    score: 0.1,
    near: 0.85,
    context: vinWords,
    // Only North America and China require the check digit.
    valid: text => !/^[1-5L]/i.test(text) || isVin(text.toUpperCase()),
    examples: {
      found: ['VIN WVWZZZ1KZAW123456', 'vin: 1hgcm82633a004352'],
      ignored: ['ref WVWZZZ1KZAW123456', 'VIN 1HGCM82633A004353', 'VIN 12345678901234567'],
    },
  },
  {
    rule: 'uk-vehicle-registration',
    type: 'UK_VEHICLE_REGISTRATION',
    title: 'UK vehicle registration',
    find: shapes(
      ...['AA99 AAA', 'AA99AAA', 'AA99-AAA'],
      ...['A9 AAA', 'A99 AAA', 'A999 AAA', 'A999AAA'],
      ...['AAA 9A', 'AAA 99A', 'AAA 999A', 'AAA999A'],
    ),
    score: 0.35,
    near: 0.75,
    alone: 0.55,
    context: plateWords,
    valid: text =>
      /^(?:[A-HJ-PR-Y]{2}(?:0[1-9]|[12]\d|5[1-9]|[67]\d)[A-HJ-PR-Z]{3}|[A-HJ-NPR-TV-Y]\d{1,3}[A-HJ-PR-Z]{3}|[A-HJ-PR-Z]{3}\d{1,3}[A-HJ-NPR-TV-Y])$/.test(
        text,
      ),
    examples: {
      found: ['vehicle AB51 ABC', 'his car reg is BD62XYZ', 'LN14-HGT', 'K1 ABC'],
      ignored: ['code AB51 ABC', 'car AB99 IQZ', 'AB35 ABC', 'ABC 123Z'],
    },
  },
  {
    rule: 'in-vehicle-registration',
    type: 'IN_VEHICLE_REGISTRATION',
    title: 'Indian vehicle registration',
    find: shapes('AA99AA9999', 'AA 99 AA 9999', 'AA-99-AA-9999', 'AA99A9999', 'AA99 AA 9999', 'AA-99-A-9999'),
    score: 0.45,
    near: 0.85,
    alone: 0.65,
    context: [...plateWords, 'rto', 'bike'],
    valid: text =>
      /^(?:AN|AP|AR|AS|BR|CG|CH|DD|DL|DN|GA|GJ|HP|HR|JH|JK|KA|KL|LA|LD|MH|ML|MN|MP|MZ|NL|OD|OR|PB|PY|RJ|SK|TN|TR|TS|UK|UP|WB)(?!00)/.test(
        text,
      ),
    examples: {
      found: ['vehicle MH12PQ7408', 'plate DL-01-AB-1234'],
      ignored: ['vehicle ZZ12PQ7408', 'code MH12PQ7408'],
    },
  },
  {
    rule: 'de-vehicle-registration',
    type: 'DE_VEHICLE_REGISTRATION',
    title: 'German vehicle registration',
    find: shapes(...germanPlates),
    score: 0.3,
    near: 0.8,
    alone: 0.55,
    context: [...plateWords, 'kennzeichen', 'nummernschild', 'kfz', 'fahrzeug', 'pkw', 'auto'],
    valid: isGermanPlate,
    examples: {
      found: ['Kennzeichen B AB 1234', 'M-XY123', 'FS AB 1234 E', 'HH-AB-1234', 'KA EF 12H'],
      ignored: ['ISO A-AB-12', 'B 1234', 'B-AB-0234', 'HH-AB-1234X', 'QQ AB 123', 'Kennzeichen QX-AB 123'],
    },
  },
  {
    rule: 'tr-vehicle-registration',
    type: 'TR_VEHICLE_REGISTRATION',
    title: 'Turkish vehicle registration',
    find: shapes(...turkishPlates),
    score: 0.3,
    near: 0.8,
    alone: 0.55,
    context: [...plateWords, 'plaka', 'plakası', 'plakasi', 'plakalı', 'araç', 'arac', 'kayıt', 'kayit'],
    // `12 MAR 2024` is a day.
    valid: text =>
      /^(?:0[1-9]|[1-7]\d|8[01])(?!JAN|FEB|MAR|APR|MA[IY]|JU[LN]|AUG|SEP|O[CK]T|NOV|DE[CZ]|PM|AM|OF|TO|ON)[A-PR-VYZ]{1,3}\d{2,4}$/.test(
        text,
      ),
    examples: {
      found: ['34 ABC 1234', 'plaka 06 A 123', 'Araç plakası 34ABC1234'],
      ignored: ['82 ABC 123', '00 ABC 123', 'flat 12 A 345', '12 Mar 2024'],
    },
  },
  {
    rule: 'za-vehicle-registration',
    type: 'ZA_VEHICLE_REGISTRATION',
    title: 'South African vehicle registration',
    find: shapes('AA99AAAA', 'AAA999AA', 'AA 99 AA AA', 'AAA 999 AA', '999 AAA AA', 'AAA999A', 'AAA 999 A'),
    score: 0.35,
    near: 0.8,
    alone: 0.55,
    context: plateWords,
    // The last letters are a province.
    valid: text => /(?:GP|ZN|WP|EC|FS|NC|NW|MP|\dL)$/.test(text),
    examples: { found: ['KD93GKGP', 'GET 103 WP', 'plate DK 28 LF GP'], ignored: ['KD93GKXX', 'part KD93GKGP'] },
  },
  {
    rule: 'plate-form',
    type: 'VEHICLE_REGISTRATION',
    title: 'Letters and digits that the words around call a plate',
    find: shapes('AAA 9999', 'AAA-9999', 'AA 9999', 'AA-9999', '9999 AAA', '9999-AAA', 'AAA 999', 'AAA-999', 'AAA9999'),
    score: 0.1,
    near: 0.65,
    context: [
      'plate',
      'plates',
      'number plate',
      'licence plate',
      'license plate',
      'plaka',
      'matrícula',
      'kenteken',
      'vehicle',
    ],
    valid: text =>
      !/^\d{4}(?:AM|PM|BC|AD)|^(?:ISO|RFC|DIN|NO|PO|EN|JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)\d/.test(text),
    examples: {
      found: ['the plate ABC 1234 was seen', 'plates XYZ-5678'],
      ignored: ['ABC 1234', 'vehicle of MAY 2024'],
    },
  },
  {
    rule: 'ng-vehicle-registration',
    type: 'NG_VEHICLE_REGISTRATION',
    title: 'Nigerian vehicle registration',
    find: shapes('AAA-999AA', 'AAA 999AA', 'AAA999AA'),
    score: 0.3,
    near: 0.8,
    alone: 0.55,
    context: plateWords,
    valid: text => !/\d[KMGT]B$/.test(text),
    examples: {
      found: ['APP-456CV', 'plate number ABJ-123XY'],
      ignored: ['part APP-456CV', 'SSD 256GB', 'ABCD-123EF'],
    },
  },
]
