import { type Effect, type EffectKind, type EffectOf, effectAt, type More } from '../effect.ts'
import { type Call, origin, type Value } from '../model.ts'
import { isMadeAgain, placeOf } from '../paths.ts'
import { fromSketch, join, sketch, startOf, text, textOf, unknown, wholeOf } from '../values.ts'
import { inputOf, isOwn, located } from './facts.ts'
import { has, readOptions, valuesOf } from './options.ts'

/** How commands name the files they touch: makers for the table in `effects.ts`. */

export const one = (kind: EffectKind, call: Call, target: Value, more?: More): Effect => {
  const path = located(call, target)
  return effectAt(kind, path, call, call, call.inLoop || /[*?]/.test(startOf(path)), more)
}

/** Standard streams and the empty file are nobody's data. */
export const isNothing = (target: Value): boolean =>
  /^(-|\/dev\/(null|stdin|stdout|stderr|tty|zero|u?random|fd\/\d+)|&\d)$/.test(startOf(target))

/** Commands that read the files they are given; `skip` operands come before the files: a pattern, a program. */
export const reads =
  (valued = '', skip = 0, giveUp: readonly string[] = []): EffectOf =>
  call => {
    const options = readOptions(call.args, valued)
    const first = has(options, ...giveUp) ? 0 : skip
    const effects: Effect[] = []
    for (const file of options.operands.slice(first))
      if (!isNothing(file) && !/^https?:/.test(startOf(file))) effects.push(one('read', call, file))
    return effects
  }

/** Files that are rewritten in place: `sed -i`, `perl -pi`. */
export const edits =
  (valued: string, skip: number): EffectOf =>
  call => {
    const options = readOptions(call.args, valued)
    const inPlace = has(options, 'i', 'in-place') || call.args.some(arg => /^-i|^-[a-zA-Z]*i($|\.)/.test(startOf(arg)))
    const given = valuesOf(options, 'e', 'expression', 'f', 'file').length > 0
    // `perl -i -ne '' file`: the code stands behind a bundle of switches.
    const bundled = call.args.some(arg => /^-[a-zA-Z]+[eE]$/.test(startOf(arg))) ? 1 : skip
    const effects: Effect[] = []
    for (const file of options.operands.slice(given ? 0 : bundled))
      if (!isNothing(file)) effects.push(one(inPlace ? 'write' : 'read', call, file))
    return effects
  }

export const writesAll =
  (valued = '', more?: More): EffectOf =>
  call =>
    readOptions(call.args, valued)
      .operands.filter(file => !isNothing(file))
      .map(file => one('write', call, file, more))

/** Source and target, or many sources and a folder. */
export const copies =
  (valued: string, removes: boolean): EffectOf =>
  call => {
    const options = readOptions(call.args, valued)
    const folder = valuesOf(options, 't', 'target-directory')[0]
    const sources = folder ? options.operands : options.operands.slice(0, -1)
    const target = folder ?? (options.operands.length > 1 ? options.operands.at(-1) : undefined)
    const effects: Effect[] = []
    for (const source of sources) {
      if (isNothing(source)) continue
      effects.push(one('read', call, source))
      // Moving inside the workspace loses nothing; moving away from the system or a home does.
      if (removes && !/^(workspace|temporary)$/.test(placeOf(startOf(located(call, source)))))
        effects.push(one('delete', call, source))
    }
    if (target && !isNothing(target)) {
      const name = /\/$|^\.$/.test(startOf(target)) && sources[0] ? join([target, '/', baseName(sources[0])]) : target
      effects.push(one('write', call, name))
    }
    return effects
  }

