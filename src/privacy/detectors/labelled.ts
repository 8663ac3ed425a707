import { allSame, isDate, number } from '../validators/checksums.ts'
import { isUkDrivingLicence } from '../validators/isles.ts'
import { type Detector, label, shapes } from './detector.ts'

/** Neither a day (`claim no. 2026-01-15`) nor a row of the same digit. */
const isIssued = (text: string): boolean => !allSame(text) && !(/^\d{8}$/.test(text) && isDay(text))

const isDay = (digits: string): boolean =>
  (/^(?:19|20)/.test(digits) && isDate(number(digits, 0, 4), number(digits, 4, 6), number(digits, 6, 8))) ||
  (/^\d{4}(?:19|20)/.test(digits) &&
    (isDate(0, number(digits, 2, 4), number(digits, 0, 2)) || isDate(0, number(digits, 0, 2), number(digits, 2, 4))))

/** So many digits, perhaps with letters before, between or behind. */
const isCode = (text: string, form: RegExp): boolean => form.test(text) && isIssued(text)

const row = (
  rule: string,
  type: string,
  title: string,
  score: number,
  labels: string,
  form: RegExp,
  found: string[],
  ignored: string[],
): Detector => ({
  rule,
  type,
  title,
  find: label(labels),
  score,
  valid: text => isCode(text, form),
  examples: { found, ignored },
})

/**
 * Numbers that have no check digit, or none that this application knows: nothing but the label right before them says
 * what they are, and that is enough. Where the check digit is known, a wrong one is not forgiven for a label.
 */
