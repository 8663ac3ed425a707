import { codeAt } from './scanner/codes.ts'
import { fieldSlot } from './scanner/marks/layout.ts'
import { partOfName } from './scanner/marks/traits.ts'

/** What the name of a field says about its value: in JSON, CSV headers, data-frame columns and keyword arguments. */
export interface FieldMeaning {
  readonly type: string
  /** How far the name alone can be trusted: a password may be anything, a `key` must look random. */
  readonly kind: 'password' | 'secret' | 'weak-secret' | 'personal'
}

/** Names in lower case without separators, by the type that their values are. */
const personal: Record<string, string> = {
  PERSON:
    'firstname lastname middlename surname fullname givenname familyname maidenname forename customername clientname patientname employeename contactname cardholder cardholdername accountholder accountholdername beneficiaryname payeename nameoncard mothersmaidenname nextofkin legalname fname lname',
  ADDRESS:
    'address homeaddress streetaddress postaladdress mailingaddress billingaddress shippingaddress addressline1 addressline2 address1 address2 street residentialaddress',
  DATE_OF_BIRTH: 'dob dateofbirth birthdate birthday birthdt',
  US_SSN: 'ssn socialsecurity socialsecuritynumber socialsecurityno ssnlast4',
  TAX_ID:
    'taxid taxpayerid taxidentificationnumber tin taxnumber utr steuerid steuernummer ein vatnumber vatid vatno codicefiscale partitaiva',
  IE_PPSN: 'ppsn ppsnumber pps',
  UK_NINO: 'nino nationalinsurance nationalinsurancenumber ninumber',
  UK_NHS: 'nhsnumber nhsno',
  NATIONAL_ID:
    'nationalid nationalidnumber idcardnumber identitynumber personalnumber personnummer aadhaar aadhaarnumber pesel bsn cpf nric rrn curp dni nif cedula citizenid',
  PASSPORT: 'passport passportnumber passportno',
  US_DRIVER_LICENSE:
    'driverslicense driverlicense driverslicensenumber driverslicence drivinglicence drivinglicense licencenumber dlnumber',
  BANK_ACCOUNT: 'accountnumber accountno acctno acctnumber bankaccount bankaccountnumber accountnum',
  US_ROUTING_NUMBER: 'routingnumber abanumber routingno',
  IBAN: 'iban',
  CREDIT_CARD: 'cardnumber ccnumber creditcard creditcardnumber cardno ccnum debitcard primaryaccountnumber',
  CARD_SECURITY_CODE: 'cvv cvc cvv2 cvc2 securitycode cardsecuritycode csc',
  PIN: 'pin pincode pinnumber cardpin atmpin',
  PHONE:
    'phone phonenumber phoneno mobile mobilenumber mobilephone homephone workphone cellphone telephone telephonenumber faxnumber contactnumber',
  EMAIL: 'email emailaddress mail workemail personalemail contactemail',
  HEALTH_INSURANCE_ID:
    'memberid membernumber subscriberid subscribernumber policynumber policyno insuranceid insurancepolicynumber medicareid medicaidid',
  VEHICLE_REGISTRATION: 'licenseplate licenceplate platenumber numberplate vehicleregistration',
  VEHICLE_ID: 'vin vinnumber vehicleidentificationnumber chassisnumber',
  UK_SORT_CODE: 'sortcode bsb ifsc ifsccode',
  MEDICAL_RECORD: 'mrn medicalrecordnumber patientid healthinsurancenumber diagnosis',
  IP_ADDRESS: 'ipaddress clientip remoteip userip',
}

const personalFields = new Map<string, FieldMeaning>()
for (const [type, names] of Object.entries(personal)) {
  for (const name of names.split(' ')) personalFields.set(name, { type, kind: 'personal' })
}

const password: FieldMeaning = { type: 'PASSWORD', kind: 'password' }
const secret: FieldMeaning = { type: 'GENERIC_SECRET', kind: 'secret' }
const weak: FieldMeaning = { type: 'GENERIC_SECRET', kind: 'weak-secret' }

const passwordName =
  /passw(?:or)?d|passwort|passphrase|passcode|(?:^|[^a-z])(?:pwd|passwd|contrase[nñ]a|motdepasse|senha)(?:$|[^a-z])|(?:db|database|key|user|root|admin|smtp|mail|login|ldap|ssh|ftp|my|pg|redis|mysql|require|bind|trust|store)[ _.-]?(?:pass|pwd|pw)$|^pass$|pwd$|(?:^|[_.-])(?:pass|pw|psk)$/
const secretName =
  /api[ _.-]?(?:key|token|secret|auth)|apikey|secret|token|access[ _.-]?key|auth(?:entication)?[ _.-]?(?:key|code|header)?$|authorization|credential|creds|private[ _.-]?key|client[ _.-]?key|service[ _.-]?key|account[ _.-]?key|encryption[ _.-]?key|signing[ _.-]?key|master[ _.-]?key|shared[ _.-]?(?:access[ _.-]?)?key|license[ _.-]?key|deploy[ _.-]?key|app[ _.-]?key|(?:db|database|data|host|ssh|webhook)[ _.-]?key|bearer|signature$|session[ _.-]?(?:id|key)?$|cookie$|connection[ _.-]?string|client[ _.-]?id$|webhook|jenkins[ _.-]?crumb|^x[ _.-][a-z0-9_.-]{2,40}[ _.-]key$|sonar[ _.-]?login|mnemonic|(?:seed|recovery)[ _.-]?phrase/
