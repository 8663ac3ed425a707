import type { Impact, Target } from '../contract/inspection.ts'
import { lostFolder } from './bash/ledger.ts'
import type { Effect, EffectKind } from './effect.ts'
import { isAddress } from './effects/python-stores.ts'
import type { Program, Value } from './model.ts'
import { remembered } from './names.ts'
import { hostOf, normalise, type Place, placeOf } from './paths.ts'
import { shown, sketch, startOf, text, wholeOf } from './values.ts'

/** An effect with the line it was read from and the words of the program at that place. */
export interface Seen {
  readonly effect: Effect
  readonly line: number
  readonly expression: string
}

const field = {
  read: 'filesRead',
  write: 'filesWritten',
  delete: 'filesDeleted',
  connect: 'hosts',
  run: 'commands',
  modify: 'dataModified',
} as const satisfies Record<EffectKind, keyof Impact>

/** What is known of a program besides its effects. */
export interface Circumstances {
  readonly complete: boolean
  /** It takes rights or leaves something behind. */
  readonly outlives: boolean
  /** Calls into libraries of which no table knows anything. */
  readonly unknown: readonly Omit<Seen, 'effect'>[]
}

/** What the program would touch. Targets that cannot be resolved are listed as unknown, never dropped. */
export function assessImpact(seen: readonly Seen[], program: Program, circumstances: Circumstances): Impact {
  const { outlives, unknown } = circumstances
  const certain = circumstances.complete && unknown.length === 0
  const lists: Record<EffectKind, Map<string, Target>> = {
    read: new Map(),
    write: new Map(),
    delete: new Map(),
    connect: new Map(),
    run: new Map(),
    modify: new Map(),
  }
  for (const { effect, line, expression } of seen) {
    const target = isLost(effect) ? null : resolve(effect.kind, effect.target)
    const key = target ?? `?${expression}`
    const known = lists[effect.kind].get(key)
    if (known === undefined) lists[effect.kind].set(key, { target, expression, lines: [line] })
    else if (!known.lines.includes(line)) known.lines.push(line)
  }
  const of = (kind: EffectKind): Target[] => [...lists[kind].values()]
  return {
    [field.read]: of('read'),
    [field.write]: of('write'),
    [field.delete]: of('delete'),
    [field.connect]: of('connect'),
    [field.run]: of('run'),
    [field.modify]: of('modify'),
    ...(unknown.length === 0 ? {} : { unknownCalls: mentioned(unknown) }),
    volume: volume(seen, certain),
    reversible: reversible(seen, certain && !outlives),
    blastRadius: blastRadius(seen, outlives ? 'system' : certain ? 'contained' : 'unknown'),
    estimate: estimate(program, seen),
  } as Impact
}

function mentioned(calls: Circumstances['unknown']): Target[] {
  const found = new Map<string, Target>()
  for (const { expression, line } of calls) {
    const known = found.get(expression)
    if (known === undefined) found.set(expression, { target: null, expression, lines: [line] })
    else if (!known.lines.includes(line)) known.lines.push(line)
  }
  return [...found.values()].slice(0, mostMentioned)
}
/** Who calls a library calls it often; a reviewer needs to know which, not how often. */
const mostMentioned = 50

/** A path in a folder that is not known, as after `cd "$1"`: it may be anywhere. */
const isLost = ({ kind, target, call }: Effect): boolean =>
  (kind === 'read' || kind === 'write' || kind === 'delete') &&
  call?.named.has(lostFolder) === true &&
  !/^([/~]|[a-z]:)/i.test(startOf(target))

function resolve(kind: EffectKind, value: Value): string | null {
  const known = told(value)
  if (known === null) {
    // A host is known also when the path behind it is not.
    const start = kind === 'connect' ? sketch(value, ' ') : null
    const host = start === null ? null : hostOf(start)
    return host === null || host.includes(' ') ? null : host
  }
  if (kind === 'connect') return hostOf(known) ?? known
  return kind === 'run' || kind === 'modify' ? known : normalise(known)
}