export const labelled: readonly Detector[] = [
  row(
    'national-id',
    'NATIONAL_ID',
    'National identity number behind its label',
    0.75,
    'national id, national identity, national identification, nid, identity card, identity number, citizen id, citizen number, citizenship number, kenyan id, id card, cédula, cedula, cédula de identidad, cedula de identidad, dni, cui, documento nacional, carte nationale, identity document, personal code, personal number, personal identification, ktp, nik, cccd, cmnd, pnf, lnch, cartão de cidadão, cartao cidadao, peid, emirates id, uae id, saudi id, iqama, qid, civil id, bahrain cpr, voter id, voter no, upn, carteira de identidade',
    /^(?=(?:\D*\d){6})(?!\d{7,8}[A-Z]$)[A-Z]{0,3}\d{5,16}[A-Z0-9]{0,4}$/,
    [
      'national id: 12345678',
      'Kenyan id 1234567 was reported',
      'DNI: 20.123.456',
      'cédula 00113918205',
      'Emirates ID: 784-1990-1234567-1',
    ],
    ['12345678', 'the national id card was shown to 12345678 people', 'national id: 00000000', 'national id: 20240115'],
  ),
  row(
    'tax-number',
    'TAX_ID',
    'Tax or company number behind its label',
    0.7,
    'tax id, tax number, tax no, taxpayer id, taxpayer identification, taxpayer number, tax identification, tax registration, tin, tin no, nit, ruc, rnc, cvr, cvr-nr, unp, pib, edb, mst, mã số thuế, regon, ice, idno, edrpou, єдрпоу, rntrc, ubn, npwp, nipt, nrt, dič, dic, ičo, ico, ytunnus, y-tunnus, registrikood, company number, company no, company registration, registration number, organisasjonsnummer, firmenbuch, firmenbuchnummer, matricule fiscal, kvk, cédula jurídica, cedula juridica, handelsregister, hp, fn, onrc, coe, rcs',
    /^(?=(?:\D*\d){6})[A-Z]{0,3}\d{5,15}[A-Z]{0,3}\d{0,3}$/,
    ['NIT: 213.123.432-1', 'RUC 1792060346-001', 'CVR-nr. 13585628', 'Company No. 08209948', 'Firmenbuch FN 122119m'],
    ['213.123.432-1', 'the tax number of the year is 20241231', 'tax of 1234567'],
  ),
  row(
    'vat-number',
    'EU_VAT',
    'VAT number without its country, behind its label',
    0.7,
    'vat number, vat no, vat id, vat reg, vat registration, tva, btw',
    /^\d{8,12}$|^\d{9}B\d{2}$/,
    ['VAT number: 175074752', 'BTW 004495445B01'],
    ['175074752', 'VAT number ZZ123456789', 'VAT of 123456789'],
  ),
  row(
    'insurance-number',
    'HEALTH_INSURANCE_ID',
    'Insurance or membership number behind its label',
    0.75,
    'member id, member number, member no, membership number, subscriber id, subscriber number, subscriber no, insurance id, plan id, plan no, policy id, policy number, policy no, policy holder, insured id, medicaid id, health card, health id, versichertennummer, policennummer, policy',
    /^(?=[A-Z0-9]*[A-Z])(?=(?:\D*\d){4})[A-Z0-9]{6,22}$/,
    [
      'Member ID ABC123456789',
      'policy no. CIGNA123456',
      'Subscriber ID HPN12345A9',
      'member number ZX-987654321',
      'Policy number: POLICY-ABC123456',
    ],
    ['ABC123456789', 'order ABC123456789', 'Subscriber ID A123', 'policy 2024'],
  ),
  row(
    'health-case',
    'HEALTH_CASE_NUMBER',
    'Claim, prescription or referral behind its label',
    0.7,
    'claim number, claim id, claim no, prescription, prescription number, prescription no, rx, rx number, referral number, referral no, authorization number, preauthorization, prior authorization',
    /^(?=(?:\D*\d){6})[A-Z0-9]{6,38}$/,
    ['Claim number PCN000001', 'Rx #1234567', 'Prior authorization PA-987654321', 'Claim number 2026-01-15-XYZ123'],
    ['PA-987654321', 'order number PA-987654321', 'Claim number 2026-01-15', 'the claim of 1234567'],
  ),
  row(
    'person-number',
    'PERSON_NUMBER',
    'Number of an employee, student or patient behind its label',
    0.7,
    'employee id, employee number, employee no, emp id, staff id, staff number, personnel number, personalnummer, student id, student number, student no, matrikelnummer, patient id, patient number, patient no, customer number, kundennummer',
    /^(?=(?:\D*\d){3})[A-Z0-9]{5,16}$/,
    ['Employee ID: ABC123', 'Student ID: S1234567'],
    ['EMP 1', 'S1234567', 'student ids of 12345'],
  ),
  row(
    'passport-number',
    'PASSPORT',
    'Passport or visa behind its label',
    0.8,
    'passport, passports, passport no, passport number, pass no, pass nr, travel document, travel doc, visa no, visa number, passeport, reisepass, reisepassnummer, pasaporte, passaporto, paspoort, pasaport, alien number, uscis, crossing card',
    /^(?=(?:\D*\d){5})(?:[A-Z]{0,3}\d{5,9}[A-Z]{0,2}|[A-Z]\d{2,3}[A-Z]\d{4,5}|\d{2}[A-Z]{2}\d{5})$/,
    ['passport #123 456 789', 'Passport: A12 345 678', 'Travel doc: TD 12 34 56 78', 'passport A12.345.678'],
    ['a12 345 678', 'passport of 2024', 'passport number 111111111'],
  ),
  row(
    'licence-number',
    'US_DRIVER_LICENSE',
    "Driver's licence behind its label",
    0.7,
    "driver's license, driver's licence, drivers license, driver license, driver licence, driving license, driving licence, dl, dl no, dln, license number, licence number, license no, licence no, license, licence, führerschein, führerscheinnummer, permis de conduire, patente",
    /^(?=(?:\D*\d){5})(?![A-Z]{5}\d{6}[A-Z]{2}\d[A-Z]{2}$)[A-Z]{0,5}[A-Z0-9]{5,18}$/,
    ["driver's license: A123-456-7890", 'DL#B123 456 789', 'Licence No. 99999-12345'],
    ['A123-456-7890', 'license 2024', 'License: SMITH903332AB1CD'],
  ),
  {
    rule: 'uk-licence-grouped',
    type: 'UK_DRIVING_LICENCE',
    title: 'Driving licence of Great Britain in groups',
    find: label('driving licence no, uk licence, dvla, driver number'),
    score: 0.85,
    valid: isUkDrivingLicence,
    examples: { found: ['driver number MORGA 657054 SM9IJ'], ignored: ['driver number MORGA 699054 SM9IJ'] },
  },
  row(
    'account-number',
    'BANK_ACCOUNT',
    'Account number behind its label',
    0.6,
    'account, account number, account no, bank account, checking account, savings account, checking, savings, debit, acct, acct no, acc, a/c, konto, kontonummer, kontonr, compte, cuenta, conto, conta, rekening, rekeningnummer, 계좌, 계좌번호, cbu, isa account, pension acct',
    /^(?=(?:\D*\d){6})[A-Z]{0,4}\d{4,22}[A-Z0-9]{0,3}$/,
    ['Account: 12345678', 'acc# 1234 5678', 'a/c: 12-34 5678', 'Account number: ACC-123456789'],
    ['account balance of 12,345.67', 'account: 20240115', 'the accounts of 12345678 people'],
  ),
  row(
    'sort-code',
    'UK_SORT_CODE',
    'Bank sort code behind its label',
    0.8,
    'sort code, sortcode, sort-code, nsc, blz, bankleitzahl, bsb, clabe, transit number, institution number',
    /^\d{6,9}$|^\d{18}$/,
    ['Sort code: 12.34.56', 'BSB: 062-000', 'BLZ 370 400 44'],
    ['12.34.56', 'sort code 20240115'],
  ),
  row(
    'in-ifsc',
    'IN_IFSC',
    'Indian bank branch (IFSC) behind its label',
    0.85,
    'ifsc, ifsc code, ifs code, branch code',
    /^[A-Z]{4}0(?=[A-Z0-9]*\d)[A-Z0-9]{6}$/,
    ['IFSC: HDFC 0 000123', 'IFSC code SBIN0001234'],
    ['IFSC: HDFC 1 000123', 'SBIN0001234 shipped'],
  ),
  row(
    'device-number',
    'DEVICE_ID',
    'Device or SIM card behind its label',
    0.8,
    'imsi, imsi number, imei, imei number, imei no, meid, sim card, sim no, sim number, iccid, serial imei',
    /^(?:IM[SE]I|SIM|ICCID)?[0-9A-F]{14,20}$/,
    ['IMSI number: IMSI-429011234567890', 'ICCID 89148000000123456781'],
    ['429011234567890', 'IMSI 12345'],
  ),
  row(
    'plate-number',
    'VEHICLE_REGISTRATION',
    'Vehicle registration behind its label',
    0.7,
    'license plate, licence plate, number plate, plate number, plate no, licence plate number, kennzeichen, amtliches kennzeichen, plaka, plaque, targa, matrícula, matricula, kenteken, vrm, vehicle registration',
    /^(?=[A-Z0-9]*[A-Z])(?=(?:\D*\d){2})[A-Z0-9]{4,9}$/,
    ['License plate: ABC-1234', 'kenteken 12-ABC-3', 'targa AB 123 CD'],
    ['ABC-1234', 'plate number 12345'],
  ),
  row(
    'health-case-prefixed',
    'HEALTH_CASE_NUMBER',
    'Claim or referral by its prefix',
    0.7,
    'claim, claims, referral',
    /^(?:CLM|REF|INF)\d{6,15}$/,
    ['claim CLM456789123', 'Referral INF654321'],
    ['CLM456789123', 'claim ABC456789123'],
  ),
  {
    rule: 'ng-bvn',
    type: 'NG_BVN',
    title: 'Nigerian bank verification number',
    find: shapes('99999999999'),
    score: 0.05,
    near: 0.8,
    context: ['bvn', 'nibss', 'bank verification'],
    valid: isIssued,
    examples: { found: ['bvn: 22345678901'], ignored: ['22345678901', 'bvn: 11111111111'] },
  },
  {
    rule: 'de-practice',
    type: 'DE_PRACTICE_NUMBER',
    title: 'Number of a German doctor’s practice (BSNR)',
    find: shapes('999999999'),
    score: 0.05,
    near: 0.85,
    context: ['bsnr', 'betriebsstättennummer', 'betriebsstättennr', 'betriebsstätte'],
    valid: isIssued,
    examples: { found: ['BSNR 711234567'], ignored: ['711234567', 'BSNR 000000000'] },
  },
]
