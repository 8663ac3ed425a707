import type { Impact, Target } from '../../contract/inspection.ts'
import type { ReportEffects } from '../../contract/report.ts'
import type { FileChanges } from '../../contract/run.ts'

interface Observed {
  readonly files: FileChanges
  readonly network: readonly { readonly host: string; readonly port: number }[]
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
        ...observed.network.map(({ host, port }) => ['reached', `${host}:${port}`] as const),
      ]
    : []
  return {
    foreseen,
    observed: seen.map(([verb, what]) => `${verb} ${what}`),
    unforeseen: seen.filter(([verb, what]) => !isForeseen(impact, verb, what)).map(([verb, what]) => `${verb} ${what}`),
    unknown: impact ? allTargets(impact).filter(each => each.target === null).length : 0,
  }
}

const lines = (verb: string, targets: readonly Target[]) =>
  targets.map(({ target, expression }) => `${verb} ${target ?? `${expression} (not known before the run)`}`)

type Verb = 'created' | 'modified' | 'deleted' | 'reached'

function isForeseen(impact: Impact | null, verb: Verb, what: string): boolean {
  if (!impact) return false
  const targets = verb === 'reached' ? impact.hosts : verb === 'deleted' ? impact.filesDeleted : impact.filesWritten
  const place = verb === 'reached' ? what.replace(/:\d+$/, '') : plain(what)
  return targets.some(({ target }) => target !== null && covers(plain(target), place))
}

/** A target covers itself, what lies below it, and what its `*` stands for. */
function covers(target: string, place: string): boolean {
  if (target === place || place.startsWith(`${target.replace(/\/$/, '')}/`) || place.endsWith(`/${target}`)) return true
  if (!target.includes('*')) return false
  const parts = target.split('*').map(part => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`).test(place)
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
