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
  TAX_ID: 'taxid taxpayerid taxidentificationnumber tin taxnumber utr steuerid',
  IE_PPSN: 'ppsn ppsnumber pps',
  UK_NINO: 'nino nationalinsurance nationalinsurancenumber ninumber',
  UK_NHS: 'nhsnumber nhsno',
  NATIONAL_ID:
    'nationalid nationalidnumber idcardnumber identitynumber personalnumber personnummer aadhaar aadhaarnumber pesel bsn cpf',
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
  /passw(?:or)?d|passwort|passphrase|(?:^|[^a-z])(?:pwd|passwd|contrase[nñ]a|motdepasse|senha)(?:$|[^a-z])|(?:db|database|key|user|root|admin|smtp|mail|login|ldap|ssh|ftp|my|pg|redis|mysql)[ _.-]?(?:pass|pwd)$|^pass$|^pwd$|pwd$|[_.-](?:pass|pw)$/
const secretName =
  /api[ _.-]?(?:key|token|secret|auth)|apikey|secret|token|access[ _.-]?key|auth[ _.-]?(?:key|code|header)?$|authorization|credential|creds|private[ _.-]?key|client[ _.-]?key|service[ _.-]?key|account[ _.-]?key|encryption[ _.-]?key|signing[ _.-]?key|master[ _.-]?key|shared[ _.-]?(?:access[ _.-]?)?key|license[ _.-]?key|deploy[ _.-]?key|app[ _.-]?key|(?:db|database|data|host|ssh|webhook)[ _.-]?key|bearer|signature$|session[ _.-]?(?:id|key)?$|cookie$|connection[ _.-]?string|client[ _.-]?id$|webhook/
const weakName = /key|auth|access|api/
/** Names that contain such a word and mean something else. */
const harmless =
  /keyword|keyboard|keycode|key[ _.-]?(?:down|up|press|frame|mesh|pair|ring|stone|selector|alias)|keying|monkey|turkey|hotkey|pub(?:lic)?[ _.-]?(?:key|token)|accessor|access[ _.-]?id$|(?:credentials?|secrets?)[ _.-]?ids?$|key[ _.-]?vault|schema[ _.-]?key|bucket[ _.-]?key|sequence[ _.-]?key|primary[ _.-]?key|foreign[ _.-]?key|partition|sort[ _.-]?key|cache[ _.-]?key|group[ _.-]?key|tokeniz|tokenis|max[ _.-]?(?:new[ _.-]?)?tokens?|(?:^|[ _.-])(?:num|n|total|prompt|completion|output|input|stop|special|pad|eos|bos|unk|sep|cls|mask)[ _.-]?tokens?|token[ _.-]?(?:count|type|limit|length|id|ids|index|name|size|url|uri|endpoint|expir)|author(?!iz)|authority|authent|(?:^|[ _.-])(?:name|path|file|url|uri|type|size|count|length|expiry|ttl|version|arn|ref|regex|pattern|field|label|hash|alg|algorithm|policy|length|prefix|suffix|format|enabled|required|min|max|hint|reset|rules?|strength|provider|class|manager|service|endpoint|host|port|region|at|on|by|date|time|age|count|status|error|message|text|prompt|placeholder|title|description)$|accessib|accessed|capital|apiversion|csrf|integrity|checksum|digest|(?:^|[^a-z])sha\d+|etag|^(?!.*(?:secret|token|passw)).*commit/

/**
 * Three letters of which every name that means something has some; most names in code and logs have none. Names of
 * personal fields are known as a whole instead, by a hash.
 */
const telling = 'pas pwd cre tok key uth api cce bea gna ses coo nst tid ebh ras enh'.split(' ')
const tellingThree = new Uint8Array(32 * 32 * 32)
for (const [one, two, three] of telling) {
  let place = 0
  for (const char of [one, two, three]) place = place * 32 + ((char?.charCodeAt(0) ?? 0) & 31)
  tellingThree[place] = 1
}
const wholeNames = new Uint8Array(1 << 16)
/** The last words of phrases mean nothing by themselves and are asked about all the same. */
for (const name of [...personalFields.keys(), 'code', 'string']) {
  let hash = 0
  for (let at = 0; at < name.length; at++) hash = mixed(hash, name.charCodeAt(at))
  wholeNames[hash & 0xffff] = 1
}

function mixed(hash: number, code: number): number {
  const product = Math.imul(hash ^ code, 0x9e3779b1)
  return product ^ (product >>> 15)
}

const endsInPw = (0x70 & 31) * 32 + (0x77 & 31)

/** Whether a name can mean anything: a look at its letters, without cutting it out of the text. */
export function mayMean(codes: Uint16Array, start: number, end: number): boolean {
  let three = 0
  let hash = 0
  for (let at = start; at < end; at++) {
    const code = codes[at] ?? 0
    const small = code >= 0x41 && code <= 0x5a ? code + 32 : code
    if (small >= 0x61 && small <= 0x7a) {
      three = ((three << 5) | (small & 31)) & 0x7fff
      if (tellingThree[three]) return true
    } else if (small < 0x30 || small > 0x39) continue
    hash = mixed(hash, small)
  }
  // `db_pw` has no three letters that tell.
  return wholeNames[hash & 0xffff] === 1 || (three & 0x3ff) === endsInPw
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
