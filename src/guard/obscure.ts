import type { Finding } from './engine.ts'
import type { Call, Program, Span, Text } from './model.ts'
import { decoders } from './reading/decode.ts'

/** Text that says nothing to a reader: programs of signs, strings written in escapes, long encoded strings. */
export function obscure(program: Program): Finding[] {
  const findings: Finding[] = []
  const signs = program.language === 'bash' ? null : signsOnly(program.source, program.language === 'python')
  if (signs !== null)
    findings.push(
      said(
        signs,
        'The program is written in signs instead of names, so that nobody can read it.',
        'high',
        'surface/signs',
      ),
    )
  for (const text of program.texts) {
    if (findings.length >= 3) break
    if (text.role !== 'value' || text.end - text.start <= 60) continue
    if (isEscaped(text, program.source))
      findings.push(said(text, 'A readable text is written in escapes, so that a reviewer does not see it.', 'medium'))
    else if (text.text.length >= shortestEncoded) {
      const finding = encoded(text, program.calls)
      if (finding !== null) findings.push(finding)
    }
  }
  return findings
}

const said = (
  { start, end }: Span,
  message: string,
  severity: Finding['severity'],
  rule = 'surface/encoded-text',
): Finding => ({
  rule,
  type: 'obfuscation',
  severity,
  message,
  recommendation: 'Keep data in files, and code readable.',
  cwe: 'CWE-506',
  start,
  end,
})

function isEscaped(text: Text, source: string): boolean {
  const written = source.slice(text.start, text.end)
  const escapes = written.match(/\\(x[0-9a-f]{2}|u[0-9a-f]{4}|[0-7]{3})/gi)?.length ?? 0
  return escapes >= 20 && escapes * 4 > written.length * 0.7 && /[a-z]{3}/i.test(text.text)
}

/** Comments and strings; what stands in them is drawn or said, not run. */
const asides = {
  python: /#[^\n]*|"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)|"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'/g,
  script: /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'|`(?:[^`\\]|\\[\s\S])*`/g,
}
/** Brackets, operators, `_` and `$` in one go, longer than any expression that a person wrote. */
const longRun = /[^A-Za-z0-9\s,\u0080-\uffff](?:[^A-Za-z0-9\s\u0080-\uffff]\s?){79,}/g
/** How values are made from nothing: `![]`, `+[]`, `[]+[]`, `~[]`, `(()==())`, `_+_`. */
const fromNothing = /[!+~-]\[\]|\[\][+[]|\(\(\)[=<>]=?\(\)\)|_<<_|[$_]\+\+|\+\{\}/g
const faces = /ﾟωﾟ|\(ﾟДﾟ\)|ﾟΘﾟ|ﾟｰﾟ/g
const shortest = 30
/** Of all that is no blank, comment or string; a matrix of digits has three times as much. */
const leastPlain = 0.08

/** One of these stands in everything that is made from nothing; a look for them costs far less than the pattern. */
const makings = ['[]', '(()', '_<<_', '$++', '_++', '+{}']
const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0

/** Where a program, or a long piece of one, consists of signs: JSFuck, jjencode, aaencode and their kin. */
function signsOnly(source: string, python: boolean): Span | null {
  if (source.length < shortest) return null
  if (source.includes('ﾟ') && count(source, faces) >= 5) return { start: 0, end: source.length }
  if (!makings.some(each => source.includes(each)) || count(source, fromNothing) < 3) return null
  const bare = source.replace(asides[python ? 'python' : 'script'], found => ' '.repeat(found.length))
  const letters = count(bare, /[A-Za-z0-9\u0080-\uffff]/g)
  const all = count(bare, /\S/g)
  if (all >= shortest && letters < all * leastPlain && count(bare, fromNothing) >= 3)
    return { start: 0, end: source.length }
  for (const found of bare.matchAll(longRun))
    if (count(found[0], fromNothing) >= 8) return { start: found.index, end: found.index + found[0].length }
  return null
}

const shortestEncoded = 1_000
const inBase64 = /^[A-Za-z0-9+/_-]+={0,2}$/
const inHex = /^(?:[0-9a-f]{2})+$/i
/** Pictures, fonts, sounds and documents, by how they begin. */
const picture =
  /^(\x89PNG|\xff\xd8\xff|GIF8|RIFF|<svg|<\?xml|%PDF|BM|II\*|MM\0\*|wOF[F2]|OTTO|\0\x01\0\0|OggS|ID3|\xff\xfb|fLaC|\0\0\x01\0|\x93NUMPY|PAR1|ARROW1)/
/** Compressed, pickled, marshalled or compiled; or plain code. */
const packed =
  /^(x[\x01\x5e\x9c\xda]|\x1f\x8b|BZh|\xfd7zXZ|\x5d\0\0|\x80[\x02-\x05]|\xe3\0|\x7fELF|MZ|PK\x03\x04|\0asm|#!\/|(?:import|from|exec|eval|def|const|var|function|require)\b)/
const decodes =
  /(b(?:16|32|64|85)decode|a85decode|decodebytes|unhexlify|a2b_\w+|fromhex|^atob|^Buffer(\.from)?|decompress|inflate\w*|gunzip\w*|codecs\.decode|unescape|\.decode|loads)$/

function encoded(text: Text, calls: readonly Call[]): Finding | null {
  const joined = text.text.replace(/\s+/g, '')
  // Blanks stand between words, numbers and columns; lines are broken at the same length.
  if (joined.length < shortestEncoded || /[^\S\n\r]/.test(text.text.trim()) || !isDense(joined)) return null
  const bytes = inHex.test(joined) ? decoders.hex(joined) : inBase64.test(joined) ? decoders.base64(joined) : null
  const decoded = calls.some(
    call =>
      decodes.test(call.name) &&
      [call.receiver, ...call.args].some(value => value?.kind === 'text' && value.text === text.text),
  )
  if (bytes === null)
    return decoded ? said(text, 'A long text is decoded, and cannot be read before that.', 'medium') : null
  if (picture.test(bytes)) return null
  if (decoded || packed.test(bytes))
    return said(text, 'A long encoded text hides what it holds: code, or data that code is made of.', 'medium')
  return said(text, 'A long encoded text cannot be read.', 'low')
}

/** Letters as evenly mixed as bytes are; a sequence of genes or a row of digits has few. */
function isDense(joined: string): boolean {
  const kinds = new Set(joined.slice(0, 2_000)).size
  return kinds >= (inHex.test(joined) ? 14 : 40)
}
