import { words } from './detector.ts'

/**
 * What people write right before a number, by language. The last two words of a label count. Schemes whose check digit
 * is known are not here: behind a label of theirs a wrong one would be forgiven.
 */

export const nationalIdLabels: readonly string[] = [
  // English
  ...words(
    'national id, national identity, national identification, nid, identity card, identity number, citizen id, citizen number, citizenship number, kenyan id, id card, identity document, personal code, personal number, personal identification, civil id, voter id, voter no, upn, traffic register, dod id, edipi, known traveler, ktn, redress number, global entry, nic, nic no, nic number, emirates id, uae id, saudi id, iqama, bahrain cpr, qatar id, qid, omang, ghana card, nrc, nrc no',
  ),
  // Spanish and Portuguese
  ...words(
    'cédula, cedula, cédula de identidad, cedula de identidad, cédula de ciudadanía, cedula de ciudadania, dni, cui, documento nacional, documento de identidad, número de identidad, carnet de identidad, tarjeta de identidad, tarjeta identidad, clave de elector, cartão de cidadão, cartao cidadao, cartão cidadão, carteira de identidade, bilhete de identidade, bi n, rg, registro geral',
  ),
  // French and Italian
  ...words(
    "carte nationale, carte d'identité, carte identité, pièce d'identité, identité nationale, cin, c.i.n, cni, cnib, numéro cin, cin n, carta d'identità, carta identità, documento d'identità",
  ),
  // German, Dutch, Nordic
  ...words(
    'ausweisnummer, personalausweisnummer, identitätskarte, identiteitskaart, identiteitsnummer, henkilökortti, legitimation',
  ),
  // Central and eastern Europe, the Balkans, Turkey
  ...words(
    'személyazonosító, szemelyazonosito, személyi igazolvány, személyi szám, taj szám, taj szam, dowód osobisty, dowod osobisty, nr dowodu, seria dowodu, občanský průkaz, obcansky prukaz, občiansky preukaz, číslo op, carte de identitate, cod personal, lična karta, osobna iskaznica, osebna izkaznica, лична карта, лична карта №, lnch, pnf, peid, letërnjoftim, numri personal, удостоверение личности, идентификационный номер, личный номер, паспорт громадянина, жсн, иин, isikut tõendav, asmens tapatybės, kimlik kartı, nüfus cüzdanı',
  ),
  // Greek, Hebrew, Arabic, Persian, Urdu
  ...words(
    'ταυτότητα, ταυτότητας, δελτίο ταυτότητας, α.δ.τ, αδτ, taftotita, الرقم القومي, رقم قومي, الرقم الوطني, رقم وطني, الهوية, رقم الهوية, الهوية الوطنية, بطاقة الهوية, التعريف الوطنية, بطاقة التعريف, بطاقة وطنية, البطاقة الوطنية, رقم البطاقة, الرقم المدني, البطاقة المدنية, بطاقة تعريف, الإقامة, رقم الإقامة, شناسنامه',
  ),
  // Asia
  ...words(
    'ktp, nik, no ktp, nomor ktp, cccd, cmnd, số cccd, số cmnd, căn cước, chứng minh, kad pengenalan, no kp, 证件号码, 居留证, 統一證號, 在留カード, 在留カード番号, 外国人登録, 신분증, पहचान पत्र, জাতীয় পরিচয়পত্র, ජාතික හැඳුනුම්පත',
  ),
]

