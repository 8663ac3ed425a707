import type { Impact, Target } from './inspection.ts'
import type { NetworkRequest } from './network.ts'
import type { ReportEffects } from './report.ts'
import type { FileChanges } from './run.ts'

interface Observed {
  readonly files: FileChanges
  readonly network: readonly Pick<NetworkRequest, 'host' | 'port' | 'protocol' | 'allowed'>[]
  /** Answers of granted tools that were too long for anything but a file, which we wrote. */
  readonly tools?: readonly { readonly file?: string | undefined }[]
}

/** Puts what the guard foresaw beside what was observed, and names what nobody could have known. */
export function compareEffects(impact: Impact | null, observed: Observed | null): ReportEffects {
  const foreseen = impact && [
    ...lines('reads', impact.filesRead),
    ...lines('writes', impact.filesWritten),
    ...lines('deletes', impact.filesDeleted),
    ...lines('reaches', impact.hosts),
    ...lines('starts', impact.commands),
    ...lines('changes', impact.dataModified),
    ...lines('calls', impact.unknownCalls ?? []),
  ]
  const seen = observed
    ? [
        ...observed.files.created.map(file => ['created', file] as const),
        ...observed.files.modified.map(file => ['modified', file] as const),
        ...observed.files.deleted.map(file => ['deleted', file] as const),
        ...connections(observed.network),
      ]
    : []
  const answers = new Set(observed?.tools?.flatMap(({ file }) => file ?? []))
  const isKnown = ([verb, what]: (typeof seen)[number]) =>
    (verb === 'created' && answers.has(what)) || isForeseen(impact, verb, what)
  const words = ([verb, what]: (typeof seen)[number]) => `${verb} ${what}`
  return {
    foreseen,
    observed: unique(seen.map(words)),
    unforeseen: unique(seen.filter(each => !isKnown(each)).map(words)),
    unknown: impact ? allTargets(impact).filter(each => each.target === null).length : 0,
  }
}

const lines = (verb: string, targets: readonly Target[]) =>
  targets.map(({ target, expression }) => `${verb} ${target ?? `${expression} (not known before the run)`}`)

/** What a cell is worth showing effects for: something outside of its memory would be, or was, changed or reached. */
export function hasEffects(impact: Impact | null, { observed }: Pick<ReportEffects, 'observed'>): boolean {
  const { filesWritten = [], filesDeleted = [], hosts = [], commands = [], dataModified = [] } = impact ?? {}
  return (
    observed.length > 0 || [filesWritten, filesDeleted, hosts, commands, dataModified].some(each => each.length > 0)
  )
}

type Verb = 'created' | 'modified' | 'deleted' | 'reached' | 'was denied'

/** Hosts that were reached, and those that were tried in vain. A name that was only looked up counts as tried. */
function connections(requests: Observed['network']): (readonly [Verb, string])[] {
  const known = new Set(requests.filter(each => each.protocol !== 'dns').map(each => each.host))
  return requests
    .filter(each => each.protocol !== 'dns' || !known.has(each.host))
    .map(({ host, port, protocol, allowed }) => {
      const isReached = allowed && protocol !== 'dns'
      return [isReached ? 'reached' : 'was denied', `${host}:${port}`] as const
    })
}

const unique = (all: readonly string[]): string[] => [...new Set(all)]

function isForeseen(impact: Impact | null, verb: Verb, what: string): boolean {
  if (!impact) return false
  const isHost = verb === 'reached' || verb === 'was denied'
  const targets = isHost ? impact.hosts : verb === 'deleted' ? impact.filesDeleted : impact.filesWritten
  const place = isHost ? what.replace(/:\d+$/, '') : plain(what)
  return targets.some(({ target }) => target !== null && covers(plain(target), place))
}

/** A target covers itself, what lies below it, and what its `*` stands for. */
function covers(target: string, place: string): boolean {
  if (target === place || place.startsWith(`${target.replace(/\/$/, '')}/`) || place.endsWith(`/${target}`)) return true
  const [first = '', ...parts] = target.split('*')
  const last = parts.pop()
  if (last === undefined || place.length < first.length + last.length) return false
  if (!place.startsWith(first) || !place.endsWith(last)) return false
  // Each part where it first fits. Code names both texts: a pattern that tries every other place could take for ever.
  const middle = place.slice(first.length, place.length - last.length)
  let at = 0
  for (const part of parts) {
    const found = middle.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return true
}

const plain = (path: string) => path.replace(/^\.\//, '').replace(/^https?:\/\//, '')

const allTargets = (impact: Impact): Target[] => [
  ...impact.filesRead,
  ...impact.filesWritten,
  ...impact.filesDeleted,
  ...impact.hosts,
  ...impact.commands,
  ...impact.dataModified,
  ...(impact.unknownCalls ?? []),
]
