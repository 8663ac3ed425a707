import type { Effect, EffectOf } from '../effect.ts'
import type { Call, Value } from '../model.ts'
import { placeOf } from '../paths.ts'
import { join, startOf, text, textOf, unknown } from '../values.ts'
import { located } from './facts.ts'
import { has, readOptions, valuesOf } from './options.ts'
import { archived, isNothing, one, reads } from './touching.ts'

/** Where tools put what they make: the switch or the operand that names it, which is not always the last word. */

const written = (call: Call, target: Value | undefined): Effect[] =>
  target === undefined || isNothing(target) ? [] : [one('write', call, target)]

/** Switches that name files to write, as `getopt` reads them. */
const outputs =
  (valued: string, ...names: readonly string[]): EffectOf =>
  call =>
    valuesOf(readOptions(call.args, `${valued} ${names.join(' ')}`), ...names).flatMap(file => written(call, file))

/** Long switches with one dash, as `openssl -out file` has them. */
const named =
  (...names: readonly string[]): EffectOf =>
  call =>
    call.args.flatMap((arg, at) => (names.includes(textOf(arg) ?? '') ? written(call, call.args[at + 1]) : []))

const both =
  (...all: readonly EffectOf[]): EffectOf =>
  call =>
    all.flatMap(effects => effects(call))

/** The last word is the file that is made from those before it. */
const last: EffectOf = call => {
  const target = call.args.at(-1)
  return call.args.length < 2 || startOf(target).startsWith('-') ? [] : written(call, target)
}

/** Makes one operand from another: `uniq in out`. */
const second =
  (valued: string): EffectOf =>
  call => {
    const [from, to] = readOptions(call.args, valued).operands
    return [...(from && !isNothing(from) ? [one('read', call, from)] : []), ...written(call, to)]
  }

/** Packs a file and takes it away: where only the system belongs that is a change, elsewhere it can be unpacked again. */
const packed =
  (valued = ''): EffectOf =>
  call => {
    const options = readOptions(call.args, valued)
    const keeps = has(options, 'c', 'stdout', 'to-stdout', 'k', 'keep', 'l', 'list', 't', 'test')
    return options.operands
      .filter(file => !isNothing(file))
      .flatMap(file => {
        const harmless = /^(workspace|temporary)$/.test(placeOf(startOf(located(call, file))))
        return [one('read', call, file), ...(keeps ? [] : [one('write', call, file, { harmless })])]
      })
  }

/** `unzip a.zip -d folder`: without a folder, the one at hand. */
const unzipped: EffectOf = call => {
  const options = readOptions(call.args, 'd P x')
  const [archive] = options.operands
  if (archive === undefined) return []
  const looks = has(options, 'l', 'p', 't', 'v', 'Z', 'z', 'c')
  return [one('read', call, archive), ...(looks ? [] : written(call, valuesOf(options, 'd')[0] ?? text('.')))]
}

/** `7z x a.7z -ofolder`, `unrar x a.rar folder/`: a verb first. */
const unpacked: EffectOf = call => {
  const [verb, ...rest] = call.args
  const [archive, ...files] = rest.filter(arg => !startOf(arg).startsWith('-'))
  if (archive === undefined) return []
  if (/^[ex]$/.test(startOf(verb))) {
    const folder = rest.find(arg => /^-o./.test(startOf(arg)))
    const named = folder ? text(startOf(folder).slice(2)) : files.find(file => startOf(file).endsWith('/'))
    return [one('read', call, archive), ...written(call, named ?? text('.'))]
  }
  if (!/^[audrmf]/.test(startOf(verb))) return [one('read', call, archive)]
  return [...written(call, archive), ...files.map(file => one('read', call, file))]
}

/** `cpio -i` unpacks what it is fed into the folder at hand or that of `-D`; `-p` copies into the folder it is given. */
const copiedIn: EffectOf = call => {
  const options = readOptions(call.args, 'D directory F file O I E R H')
  const folder = valuesOf(options, 'D', 'directory')[0] ?? text('.')
  if (has(options, 'i', 'extract') && !has(options, 't', 'list')) return written(call, folder)
  if (has(options, 'p', 'pass-through')) return written(call, options.operands[0])
  return valuesOf(options, 'O').flatMap(file => written(call, file))
}

/** `split big prefix` makes files that start with the prefix. */
const parted =
  (valued: string, prefixOf: (options: ReturnType<typeof readOptions>) => Value | undefined): EffectOf =>
  call => {
    const options = readOptions(call.args, valued)
    const [file] = options.operands
    const prefix = prefixOf(options) ?? text('x')
    return [
      ...(file && !isNothing(file) ? [one('read', call, file)] : []),
      one('write', call, join([prefix, '*']), { many: true }),
    ]
  }

