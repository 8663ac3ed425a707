import { z } from 'zod'
import { AuditAction, AuditFilter, AuditScope, auditActions, auditResults, Sha256 } from '../../../contract/audit.ts'
import { riskLevels, sandboxKinds } from '../../../contract/run.ts'
import { type Arguments, UsageError } from '../command.ts'

export const filterOptions = {
  from: { type: 'string' },
  to: { type: 'string' },
  user: { type: 'string', multiple: true },
  action: { type: 'string', multiple: true },
  risk: { type: 'string', multiple: true },
  result: { type: 'string', multiple: true },
  sandbox: { type: 'string', multiple: true },
  'code-hash': { type: 'string' },
  conversation: { type: 'string' },
  path: { type: 'string' },
  run: { type: 'string' },
  request: { type: 'string' },
  text: { type: 'string' },
} as const

export const filterHelp = `      --from, --to     a day (2026-07-01) or a moment (2026-07-01T08:00Z); a day given to --to is included
      --user           user id; may be given several times, like the next four
      --action         ${auditActions.slice(0, 4).join(', ')} …
      --risk           ${riskLevels.join(', ')}
      --result         ${auditResults.join(', ')}
      --sandbox        ${sandboxKinds.join(', ')}
      --code-hash      SHA-256 of the code
      --conversation, --path, --run, --request   by id
      --text           words, "exact phrases" and prefix* in details, code and output`

export function filterFrom({ values }: Arguments): AuditFilter {
  const one = (name: string) => (typeof values[name] === 'string' ? { [name]: values[name] } : {})
  const many = (name: string, plural: string) => (Array.isArray(values[name]) ? { [plural]: values[name] } : {})
  const time = (name: 'from' | 'to') =>
    typeof values[name] === 'string' ? { [name]: momentOf(values[name], name) } : {}
  const codeHash = values['code-hash']
  if (typeof codeHash === 'string' && !Sha256.safeParse(codeHash).success) {
    throw new UsageError('--code-hash is a SHA-256: 64 digits from 0 to f.')
  }
  const asked = {
    ...time('from'),
    ...time('to'),
    ...many('user', 'actors'),
    ...many('action', 'actions'),
    ...many('risk', 'risks'),
    ...many('result', 'results'),
    ...many('sandbox', 'sandboxes'),
    ...(typeof codeHash === 'string' && { codeHash }),
    ...one('conversation'),
    ...one('path'),
    ...one('run'),
    ...one('request'),
    ...one('text'),
  }
  for (const action of Array.isArray(values.action) ? values.action : []) {
    if (!AuditAction.safeParse(action).success) {
      throw new UsageError(`There is no action '${action}'. Actions: ${auditActions.join(', ')}.`)
    }
  }
  return parsed(AuditFilter, asked)
}

/** What a report or bundle is about; everything, when nothing is said. */
export function scopeFrom(args: Arguments): AuditScope {
  const { from, to, conversation, run } = args.values
  const given = [from !== undefined || to !== undefined, conversation !== undefined, run !== undefined].filter(Boolean)
  if (given.length > 1) throw new UsageError('Give a period, a conversation or a run, not several of them.')
  if (run !== undefined) return parsed(AuditScope, { kind: 'run', run })
  if (conversation !== undefined) return parsed(AuditScope, { kind: 'conversation', conversation })
  if (given.length === 0) return { kind: 'all' }
  const period = {
    from: typeof from === 'string' ? momentOf(from, 'from') : 0,
    to: typeof to === 'string' ? momentOf(to, 'to') : Date.now(),
  }
  if (period.from > period.to) throw new UsageError('The period ends before it begins.')
  return { kind: 'period', ...period }
}

function momentOf(text: string, end: 'from' | 'to'): number {
  const day = /^\d{4}-\d{2}-\d{2}$/.test(text)
  const at = Date.parse(text)
  if (!/^\d{4}-\d{2}-\d{2}/.test(text) || Number.isNaN(at))
    throw new UsageError(`'${text}' is neither a day nor a moment.`)
  return day && end === 'to' ? at + 86_399_999 : at
}

function parsed<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const issue = result.error.issues[0]
  throw new UsageError(`--${issue?.path.join('.') ?? ''}: ${z.prettifyError(result.error).split('\n')[0]}`)
}