const told = (value: Value): string | null => {
  const known = wholeOf(value)
  return known === null ? null : shown(known)
}

function volume(seen: readonly Seen[], certain: boolean): Impact['volume'] {
  const changing = seen.filter(({ effect }) => effect.kind !== 'read')
  const counted = changing.length > 0 ? changing : seen
  if (counted.length === 0) return certain ? 'none' : 'unknown'
  if (counted.some(({ effect }) => effect.many)) return 'many'
  if (!certain) return 'unknown'
  if (counted.some(({ effect }) => effect.kind === 'run')) return 'unknown'
  return counted.length === 1 ? 'single' : 'few'
}

function reversible(seen: readonly Seen[], certain: boolean): Impact['reversible'] {
  let unclear = !certain
  for (const { effect } of seen) {
    if (effect.harmless) {
      // A folder that a build makes again is gone all the same; only a program's own temporary file is nobody's loss.
      const path = effect.kind === 'delete' ? startOf(effect.target) : ''
      if (path !== '' && placeOf(path) !== 'temporary') unclear = true
      continue
    }
    if (effect.kind === 'delete' || effect.kind === 'modify') return 'no'
    if (effect.kind === 'connect' && effect.payload !== undefined) return 'no'
    // A request that was sent cannot be called back, even one that asks for something and brings nothing along.
    if (effect.kind === 'run' || effect.kind === 'write' || effect.kind === 'connect') unclear = true
  }
  return unclear ? 'unknown' : 'yes'
}

const reach: Record<Place, 'contained' | 'local' | 'system'> = {
  workspace: 'contained',
  temporary: 'contained',
  home: 'local',
  outside: 'local',
  secret: 'local',
  startup: 'system',
  identity: 'system',
  device: 'system',
  root: 'system',
  system: 'system',
}

function blastRadius(seen: readonly Seen[], least: 'contained' | 'unknown' | 'system'): Impact['blastRadius'] {
  let radius: Impact['blastRadius'] = least
  for (const { effect } of seen) {
    if (effect.kind === 'connect') return 'network'
    if (effect.kind === 'read') continue
    const path = effect.kind === 'run' || effect.kind === 'modify' || isLost(effect) ? null : told(effect.target)
    // `open('s3://bucket/x', 'w')`: a file somewhere else.
    if (path !== null && isAddress(text(path))) return 'network'
    const reached = path === null ? 'local' : reachOf(path)
    if (reached === 'system' || radius === 'contained' || (radius === 'unknown' && reached !== 'contained'))
      radius = reached
  }
  return radius
}

/** Folders such as `/data` are where some keep their data, and still not the folder of this path. */
function reachOf(path: string): 'contained' | 'local' | 'system' {
  const place = placeOf(path)
  if (place === 'secret') return /^\/(etc|proc|run|var|root)\//.test(normalise(path)) ? 'system' : 'local'
  return place === 'workspace' && /^(\/|[a-z]:\/)/i.test(normalise(path)) ? 'local' : reach[place]
}

const isHeavy = remembered(name => /\.(fit|fit_transform|train|GridSearchCV|cross_val_score)$/.test(name))

function estimate(program: Program, seen: readonly Seen[]): Impact['estimate'] {
  const endless = program.marks.some(mark => mark.kind === 'endless-loop' || mark.kind === 'fork-bomb')
  const waits = seen.some(({ effect }) => effect.kind === 'connect' || effect.kind === 'run')
  let [heavy, loops, large] = [false, false, false]
  for (const call of program.calls) {
    heavy ||= isHeavy(call.name)
    loops ||= call.inLoop
    for (const value of call.args) large ||= value.kind === 'number' && value.number >= 1e8
  }
  return {
    time: endless ? 'unbounded' : heavy ? 'minutes' : waits ? 'unknown' : loops ? 'seconds' : 'instant',
    memory: endless || large ? 'unknown' : heavy ? 'large' : 'small',
  }
}