const baseName = (source: Value): Value => {
  const whole = wholeOf(source)
  return whole === null ? unknown : fromSketch(whole.replace(/^.*\//, ''))
}

export const deletes =
  (valued = '', recursiveBy: readonly string[] = ['r', 'R', 'recursive']): EffectOf =>
  call => {
    const options = readOptions(call.args, valued)
    return options.operands
      .filter(target => !isNothing(target))
      .map(target => deletion(call, target, has(options, ...recursiveBy)))
  }

const fromLists = origin.file | origin.download
/** Behind a part that is not known, `..` leads anywhere: `build/$1/../../reports`. */
const climbs = (path: string): boolean => /\u{fffc}.*\/\.\.(\/|$)/su.test(path)

function deletion(call: Call, target: Value, recursive: boolean): Effect {
  const own = isOwn(call, target)
  const path = located(call, target)
  const again = isMadeAgain(startOf(path)) && !climbs(sketch(path) ?? '')
  if (own || again) return one('delete', call, target, { harmless: true, many: false })
  // `xargs rm < list`: as many as the list has.
  const listed = target.kind === 'unknown' && inputOf(call) !== undefined && (target.origins & fromLists) !== 0
  return one('delete', call, target, { many: recursive || listed || call.inLoop || /[*?]/.test(sketch(path) ?? '') })
}

/** The one pattern that `find` looks for; null when it takes anything, or one of several. */
export function soughtName(args: readonly Value[]): string | null {
  if (args.some(arg => /^(-o|-or|!|-not|,)$/.test(startOf(arg)))) return null
  const at = args.findIndex(arg => /^-i?name$/.test(startOf(arg)))
  return at === -1 ? null : textOf(args[at + 1])
}

const criterion =
  /^-(i?(name|path|wholename|regex)|size|[acm](time|min)|newer\w*|user|group|uid|gid|perm|empty|inum|samefile|links|nouser|nogroup)$/

export const found: EffectOf = call => {
  const roots: Value[] = []
  for (const arg of call.args) {
    if (/^[-!(]/.test(startOf(arg))) break
    roots.push(arg)
  }
  if (roots.length === 0) roots.push(text('.'))
  const removes = call.args.some(arg => textOf(arg) === '-delete')
  const writes = call.args.findIndex(arg => /^-f(printf?|ls|print0)$/.test(startOf(arg)))
  const sought = soughtName(call.args)
  const empty = call.args.some(arg => textOf(arg) === '-empty')
  const effects = removes
    ? roots.map(root => {
        const path = join([root, '/', sought ?? '*'])
        const again = empty || (isMadeAgain(startOf(located(call, path))) && !climbs(sketch(path) ?? ''))
        return one('delete', call, path, again ? { harmless: true, many: false } : { many: true })
      })
    : []
  const written = writes === -1 ? undefined : call.args[writes + 1]
  if (written) effects.push(one('write', call, written))
  // Whoever knows what to look for asks where it is; whoever does not looks at everything.
  const seeks = call.args.some(arg => criterion.test(startOf(arg)))
  for (const root of roots) {
    const path = startOf(located(call, root))
    if (/^(secret|identity|startup)$/.test(placeOf(path)) || (!seeks && isElsewhere(path)))
      effects.push(one('read', call, root))
  }
  return effects
}

/** `dd if=a of=b`. */
export const converted: EffectOf = call =>
  call.args.flatMap(arg => {
    const word = startOf(arg)
    const target = (): Value =>
      arg.kind === 'text'
        ? text(word.slice(3), arg.origins)
        : join([word.slice(3), ...(arg.kind === 'joined' ? arg.parts.slice(1) : [unknown])])
    if (word.startsWith('if=') && !isNothing(target())) return [one('read', call, target())]
    if (word.startsWith('of=') && !isNothing(target())) return [one('write', call, target())]
    return []
  })

export const linked: EffectOf = call => {
  const options = readOptions(call.args, 't S')
  const [source, target] = options.operands
  if (source === undefined) return []
  const place = placeOf(startOf(located(call, source)))
  const plain =
    /^(workspace|temporary)$/.test(place) || /^\/(usr|opt|bin|sbin|lib\w*|srv)\//.test(startOf(located(call, source)))
  const effects = plain ? [] : [one('read', call, source)]
  if (target) effects.push(one('write', call, target, { harmless: !has(options, 'f', 'force') }))
  return effects
}

/** What goes into an archive; with a switch for that it is gone from where it was, and still in the archive. */
export const takenIn = (call: Call, file: Value, isMoved: boolean): Effect[] => [
  one('read', call, file),
  ...(isMoved ? [one('delete', call, file, { harmless: true })] : []),
]

export const archived: EffectOf = call => {
  const [mode, ...rest] = call.args
  const bundled =
    /^-?[a-zA-Z]*[cxtruA][a-zA-Z]*$/.test(startOf(mode)) && !startOf(mode).startsWith('--') ? startOf(mode) : ''
  const options = readOptions(
    bundled.startsWith('-') || bundled === '' ? call.args : [text(`-${bundled}`), ...rest],
    'f C X T I H b file directory exclude exclude-from',
  )
  const archive = valuesOf(options, 'f', 'file')[0]
  const creates = has(options, 'c', 'create', 'r', 'u')
  const folder = valuesOf(options, 'C', 'directory')[0]
  const effects: Effect[] = []
  if (archive && !isNothing(archive)) effects.push(one(creates ? 'write' : 'read', call, archive))
  if (creates) for (const file of options.operands) effects.push(...takenIn(call, file, has(options, 'remove-files')))
  else if (has(options, 'x', 'extract', 'get')) effects.push(one('write', call, folder ?? text('.')))
  return effects
}

/** A folder that belongs to the machine or to others; a home and a path that stands for one are nobody's secret. */
const isElsewhere = (path: string): boolean =>
  /^(secret|identity|startup|device|system)$/.test(placeOf(path)) ||
  (placeOf(path) === 'root' && !/^~/.test(path)) ||
  /^\/(home|Users|app|mnt|media|Volumes)(\/\*?)?$|^\/(home|Users)\/[^/]/.test(path)

export const listed: EffectOf = call => {
  const { operands } = readOptions(call.args)
  return (operands.length === 0 ? [text('.')] : operands)
    .filter(folder => isElsewhere(startOf(located(call, folder))))
    .map(folder => one('read', call, folder))
}

/** `echo /etc/*` lists a folder without any tool for it. */
export const spelled: EffectOf = call =>
  call.args
    .filter(
      arg => arg.kind === 'text' && arg.text[0] === '/' && /^\/[\w./-]*\*$/.test(arg.text) && isElsewhere(arg.text),
    )
    .map(arg => one('read', call, arg))

/**
 * `. lib.sh` runs a file: it is listed as a command, since nothing of what is in it can be. `. .env` in the folder at
 * hand is how a script gets its settings; the secrets of others are another matter.
 */
export const sourced: EffectOf = call => {
  const [file] = call.args
  if (file === undefined) return []
  const path = startOf(located(call, file))
  const shown = sketch(located(call, file), '…') ?? '…'
  const named = /[\p{L}\p{N}]/u.test(shown) ? text(`. ${shown}`) : unknown
  const effects = [effectAt('run', named, call, call, call.inLoop)]
  // The environment of a tool lies where the tool keeps its keys.
  if (/\/bin\/activate$/.test(path)) return effects
  if (placeOf(path) === 'secret' && !/^(\.\/)?([\w-]+\/)?\.env(\.[\w.-]+)?$/.test(path))
    effects.push(one('read', call, file))
  return effects
}