const patched: EffectOf = call => {
  const options = readOptions(call.args, 'p d i o D F B Y z r V g directory input output strip')
  const [file, patch] = options.operands
  const given = [...valuesOf(options, 'i', 'input'), ...(patch ? [patch] : [])].map(each => one('read', call, each))
  const [output] = valuesOf(options, 'o', 'output')
  const folder = valuesOf(options, 'd', 'directory')[0] ?? text('.')
  const target = output ?? (file === undefined ? folder : startOf(folder) === '.' ? file : join([folder, '/', file]))
  return has(options, 'dry-run') ? given : [...given, ...written(call, target)]
}

const installed: EffectOf = call => {
  const options = readOptions(call.args, 'm o g t S mode owner group target-directory suffix')
  return options.operands.map(folder => one('write', call, folder, { harmless: true }))
}

/** Makes folders instead of copying anything. */
export const installs =
  (copies: EffectOf): EffectOf =>
  call =>
    has(readOptions(call.args, 'm o g t mode owner group target-directory'), 'd', 'directory')
      ? installed(call)
      : copies(call)

const magick = both(last, call => call.args.slice(0, -1).flatMap(arg => picture(call, arg)))
const picture = (call: Call, arg: Value): Effect[] =>
  /^[^-].*\.(png|jpe?g|gif|svg|webp|tiff?|pdf|bmp|heic)$/i.test(startOf(arg)) ? [one('read', call, arg)] : []

/** Tools whose targets are known and that are listed as commands all the same: files are only part of what they do. */
export const toolTargets: Readonly<Record<string, EffectOf>> = {
  unzip: unzipped,
  '7z': unpacked,
  '7za': unpacked,
  '7zr': unpacked,
  unrar: unpacked,
  rar: unpacked,
  ar: unpacked,
  bsdtar: archived,
  gtar: archived,
  cpio: copiedIn,
  // A new key in the folder at hand is what its name says, and nobody's secret yet.
  openssl: call =>
    named(
      '-out',
      '-keyout',
      '-writerand',
      '-CAserial',
    )(call).map(effect => (/^[/~.]/.test(startOf(effect.target)) ? effect : { ...effect, harmless: true })),
  keytool: named('-keystore', '-file'),
  ffmpeg: last,
  sox: last,
  convert: magick,
  magick,
  mogrify: call => call.args.flatMap(arg => picture(call, arg)).map(({ target }) => one('write', call, target)),
  patch: patched,
  objcopy: second('O I j R B'),
  pandoc: outputs('f t from to', 'o', 'output'),
  mysqldump: outputs('u p h P', 'r', 'result-file'),
  pg_dump: outputs('h p U d t n F', 'f', 'file'),
  pg_dumpall: outputs('h p U', 'f', 'file'),
  gunzip: packed('S'),
  unxz: packed('S T'),
  bunzip2: packed(),
  unzstd: packed('o T'),
  lz4: packed(),
  uncompress: packed(),
}

/** Tools that do nothing but read some files and write others. */
export const fileTargets: Readonly<Record<string, EffectOf>> = {
  gzip: packed('S'),
  bzip2: packed(),
  xz: packed('S T'),
  // It keeps what it packs unless it is told otherwise.
  zstd: call =>
    has(readOptions(call.args, 'o T'), 'rm') ? packed('o T')(call) : both(reads('o T'), outputs('T', 'o'))(call),
  sort: both(reads('k t o S T key field-separator output buffer-size'), outputs('k t S T', 'o', 'output')),
  shuf: both(reads('o n i output'), outputs('n i', 'o', 'output')),
  iconv: both(reads('f t o from-code to-code output'), outputs('f t from-code to-code', 'o', 'output')),
  uniq: second('f s w'),
  xxd: call => (has(readOptions(call.args, 'l s c g o'), 'r') ? second('l s c g o') : reads('l s c g o'))(call),
  split: parted('b l n a C t bytes lines number suffix-length additional-suffix filter', ({ operands }) => operands[1]),
  csplit: call =>
    // The patterns behind the file look like paths: `csplit book '/^Chapter/'`.
    parted('f n b k prefix', options => valuesOf(options, 'f', 'prefix')[0] ?? text('xx'))(call),
  mktemp: call =>
    readOptions(call.args, 'p tmpdir suffix')
      .operands.filter(file => !/^(workspace|temporary)$/.test(placeOf(startOf(located(call, file)))))
      .map(file => one('write', call, file ?? unknown, { harmless: true })),
}
