import * as birth from '../validators/birth-numbers.ts'
import { countsFirst, hasRun } from '../validators/checksums.ts'
import { type Detector, shapes, words } from './detector.ts'

const hongKongWords = words('hkid, hkic, hong kong, 香港身份證, 香港身份证, 身份證, 身份證號碼, 身分證')
const sriLankanWords = words('nic, nic no, nic number, national identity card, sri lanka, sri lankan, හැඳුනුම්පත, හැඳුනුම්පත්')
const libyanWords = words('الرقم الوطني, الوطني, libya, libyan, ليبيا, national id, national number')

/** Hong Kong, China, Iran, Sri Lanka, Malaysia and the Arab countries. */
export const orient: readonly Detector[] = [
  {
    rule: 'hk-identity-bracketed',
    type: 'HK_IDENTITY_NUMBER',
    title: 'Hong Kong identity card with its check digit in brackets',
    find: {
      by: 'words',
      starts: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
      shortest: 7,
      longest: 8,
      pattern: /[A-Za-z]{1,2}\d{6} ?(?:\([0-9Aa]\)|\[[0-9Aa]\])/y,
    },
    score: 0.8,
    near: 0.98,
    context: hongKongWords,
    valid: text => birth.isHongKong(text.replace(/[^0-9A-Za-z]/g, '').toUpperCase()),
    examples: {
      found: ['G123456(A)', 'HKID: WX204817[3]', '香港身份證號碼：k304718(0)'],
      ignored: ['G123456(B)', 'G123456(7)', 'f123456(x)'],
    },
  },
  {
    rule: 'hk-identity',
    type: 'HK_IDENTITY_NUMBER',
    title: 'Hong Kong identity card',
    find: shapes('A9999999', 'A999999A', 'A999999-9', 'A999999-A'),
    score: 0.2,
    near: 0.95,
    alone: 0.55,
    context: hongKongWords,
    valid: birth.isHongKong,
    examples: { found: ['HKID G123456A', 'K3047180'], ignored: ['K3047181', 'part K3047181'] },
  },
  {
    rule: 'hk-identity-two-letters',
    type: 'HK_IDENTITY_NUMBER',
    title: 'Hong Kong identity card with two letters, named as such',
    find: shapes('AA9999999', 'AA999999A', 'AA999999-9', 'AA999999-A'),
    score: 0.1,
    near: 0.95,
    context: hongKongWords,
    valid: birth.isHongKong,
    examples: { found: ['HKID WX2048173'], ignored: ['HKID WX2048174', 'WX2048173'] },
  },
  {
    rule: 'cn-resident-early',
    type: 'CN_RESIDENT_ID',
    title: 'Chinese resident number of before 1999',
    find: shapes('9'.repeat(15)),
    score: 0.2,
    near: 0.95,
    alone: 0.6,
    context: words('身份证, 身份证号, 身份證, 居民身份, 公民身份, 证件号, resident id, resident identity, chinese id'),
    valid: birth.isChineseEarly,
    examples: {
      found: ['居民身份证号码 320106630914027', '320106630914027'],
      ignored: ['320106631314027', 'trace 320106630914027', '990106630914027'],
    },
  },
  {
    rule: 'ir-national-code',
    type: 'IR_NATIONAL_CODE',
    title: 'Iranian national code',
    find: shapes('9999999999', '999-999999-9'),
    score: 0.2,
    near: 0.95,
    alone: 0.5,
    context: words('کد ملی, کدملی, شماره ملی, ملی, melli, code melli, codemelli, iran, iranian'),
    // Offices are numbered up to 679; the check digit alone is right for one number in eleven.
    valid: digits => /^[0-6]/.test(digits) && birth.isIranian(digits) && !hasRun(digits) && !countsFirst(digits),
    examples: {
      found: ['کد ملی: 0372914081', 'شماره ملی من 4160237193 است', '0372914081'],
      ignored: ['کد ملی: 0372914082', 'n 0372914081', '9000000005'],
    },
  },
  {
    rule: 'lk-identity-early',
    type: 'LK_IDENTITY_NUMBER',
    title: 'Sri Lankan identity card of before 2016',
    find: shapes('999999999A', '999999999 A'),
    score: 0.3,
    near: 0.9,
    alone: 0.6,
    context: sriLankanWords,
    valid: birth.isSriLankanEarly,
    examples: { found: ['NIC No: 883021745v', '655521904X'], ignored: ['part 883021745V', '884021745V', '883021745W'] },
  },
  {
    rule: 'lk-identity',
    type: 'LK_IDENTITY_NUMBER',
    title: 'Sri Lankan identity number',
    find: shapes('999999999999'),
    score: 0.1,
    near: 0.85,
    alone: 0.55,
    context: sriLankanWords,
    valid: birth.isSriLankan,
    examples: {
      found: ['NIC: 199130204517', '198856712340'],
      ignored: ['n 199130204517', '199140204517', '202401151030'],
    },
  },
  {
    rule: 'ly-national-number',
    type: 'LY_NATIONAL_NUMBER',
    title: 'Libyan national number',
    find: shapes('999999999999'),
    score: 0.1,
    near: 0.85,
    alone: 0.55,
    context: libyanWords,
    valid: birth.isLibyan,
    examples: {
      found: ['الرقم الوطني: 119730482916', '220019384756'],
      ignored: ['n 119730482916', '319730482916', 'الرقم الوطني: 118730482916'],
    },
  },
  {
    rule: 'my-nric-plain',
    type: 'MY_NRIC',
    title: 'Malaysian identity number without hyphens',
    find: shapes('999999999999', '999999 99 9999'),
    score: 0.1,
    near: 0.9,
    alone: 0.55,
    context: words('nric, mykad, my kad, malaysia, malaysian, kad pengenalan, no kp, ic number, ic no'),
    valid: birth.isGrownMalaysian,
    examples: {
      found: ['850412145537', 'MyKad 850412145537'],
      ignored: ['851312145537', 'n 850412145537', '850412005537'],
    },
  },
]
