import type { FieldMeaning } from '../../fields.ts'
import { digit, letter, lower, upper } from '../classes.ts'
import type { Finders } from '../compile.ts'
import { entropy, isPlaceholder } from '../plausible.ts'

/** A value that was given to a name. */
export interface Value {
  readonly start: number
  readonly end: number
  readonly quoted: boolean
  /** Class bits of its characters. */
  readonly mask: number
}

export const longestValue = 512
/** The longest that a value given to a name may be and still be a key. */
const longestKey = 500

export const isQuote = (code: number): boolean => code === 0x22 || code === 0x27 || code === 0x60

/** `)`, `}`, `.`, `:` and `>` after a bare value belong to what is around it. */
export const endsSentence = (code: number): boolean =>
  code === 0x29 || code === 0x7d || code === 0x2e || code === 0x3a || code === 0x3e

/** Most values are words, numbers and names, too short for what their own name suggests. */
const shortest: Record<FieldMeaning['kind'], number> = { password: 5, secret: 8, 'weak-secret': 16, personal: 3 }

/** What speaks for a value that looks like any word; asked last, since it takes looking around. */
export interface Surroundings {
  readonly isWithUser: () => boolean
  /** Nothing else stands in the text. */
  readonly isAlone: () => boolean
  /** It ends a line of settings. */
  readonly isLine: () => boolean
}

/** Which rule a value falls under, given what its name means; null when it is none that must be hidden. */
export function ruleFor(
  name: string,
  meaning: FieldMeaning,
  plain: string,
  value: Value,
  surely: Surroundings,
): keyof Finders | null {
  if (plain.length < shortest[meaning.kind]) return null
  // Only keys are long; looking closely at long values of other kinds would be time that a hostile text can ask for.
  if (plain.length > 200 && meaning.kind !== 'secret') return null
  // The key of a wallet is any number; those that people try things out with are small.
  if (meaning.kind === 'secret' && /private/i.test(name) && /^(?:0x)?(?!0{64})[0-9a-f]{64}$/i.test(plain))
    return 'secret'
  // In a file of a package manager nothing else can stand there, whatever it looks like.
  if (/^:?_auth(?:Token)?$/.test(name) && /^[\w+/=.-]{10,}$/.test(plain) && !isMasked.test(plain)) return 'secret'
  if (isWordsAlone(name, meaning, plain, value) && !surely.isAlone()) return null
  // The expressions below are long, and no key is: what goes on for so long is a text or a program.
  if (plain.length > longestKey || isTemplate(plain) || isPlaceholder(plain)) return null
  // `PASSWORD_FETCH = "PASSWORD_FETCH"` says its own name.
  if (meaning.kind === 'password' && /pass|pwd/i.test(plain) && name.toLowerCase().includes(plain.toLowerCase()))
    return null
  switch (meaning.kind) {
    case 'password':
      return isPassword(plain, value) || (!isNeverPassword(plain) && surely.isWithUser()) ? 'password' : null
    case 'personal':
      return isPersonal(meaning.type, plain, value) ? 'field' : null
    case 'secret':
    case 'weak-secret':
      if (/mnemonic|phrase/i.test(name)) return isSeedPhrase.test(plain) ? 'secret' : null
      if (/^[A-Za-z0-9+/]{40}$/.test(plain) && /aws|secret/i.test(name) && entropy(plain) > 4) return 'awsSecret'
      if (/^(?:AccountKey|SharedAccessKey)$/i.test(name) && /^[A-Za-z0-9+/]{43,86}={1,2}$/.test(plain))
        return 'azureKey'
      // The id of a client is public in most places; it is hidden where it looks like a key.
      if (/client[ _.-]?id$/i.test(name) && isUuid.test(plain)) return null
      if (isChosenSecret(name, plain) && (value.quoted || surely.isLine())) return 'secret'
      if (isRandom(plain, value, meaning.kind === 'secret' || /^instrumentation/i.test(name))) return 'secret'
      return isOwnName.test(name) && /^[A-Za-z]{8,40}$/.test(plain) && !commonWords.test(plain) && surely.isAlone()
        ? 'secret'
        : null
  }
}

/** The cheap look: letters of one case without a digit are no key, unless they are the words of a phrase or full of signs. */
const isWordsAlone = (name: string, { kind }: FieldMeaning, plain: string, { mask }: Value): boolean =>
  (kind === 'secret' || kind === 'weak-secret') &&
  !(mask & digit) &&
  (mask & letter) !== (upper | lower) &&
  !/mnemonic|phrase/i.test(name) &&
  !isScrambled(plain)

const isMasked = /xxxx|your|\.\.\.|token_?here|placeholder|example|npm_token/i

