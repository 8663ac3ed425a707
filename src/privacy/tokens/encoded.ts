import type { Finding } from '../../contract/privacy.ts'

/**
 * What stands in a text in another form: a program that was told to can print a value in Base64 as well. The usual forms
 * are looked behind. It is no proof against whoever invents one.
 */
export function findEncoded(text: string, look: (plain: string) => readonly Finding[]): Finding[] {
  const found: Finding[] = []
  for (const { pattern, mark = '', decode } of forms) {
    if (!text.includes(mark)) continue
    for (const match of text.matchAll(pattern)) {
      if (match[0].length > longest || !match[0].includes(mark)) continue
      const type = decode(match[0])
        .filter(isText)
        .map(plain => look(plain).find(({ score }) => score >= sure)?.type)
        .find(each => each !== undefined)
      const { index: start } = match
      if (type) found.push({ start, end: start + match[0].length, type, rule: 'encoded-value', score: sure })
    }
  }
  return found
}

const sure = 0.8
/** What is longer is a file, and is cut before it leaves. */
const longest = 20_000

interface Form {
  readonly pattern: RegExp
  /** What it always has in it. */
  readonly mark?: string
  /** Every reading: it may have begun in the middle of something else. */
  readonly decode: (text: string) => string[]
}

const forms: readonly Form[] = [
  {
    pattern: /[A-Za-z0-9+/_-]{16,}={0,2}/g,
    decode: text => [0, 1, 2, 3].map(skip => Buffer.from(text.slice(skip), 'base64').toString('utf8')),
  },
  {
    pattern: /(?:[0-9a-fA-F]{2}[ :]?){8,}/g,
    decode: text => {
      const digits = text.replace(/[ :]/g, '')
      return [0, 1].map(skip => Buffer.from(digits.slice(skip), 'hex').toString('utf8'))
    },
  },
  {
    pattern: /[\w.~+%-]{8,}/g,
    mark: '%',
    decode: text => [
      text.replace(/(?:%[0-9a-f]{2})+/gi, each => Buffer.from(each.replaceAll('%', ''), 'hex').toString('utf8')),
    ],
  },
  {
    pattern: /[\w.@+\\-]{8,}/g,
    mark: '\\',
    decode: text => [
      text.replace(/\\+(?:u([0-9a-f]{4})|x([0-9a-f]{2}))/gi, (_, long, short) => sign(long ?? short, 16)),
    ],
  },
  {
    pattern: /[\w.@+&#;-]{8,}/g,
    mark: '&#',
    decode: text => [
      text.replace(/&#(?:x([0-9a-f]{1,4})|(\d{1,5}));/gi, (_, hex, decimal) =>
        hex ? sign(hex, 16) : sign(decimal, 10),
      ),
    ],
  },
  {
    // One sign at a time, with the same between all of them.
    pattern: /(?<![^\s[("'])\S(\\n|, |[ \-_|,\n])\S(?:\1\S){5,}(?![^\s\])"'.])/g,
    decode: text => [text.split(/^.(\\n|, |.)/s.exec(text)?.[1] ?? '').join('')],
  },
]

const sign = (digits: string, base: number): string => String.fromCodePoint(Number.parseInt(digits, base))

/** Bytes that are no text are something else. */
const isText = (plain: string): boolean =>
  plain.length >= 5 && !/[\ufffd\p{Cc}\p{Cn}]/u.test(plain.replace(/[\n\t\r]/g, ' '))