const weakName = /key|auth|access|api|(?:^|[_.-])pat$|^sig$|^instrumentation/
/** Names that contain such a word and mean something else. */
const harmless =
  /keyword|keyboard|keycode|key[ _.-]?(?:down|up|press|frame|mesh|pair|ring|stone|selector|alias)|keying|monkey|turkey|hotkey|pub(?:lic)?[ _.-]?(?:key|token)|accessor|access[ _.-]?id$|(?:credentials?|secrets?)[ _.-]?ids?$|(?<!access[ _.-]?)key[ _.-]?ids?$|key[ _.-]?vault|schema[ _.-]?key|(?<!bit)bucket[ _.-]?key|sequence[ _.-]?key|primary[ _.-]?key|foreign[ _.-]?key|partition|sort[ _.-]?key|cache[ _.-]?key|group[ _.-]?key|tokeniz|tokenis|max[ _.-]?(?:new[ _.-]?)?tokens?|(?:^|[ _.-])(?:num|n|total|prompt|completion|output|input|stop|special|pad|eos|bos|unk|sep|cls|mask)[ _.-]?tokens?|token[ _.-]?(?:count|type|limit|length|id|ids|index|name|size|url|uri|endpoint|expir)|author(?!iz)|authority|authent(?!ication[ _.-]?(?:key|token|secret|code))|(?:^|[ _.-])(?:name|path|file|url|uri|type|size|count|length|expiry|ttl|version|arn|ref|regex|pattern|field|label|hash|alg|algorithm|policy|length|prefix|suffix|format|enabled|required|min|max|hint|reset|rules?|strength|provider|class|manager|service|endpoint|host|port|region|at|on|by|date|time|age|count|status|error|message|text|prompt|placeholder|title|description)$|accessib|accessed|capital|apiversion|csrf|integrity|checksum|digest|(?:^|[^a-z])sha\d+|etag|^(?!.*(?:secret|token|passw)).*commit/

/**
 * Three letters of which every name that means something has some; most names in code and logs have none. Names of
 * personal fields are known as a whole instead, by a hash.
 */
const telling = 'pas pwd cre tok key uth api cce bea gna ses coo nst tid ebh ras enh pat mne nar rum psk'.split(' ')
export const tellingThree = new Uint8Array(32 * 32 * 32)
for (const [one, two, three] of telling) {
  let place = 0
  for (const char of [one, two, three]) place = place * 32 + ((char?.charCodeAt(0) ?? 0) & 31)
  tellingThree[place] = 1
}
const longestName = 48

/** Names known as a whole, by how many letters and digits they have and what they begin with. */
export const wholeNames = new Uint8Array(1 << 16)

/** The last words of phrases mean nothing by themselves and are asked about all the same. */
for (const name of [...personalFields.keys(), 'code', 'string', 'sig']) {
  let three = 0
  for (const char of name
    .replace(/[^a-z]/g, '')
    .slice(0, 3)
    .padEnd(3, '\0'))
    three = three * 32 + (char.charCodeAt(0) & 31)
  wholeNames[fieldSlot(three, name.length)] = 1
}

/**
 * Whether a name may be that of a personal field, by its first three letters, five bits each, and how many letters and
 * digits it has: most lines of a text are asked, and looking each of their words up would take longer than reading them.
 */
export const mayBePersonal = (firstThree: number, length: number): boolean =>
  wholeNames[fieldSlot(firstThree, length)] === 1

/**
 * Where the name that ends at `end` begins, read backwards, once; negative (its complement) when its letters say that it
 * can mean nothing, so that it need not be cut out of the text.
 */
export function tellingName(end: number): number {
  const limit = Math.max(0, end - longestName)
  let at = end
  let three = 0
  let tells = 0
  let length = 0
  while (at > limit) {
    const part = partOfName[codeAt(at - 1)] ?? 0
    if (part === 0) break
    at--
    if (part < 27) {
      three = (three >> 5) | (part << 10)
      tells |= tellingThree[three] ?? 0
      length++
    } else if (part === 27) length++
  }
  // `db_pw` has no three letters that tell.
  const endsInPw = (codeAt(end - 1) & 0xdf) === 0x57 && (codeAt(end - 2) & 0xdf) === 0x50
  return tells || wholeNames[fieldSlot(three, length)] || endsInPw ? at : ~at
}

/** Where the name that ends at `end` begins, whatever it says. */
export function nameStart(end: number): number {
  const start = tellingName(end)
  return start < 0 ? ~start : start
}

const known = new Map<string, FieldMeaning | null>()
const mostKnown = 4096

/** What a name means, or null when nothing. Remembered, since the same few names come up all the time. */
export function meaningOf(name: string): FieldMeaning | null {
  const before = known.get(name)
  if (before !== undefined) return before
  const meaning = decide(name)
  if (known.size >= mostKnown) known.clear()
  known.set(name, meaning)
  return meaning
}

function decide(name: string): FieldMeaning | null {
  // `clientSecret` → `client_secret`, `APIKey` → `api_key`.
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()
  const field = personalFields.get(words.replace(/[^a-z0-9]/g, ''))
  if (field) return field
  if (passwordName.test(words) && !harmless.test(words)) return password
  if (harmless.test(words)) return null
  if (secretName.test(words)) return secret
  if (weakName.test(words)) return weak
  return null
}
