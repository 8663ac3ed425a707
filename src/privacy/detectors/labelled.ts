import { allSame, isDate, number } from '../validators/checksums.ts'
import { type Detector, shapes } from './detector.ts'

const one = (text: string): readonly string[] => text.split(', ')
const digits = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, at) => '9'.repeat(from + at))

/** Letters of an office and digits behind them, as administrations number what they issue. */
const issued = ['A', 'AA', 'AAA', 'AAAA', 'AAAAA'].flatMap(letters => [
  ...digits(5, 12).flatMap(run => [letters + run, `${letters}-${run}`]),
  ...['99999A9', '99999AA', '999999A', '9999999A'].flatMap(run => [letters + run, `${letters}-${run}`]),
])

/** Neither a day (`claim no. 2026-01-15`) nor a row of the same digit. */
const isIssued = (text: string): boolean =>
  !allSame(text) &&
  !(
    /^\d{8}$/.test(text) &&
    ((/^(?:19|20)/.test(text) && isDate(number(text, 0, 4), number(text, 4, 6), number(text, 6, 8))) ||
      (/^\d{4}(?:19|20)/.test(text) &&
        (isDate(0, number(text, 2, 4), number(text, 0, 2)) || isDate(0, number(text, 0, 2), number(text, 2, 4)))))
  )

/**
 * Numbers that have no check digit, or are worth hiding with a wrong one: nothing but the label right before them says
 * what they are.
 */
export const labelled: readonly Detector[] = [
  {
    rule: 'national-id',
    type: 'NATIONAL_ID',
    title: 'National identity number behind its label',
    find: shapes(
      ...digits(6, 14),
      ...['99.999.999', '9.999.999', '999999-99999', '99999999-9', '999999999-9', '9-9999-9999', '999-9999999-9'],
      ...['99999999 9 AA9', 'A9999999', 'A999999', 'AA999999', '999999999A', '99999999A', 'A99999999'],
    ),
    score: 0.05,
    near: 0.75,
    beside: one(
      'national id, national identity, national identification, nid, nin, identity card, identity number, citizen id, citizen number, citizenship number, identification number, kenyan id, id card, id no, cédula, cedula, cédula de identidad, cedula de identidad, dni, cui, documento nacional, carte nationale, identity document, henkilötunnus, personal code, personal number, personal identification, personnummer, rodné číslo, ktp, nik, cccd, cmnd, pnf, egn, lnch, cartão de cidadão, cartao cidadao, peid',
    ),
    valid: isIssued,
    examples: {
      found: ['national id: 12345678', 'Kenyan id 1234567 was reported', 'DNI: 20.123.456', 'cédula 00113918205'],
      ignored: ['12345678', 'the national id card was shown to 12345678 people', 'national id: 00000000'],
    },
  },
  {
    rule: 'tax-number',
    type: 'TAX_ID',
    title: 'Tax or company number behind its label',
    find: shapes(
      ...digits(7, 15),
      ...['999.999.999-9', '9-99-99999-9', '999-99999-9', '9999999-9', '99999999-9', '999999999-9', '999999-9'],
      ...['9-999-999999', '999999-A', '99-999-9999', '99-999999-999-9', '9999-999999-999-9', '9999999-A'],
      ...['999 999 999', '99 999 999', '999-999-999', '9999999999-999', '99-999/9999', '99 999/9999', 'AA 999999A'],
      ...[
        'A999999999A',
        'A99999999A',
        'A9999999999',
        'A-999999-A',
        'A 99999999 A',
        'A99999999',
        '999999A',
        '999 999 99',
      ],
    ),
    score: 0.05,
    near: 0.7,
    beside: one(
      'tax id, tax number, tax no, taxpayer id, taxpayer identification, taxpayer number, tax identification, tax reference, tax registration, tin, tin no, nit, ruc, rnc, rif, rut, cuit, cvr, cvr-nr, unp, pib, edb, mst, mã số thuế, regon, nip, ice, idno, edrpou, єдрпоу, rntrc, inn, ubn, npwp, gstin, pan no, nipt, nrt, nif, cif, dič, dic, ičo, ico, oib, ytunnus, y-tunnus, registrikood, company number, company no, company registration, registration number, orgnr, org nr, organisasjonsnummer, firmenbuch, firmenbuchnummer, steuernummer, steuer-id, mf, matricule fiscal, vat number, vat no, vat id, vat reg, vat registration, ust-id, p.iva, partita iva, btw, kvk, siren, siret, ein, fein, abn, acn, crib, cédula jurídica, cedula juridica, utr',
    ),
    valid: isIssued,
    examples: {
      found: ['NIT: 213.123.432-1', 'RUC 1792060346-001', 'CVR-nr. 13585628', 'Company No. 08209948'],
      ignored: ['213.123.432-1', 'the tax number of the year is 20241231', 'tax of 1234567'],
    },
  },
  {
    rule: 'health-insurance-id',
    type: 'HEALTH_INSURANCE_ID',
    title: 'Insurance or membership number behind its label',
    find: shapes(...issued),
    score: 0.05,
    near: 0.75,
    beside: one(
      'member id, member number, member no, subscriber id, subscriber number, subscriber no, insurance id, insurance number, insurance no, plan id, policy id, policy number, policy no, insured id, medicaid id, health card, health id, patient id, patient number, patient no, versichertennummer, policennummer',
    ),
    valid: isIssued,
    examples: {
      found: [
        'Member ID ABC123456789',
        'policy no. CIGNA123456',
        'Subscriber ID HPN12345A9',
        'member number ZX-987654321',
      ],
      ignored: ['ABC123456789', 'order ABC123456789', 'Subscriber ID A123'],
    },
  },
  {
    rule: 'health-case',
    type: 'HEALTH_CASE_NUMBER',
    title: 'Claim, prescription or referral behind its label',
    find: shapes(...issued, ...digits(6, 15)),
    score: 0.05,
    near: 0.7,
    beside: one(
      'claim number, claim id, claim no, prescription, prescription number, prescription no, rx, rx number, referral number, referral no, authorization number, preauthorization, prior authorization',
    ),
    valid: isIssued,
    examples: {
      found: ['Claim number PCN000001', 'Rx #1234567', 'Prior authorization PA-987654321', 'claim id 123456789012345'],
      ignored: ['PA-987654321', 'order number PA-987654321', 'Claim number 2026-01-15', 'the claim of 1234567'],
    },
  },
  {
    rule: 'health-case-prefixed',
    type: 'HEALTH_CASE_NUMBER',
    title: 'Claim or referral by its prefix',
    find: shapes(...digits(6, 15).map(run => `AAA${run}`)),
    score: 0.05,
    near: 0.7,
    beside: ['claim', 'referral', 'claims'],
    valid: text => /^(?:CLM|REF|INF)/.test(text),
    examples: { found: ['claim CLM456789123', 'Referral INF654321'], ignored: ['CLM456789123', 'claim ABC456789123'] },
  },
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
