/** Whether a value can be a secret at all: what manuals, templates and tests put in its place is not one. */

const placeholderWords =
  /sample|placeholder|changeme|change_me|change-me|your[_-]|_here$|redacted|dummy|replace|insert|xxxx|\*\*\*|\.\.\.|todo|fixme|foobar|lorem|notreal|not_a_real|<[^>]*>|\$\{[\w.:\- ]*\}|\{\{[\w .|()"'-]*\}\}|%\(\w|\$\(|^\$[A-Z_]|^%[A-Z_]+%$|^\[[A-Z_0-9]+\]$|undefined/i

/**
 * `example` and `fake` fill the place of a key, or are written into one to spoil it. Between letters and digits on both
 * sides of a long one they are there by chance, or the rest of it is worth hiding all the same: so AWS's own
 * `wJalr…EXAMPLEKEY`, which people put in and then replace by halves.
 */
const spoilt = /example|fake/i
const inTheMiddle = /[0-9A-Za-z+/]{12}(?:example|fake)[0-9A-Za-z]{3}/i

const isSpoilt = (value: string): boolean =>
  spoilt.test(value) && value.length < 80 && !(value.length >= 36 && inTheMiddle.test(value) && entropy(value) > 3.6)

/** Runs such as `aaaaaaa` and `1234567890abcdef` come from fingers, not from generators; a short one in a long key may not. */
export function isMonotonous(value: string): boolean {
  let same = 1
  let rising = 1
  for (let at = 1; at < value.length; at++) {
    const step = value.charCodeAt(at) - value.charCodeAt(at - 1)
    same = step === 0 ? same + 1 : 1
    rising = step === 1 ? rising + 1 : 1
    if ((same >= 7 || rising >= 10) && Math.max(same, rising) * 3 >= value.length) return true
  }
  return value.length < 64 && value.length > 8 && hasFewer(value, value.length / 8)
}

/** Whether a text has fewer different characters than so many; a random one has shown them after a few. */
function hasFewer(value: string, many: number): boolean {
  let different = 0
  for (let at = 0; at < value.length; at++) {
    if (value.indexOf(value.charAt(at)) === at && ++different >= many) return false
  }
  return true
}

export const isPlaceholder = (value: string): boolean =>
  placeholderWords.test(value) || isSpoilt(value) || /deadbeef/i.test(value) || isMonotonous(value)

/**
 * For keys that announce themselves by a prefix: a counting body, and one of a single letter, is still taken for a key;
 * `ghp_xxxxxxxx` and `ghp_00000000` are not.
 */
export const isPlaceholderKey = (value: string): boolean =>
  placeholderWords.test(value) || isSpoilt(value) || (entropy(value.slice(-20)) < 1.5 && /[xX0*.#_-]{5}/.test(value))

/** Shannon entropy, in bits per character. */
export function entropy(value: string): number {
  const counts = new Map<number, number>()
  for (let at = 0; at < value.length; at++) {
    const code = value.charCodeAt(at)
    counts.set(code, (counts.get(code) ?? 0) + 1)
  }
  let bits = 0
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length)
  return bits
}