/** `${X}`, `{{ x }}`, `<x>`, `%X%`, `$X`, `os.environ[…]`, `f(…)`: a place where a value will be, or code that gets it. */
export const isTemplate = (plain: string): boolean =>
  (/^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$/.test(plain) &&
    (!/\w{20}/.test(plain) || plain.split('.').every(isIdentifier))) ||
  /\$\{[\w.:-]+\}|\{\{ ?[\w.|:'"(),/ -]+ ?\}\}|^<[^>]*>?$|^%[A-Z_]+%$|^\$[A-Za-z_(]|^\{ ?\w* ?\}$|\{\d?\}|\.\$\d|\w\?\.\w|^@?[A-Za-z_][\w.]*[([]|^\*+$|^\[[A-Z_0-9]+\]|^(?:env|process|os|config|self|this|args|settings|options|params|request|req|secrets|vars|local|var|data|ENV)[.[]|\$\(|^!Ref|^arn:aws|^file:|^\/(?:[\w.-]+\/)*[\w.-]*$|^\.{1,2}\//.test(
    plain,
  )

/** `sign_in`, `ATTR_AWS_S3_KEY`, `getPassword`: words of a language, however they are joined. */
function isIdentifier(part: string): boolean {
  const words = part.match(/[A-Z]?[a-z]+|[A-Z]+|\d+/g) ?? []
  return part.replace(/\D/g, '').length <= 2 && part.length >= words.length * 2.5
}

export const commonWords =
  /^(?:none|null|nil|undefined|true|false|string|str|number|int|bool|boolean|text|varchar|char|required|optional|password|passwd|pass|secret|token|test|testing|user|admin|root|hidden|empty|default|value|yes|no|any|object|disabled|enabled|prompt|ask|input|unset|blank|not[-_ ]set)\W*$/i

/** What is written over the field of a form, in the languages that forms are translated to. */
const translated =
  /^(?:passwort|kennwort|mot de passe|contraseña|clave|senha|palavra-passe|parola|wachtwoord|passord|lösenord|adgangskode|salasana|hasło|heslo|jelszó|parolă|şifre|лозинка|пароль|парола|κωδικός|密码|密碼|パスワード|비밀번호)[\s:*]*$|^\p{L}+:$/iu

/** A route, a selector, a piece of code behind a quote that closes: given to a name with `password` in it, and none. */
const isNeverPassword = (plain: string): boolean =>
  plain.length > 128 ||
  /^[#.][a-z]+(?:-[a-z]+)*$|^[a-z_]+(?:\.[a-z_]+){2,}$|^[a-z]+:\/\/|^x:\d+:|\/etc\/|^[\w@.-]*(?:\/[\w@.-]+)+(?:#\w+)?$|^[+,.)\]}]|^&lt;|^['"]?\\?\$\W?[A-Za-z_]|^(.)\1*$/.test(
    plain,
  )

function isPassword(plain: string, value: Value): boolean {
  if (isNeverPassword(plain) || commonWords.test(plain) || translated.test(plain)) return false
  if (value.quoted)
    return (
      isPassphrase(plain) ||
      (!/^[a-z]+(?: [a-z]+)+[.!?:]?$/i.test(plain) &&
        !/\s.*\s.*\s/.test(plain) &&
        !/^[a-z]+[_-](?:password|pass|pwd|secret|token|key)$/i.test(plain))
    )
  return (value.mask & digit) !== 0 || /[!@#$%^&*~+?-]/.test(plain.slice(1))
    ? !/^[\d.,:/-]+$/.test(plain) || /^\d{6,}$/.test(plain)
    : false
}

/** `correct horse battery staple`: four words or more that make no sentence. */
const isPassphrase = (plain: string): boolean =>
  /^[a-z0-9]{3,10}(?:[ -][a-z0-9]{1,10}){3,7}$/.test(plain) && !saysSomething.test(plain)

const saysSomething =
  /(?:^|\W)(?:the|an?|is|are|was|be|been|to|of|in|on|at|or|and|for|from|by|with|without|your|you|my|our|this|that|it|its|must|should|may|can|cannot|not|no|if|please|enter|type|choose|repeat|confirm|forgot|forgotten|change|reset|new|old|least|has|have|use|used|using|set|user|users|username|login|account|password|passwords|passphrase|email|field|characters?|letters|digits|required|invalid|wrong|incorrect|missing|le|la|les|de|du|des|el|los|las|un|una|der|die|das|und|het|een)(?:\W|$)/

/** `appSecret: "opensesame1"`: a person has made it up; names of other things have signs between their words. */
const isChosenSecret = (name: string, plain: string): boolean =>
  /(?:secret|token|(?:api|access|private)[ _.-]?key)(?:[ _.-]?key)?$/i.test(name) &&
  /^[A-Za-z]{6,24}\d{1,8}$/.test(plain) &&
  (/secret$/i.test(name) || !isCamelCase(plain))

/** Names that say all by themselves where nothing else stands in a text: `SECRET: OpenSesame`. */
const isOwnName = /^(?:\w+[_-])?(?:secret|token|api[_-]?key)(?:[_-]?key)?$/i

/** Twelve words or more, from which a wallet is made. */
const isSeedPhrase = /^(?:[a-z]{3,8} ){11,23}[a-z]{3,8}$/i

const isUuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** `m{{h}o)p$…`: letters with many signs between them, as nobody writes for a reason. */
const isScrambled = (plain: string): boolean => {
  if (plain.length < 16 || /\s/.test(plain)) return false
  const signs = plain.replace(/[\w./:,'"-]+/g, '')
  return signs.length >= 6 && new Set(signs).size >= 6
}

/** A date, an amount or a version has digits and is not random; words joined by hyphens are not either. */
export function isRandom(plain: string, value: Value, strong: boolean): boolean {
  const { length } = plain
  if (length < shortest[strong ? 'secret' : 'weak-secret'] || length > longestKey) return false
  if (strong && isScrambled(plain)) return true
  if (/[\s(){}<>]|^\[|^\/\^/.test(plain)) return false
  // Client ids and the like are long numbers; a time in milliseconds has thirteen digits.
  if (!(value.mask & letter)) return strong && /^\d{15,22}$/.test(plain)
  if (/^[a-z][a-z0-9+.-]{1,20}:\/\/|^#[0-9a-f]{6,8}$/i.test(plain)) return false
  if (
    !(value.mask & digit) &&
    !(
      strong &&
      (value.mask & letter) === (upper | lower) &&
      length >= 16 &&
      !/^(?:[A-Z]?[a-z]+|[A-Z]+[a-z]*)(?:[A-Z][a-z]+)*$/.test(plain)
    )
  )
    return false
  if (/^\d{4}-\d\d-\d\d|^(?:v|r|rc)?\d+(?:\.\d+)+(?![\w=-]{20})|^\d+(?:\.\d+)?[a-z]{1,4}$/i.test(plain)) return false
  if (!strong && isUuid.test(plain)) return false
  if (
    isWords(plain) ||
    isCamelCase(plain) ||
    (!strong && /[#/].*-.*-/.test(plain)) ||
    /^[A-Z]?[a-z]+\d{0,4}$/.test(plain)
  )
    return false
  return entropy(plain) >= (length < 12 ? 2.5 : strong ? 2.9 : 3.4)
}

/** `ApiGatewayV2WebSocketApi`: words of four letters or so each; a random value changes case at every other letter. */
function isCamelCase(plain: string): boolean {
  if (!/^[A-Za-z0-9]+$/.test(plain) || !/[a-z]{2}[A-Z][a-z]{2}/.test(plain)) return false
  // A digit inside a word is not how people number things.
  if (plain.replace(/\D/g, '').length > 2 || /\d[a-z]/.test(plain)) return false
  const words = plain.match(/[A-Z]?[a-z]+|[A-Z]+/g) ?? []
  return words.join('').length >= words.length * 3.5
}

/** `user_profile_2`, `my-app-v2`, `sha256-rsa`: words of a language and a number or two. */
const isWords = (plain: string): boolean => {
  const parts = plain.split(/[-_.:/ ]/)
  return (
    parts.length > 1 &&
    parts.every(
      part => /^(?:[A-Za-z]*[a-z]{2,}\d{0,3}|[A-Z]{2,}\d{0,2}|\d{1,10}|v\d+|[a-z])?$/.test(part) && part.length < 16,
    )
  )
}

function isPersonal(type: string, plain: string, value: Value): boolean {
  if (commonWords.test(plain) || plain.length > 200) return false
  if (type === 'PERSON' || type === 'ADDRESS')
    return (
      value.quoted &&
      (value.mask & letter) !== 0 &&
      !/[<>{}$\\=]/.test(plain) &&
      /^["'\p{L}\d]/u.test(plain) &&
      !/^[a-z]+[_-]|^[a-z]+[A-Z]|^0x/.test(plain)
    )
  const digits = plain.replace(/\D/g, '').length
  if (type === 'CARD_SECURITY_CODE' || type === 'PIN') return /^\d{3,8}$/.test(plain)
  if (type === 'EMAIL' || type === 'IP_ADDRESS' || type === 'IBAN' || type === 'PHONE' || type === 'CREDIT_CARD')
    return false
  return value.quoted && digits >= 4 && plain.length <= 40 && /^[\dA-Za-z][\dA-Za-z ./-]*$/.test(plain)
}
