import { isGermanTaxIdByDigit } from '../validators/europe.ts'
import * as further from '../validators/further.ts'
import { type Detector, shapes, words } from './detector.ts'

const taxWords = words('steuernummer, steuernr, steuer-nr, st.-nr, stnr, finanzamt')
const licenceWords = words('patente, driver, driving, license, licence, licenza')

/** Germany's cards, tax numbers and doctors, and the driving licences of both countries. */
export const germanyAndItaly: readonly Detector[] = [
  {
    rule: 'de-health-insurance',
    type: 'DE_HEALTH_INSURANCE',
    title: 'German health insurance number',
    find: shapes('A999999999'),
    score: 0.55,
    near: 0.95,
    context: words('kvnr, krankenkasse, krankenversicherung, krankenversichertennummer, egk, versichertennummer'),
    valid: further.isGermanHealthId,
    examples: { found: ['A123456780', 'KVNR M123456785'], ignored: ['A123456781', 'A12345678'] },
  },
  {
    rule: 'de-id-card',
    type: 'DE_ID_CARD',
    title: 'German identity card number with its check digit',
    find: {
      by: 'words',
      starts: 'CFGHJKLMNPRTVWXYZcfghjklmnprtvwxyz',
      shortest: 9,
      longest: 9,
      pattern: /[CFGHJKLMNPRTVWXYZcfghjklmnprtvwxyz][0-9CFGHJKLMNPRTVWXYZcfghjklmnprtvwxyz]{7}\d(?![0-9A-Za-z_])/y,
    },
    score: 0.3,
    near: 0.9,
    alone: 0.6,
    context: words('personalausweis, ausweis, ausweisnummer, identity card, id card, npa'),
    valid: text => /^[Tt]\d{8}$/.test(text) || further.isTravelDocument(text.toUpperCase()),
    examples: { found: ['L01X00T44', 'Ausweis Nr. T22000129'], ignored: ['L01X00T47', 'part L01X00T44'] },
  },
  {
    rule: 'de-tax-id-context',
    type: 'DE_TAX_ID',
    title: 'German tax identification number named as such',
    find: shapes('99999999999', '99 999 999 999'),
    score: 0.1,
    near: 0.9,
    context: words('steuer, steuer-id, steuerid, steueridentifikationsnummer, idnr, id nr, identifikationsnummer'),
    valid: isGermanTaxIdByDigit,
    examples: {
      found: ['Meine Steuer-ID: 12345678903', 'IdNr. 98765432106'],
      ignored: ['98765432106', 'Steuer-ID 12345678901'],
    },
  },
  {
    rule: 'de-tax-number',
    type: 'DE_TAX_NUMBER',
    title: 'German tax number of an office',
    find: shapes('999/999/99999', '99/999/99999', '99/999/9999', '99/9999/9999', '999/9999/9999'),
    score: 0.1,
    near: 0.85,
    alone: 0.55,
    context: taxWords,
    examples: { found: ['Steuernummer 181/815/08155', '21/815/0815'], ignored: ['see 181/815/08155'] },
  },
  {
    rule: 'de-tax-number-plain',
    type: 'DE_TAX_NUMBER',
    title: 'German tax number without strokes',
    find: shapes('9999999999999', '9999999999', '99999999999', '99 999 99999', '999 999 99999', '99999/99999'),
    score: 0.1,
    near: 0.85,
    context: taxWords,
    examples: { found: ['Steuernummer 9181081508155', 'Steuernr. 93815/08152'], ignored: ['9181081508155'] },
  },
  {
    rule: 'de-doctor',
    type: 'DE_DOCTOR_NUMBER',
    title: 'Number of a German doctor (LANR)',
    find: shapes('999999999'),
    score: 0.1,
    near: 0.9,
    context: words('lanr, arztnummer, arztnr, vertragsarzt, lebenslange arztnummer'),
    valid: further.isGermanDoctor,
    examples: {
      found: ['LANR 123456601', 'Arztnummer: 234567701'],
      ignored: ['LANR 123456701', '812347067'],
    },
  },
  {
    rule: 'de-doctor-family',
    type: 'DE_DOCTOR_NUMBER',
    title: 'Number of a German family doctor (LANR)',
    find: shapes('999999999'),
    score: 0.1,
    alone: 0.5,
    // One check digit says little about nine digits; of all fields that end the number, family doctors have 01 to 03.
    valid: digits => /0[1-3]$/.test(digits) && further.isGermanDoctor(digits),
    examples: { found: ['234567701'], ignored: ['734829701', 'n 123456601', '812347067'] },
  },
  {
    rule: 'de-driving-licence',
    type: 'DE_DRIVING_LICENCE',
    title: 'German driving licence',
    find: shapes('AA99999999A', 'AA999999999', 'A999AAA9A99'),
    score: 0.2,
    near: 0.9,
    alone: 0.55,
    context: words('führerschein, führerscheinnummer, fuehrerschein, fahrerlaubnis, driving licence, driver license'),
    // The last digit alone does not tell it from a number for tax, which begins with a country.
    valid: text =>
      !/^(?:AT|BE|BG|CY|CZ|DE|DK|EE|EL|ES|FI|FR|GB|GR|HR|HU|IE|IT|LT|LU|LV|MT|NL|PL|PT|RO|SE|SI|SK)\d+$/.test(text),
    examples: {
      found: ['KO98765431X', 'Führerschein B072RRE2I55', 'Fahrerlaubnis mu12345671b'],
      ignored: ['AT123456789', 'part KO98765431X', 'KO98765431XY'],
    },
  },
  {
    rule: 'it-driving-licence',
    type: 'IT_DRIVING_LICENCE',
    title: 'Italian driving licence',
    find: shapes('AA9999999A'),
    score: 0.3,
    near: 0.9,
    alone: 0.55,
    context: licenceWords,
    examples: { found: ['RM7219364K', 'patente MI0241875B'], ignored: ['part RM7219364K', 'RM721936K'] },
  },
  {
    rule: 'it-driving-licence-copy',
    type: 'IT_DRIVING_LICENCE',
    title: 'Italian driving licence issued centrally',
    find: {
      by: 'words',
      starts: 'Uu',
      shortest: 10,
      longest: 10,
      pattern: /[Uu]1[B-DF-HJ-NP-TV-Zb-df-hj-np-tv-z0-9]{7}[A-Za-z](?![0-9A-Za-z_])/y,
    },
    score: 0.3,
    near: 0.9,
    alone: 0.55,
    context: licenceWords,
    examples: { found: ['U1K711J11M', 'patente U1H00B000C'], ignored: ['U1H00A000B', 'part U1K711J11M'] },
  },
]