export const taxLabels: readonly string[] = [
  ...words(
    'tax id, tax number, tax no, taxpayer id, taxpayer identification, taxpayer number, tax identification, tax registration, tax reference, sars, tin no, tin number, company number, company no, company registration, registration number',
  ),
  ...words(
    'nit, ruc, rnc, rtn, número fiscal, identificación fiscal, identificación tributaria, registro único, inscrição estadual, cédula jurídica, cedula juridica, numéro fiscal, matricule fiscal, numéro spi, identifiant fiscal, ice',
  ),
  ...words(
    'handelsregister, firmenbuch, firmenbuchnummer, kvk, kvk-nummer, ondernemingsnummer, cvr, cvr-nr, se-nummer, organisasjonsnummer, ytunnus, y-tunnus, registrikood, reģistrācijas numurs, įmonės kodas',
  ),
  ...words(
    'regon, dič, ič dph, ičo, daňové číslo, adószám, adoszam, matični broj, onrc, cod fiscal, cod de înregistrare, nipt, nuis, edb, pib, пиб, едб, булстат, еик, bulstat, idno, unp, унп, edrpou, єдрпоу, rntrc, кпп, огрн, огрнип, ogrn, mersis no',
  ),
  ...words(
    'ח.פ, ח״פ, עוסק מורשה, עוסק פטור, מספר עוסק, الرقم الضريبي, رقم ضريبي, التعريف الضريبي, المعرف الجبائي, التعريف الجبائي, السجل التجاري, شناسه ملی, کد اقتصادی',
  ),
  ...words(
    'npwp, mst, mã số thuế, ubn, nrt, 統一編號, 统一社会信用代码, 税号, 纳税人识别号, 稅號, 法人番号, เลขประจำตัวผู้เสียภาษี',
  ),
]

export const passportLabels: readonly string[] = [
  ...words(
    'passport, passports, passport no, passport number, pass no, pass nr, pass number, travel document, travel doc, visa no, visa number, alien number, uscis, crossing card',
  ),
  ...words(
    'passeport, reisepass, reisepassnummer, passnummer, pasaporte, passaporto, passaporte, paspoort, paspoortnummer, pasaport, pașaport, pasaport no, paszport, paszportu, cestovní pas, cestovného pasu, útlevél, utlevel, útlevélszám, potni list, putovnica, pasoš, pasojë, passi number, passin numero, passinumero, pass nummer, vegabréf, pase, pasas, passi',
  ),
  ...words(
    'διαβατήριο, διαβατηρίου, паспорт, паспорта, паспорт гражданина, загранпаспорт, серия, серії, דרכון, מספר דרכון, جواز, جواز سفر, جواز السفر, رقم الجواز, گذرنامه, پاسپورٹ, 护照, 护照号码, 護照, 護照號碼, パスポート, 旅券番号, 旅券, 여권, 여권번호, หนังสือเดินทาง, पासपोर्ट, hộ chiếu, paspor, nomor paspor',
  ),
]

export const licenceLabels: readonly string[] = [
  ...words(
    "driver's license, driver's licence, drivers license, driver license, driver licence, driving license, driving licence, dl, dl no, dln, license number, licence number, license no, licence no, license, licence",
  ),
  ...words(
    'führerschein, führerscheinnummer, permis de conduire, permis conduire, permis de conducere, patente, patente di guida, førerkort, forerkort, kørekort, körkort, korkort, körkortsnummer, ajokortti, ajokortin numero, ökuskírteini, rijbewijs, rijbewijsnummer, prawo jazdy, prawa jazdy, řidičský průkaz, ridicsky prukaz, vodičský preukaz, jogosítvány, jogositvany, vezetői engedély, carta de condução, carnet de conducir, permiso de conducir, licencia de conducir, cnh, vozačka dozvola, vozniško dovoljenje, juhiluba, vadītāja apliecība, vairuotojo pažymėjimas, ehliyet, sürücü belgesi',
  ),
  ...words(
    'δίπλωμα, άδεια οδήγησης, водительское удостоверение, водительского удостоверения, посвідчення водія, רישיון נהיגה, رخصة القيادة, رخصة قيادة, رخصة السياقة, گواهینامه, 驾驶证, 驾驶证号, 駕駛執照, 運転免許証, 免許証番号, 운전면허, 운전면허번호, ใบขับขี่, giấy phép lái',
  ),
]

export const accountLabels: readonly string[] = words(
  'account, account number, account no, bank account, checking account, savings account, acct, acct no, acc no, acc number, a/c, konto, kontonummer, kontonr, kontonumret, compte, compte bancaire, numéro de compte, cuenta, cuenta bancaria, número de cuenta, conta, conta bancária, conta corrente, conto corrente, rekening, rekeningnummer, numer konta, nr konta, číslo účtu, bankszámlaszám, tilinumero, reikningsnúmer, λογαριασμός, номер счета, расчетный счет, р/с, счет, חשבון, חשבון בנק, رقم الحساب, حساب بنكي, شماره حساب, 계좌, 계좌번호, 账号, 账户, 银行账号, 帳號, 口座番号, เลขที่บัญชี, clabe, cbu, isa account, pension acct',
)
