import { existsSync, readFileSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { BadBundle, openBundle, summaryOf, verifyBundle } from '../../../../resources/verify.mjs'
import { exportsThrough, readCheckpoints, verifyStorage } from '../../../audit/audit.ts'
import type { AuditItem, Checkpoint } from '../../../contract/audit.ts'
import { Failure, problemOf } from '../../../contract/problem.ts'
import { type Reading, readRecord } from '../../../reading.ts'
import { type Arguments, type Command, exit, type Io, UsageError } from '../command.ts'
import { withEngine } from '../open.ts'
import { type OpenRecord, withRecord } from '../record.ts'
import { filterFrom, filterHelp, filterOptions, scopeFrom } from './audit-arguments.ts'

export const command: Command = {
  help: `
Usage: countersign audit verify [FILE] [--against FILE] [--trust FINGERPRINT] [--json]
       countersign audit query [filters] [--limit N] [--json]
       countersign audit show SEQ [--json]
       countersign audit export FILE.zip [--from … --to … | --conversation ID | --run ID] [--json]
       countersign audit checkpoint [--json]
       countersign audit rotate-key --reason TEXT
       countersign audit prune [--days N] [--json]

verify      checks the record of COUNTERSIGN_HOME, or a bundle (zip or unpacked folder), and names what is wrong
query       newest first; a page of 50 unless --limit says otherwise
export      writes a bundle that anyone can check with the script inside it
checkpoint  signs the record as it is now and prints the signature: keep it elsewhere, and verify --against it later
prune       empties entries older than the retention setting (or --days) and leaves a signed tombstone

Options:
${filterHelp}
      --limit          entries shown (50)
      --after          AT:SEQ, where the last page ended
      --against        a file with checkpoints that were kept elsewhere
      --trust          fingerprint that the first key of a bundle must have
      --json           one JSON document on standard output

Exit: 0 intact or done, 1 damage was found, 2 wrong use.

Examples:
  countersign audit verify
  countersign audit query --risk high --risk critical --from 2026-07-01 --json
  countersign audit export q3.zip --from 2026-07-01 --to 2026-09-30
  node verify.mjs q3.zip`,
  options: {
    ...filterOptions,
    limit: { type: 'string' },
    after: { type: 'string' },
    against: { type: 'string' },
    trust: { type: 'string' },
    days: { type: 'string' },
    reason: { type: 'string' },
    json: { type: 'boolean' },
  },
  async run(args, io) {
    const [name, ...rest] = args.positionals
    const action = name !== undefined && Object.hasOwn(actions, name) ? actions[name] : undefined
    if (!action) throw new UsageError(`Say what to do: ${Object.keys(actions).join(', ')}.`)
    return action({ ...args, positionals: rest }, io)
  },
}

const actions: Record<string, (args: Arguments, io: Io) => Promise<number>> = {
  verify,
  query,
  show,
  export: exportBundle,
  checkpoint,
  'rotate-key': rotateKey,
  prune,
}

async function verify(args: Arguments, io: Io): Promise<number> {
  const against = keptCheckpoints(args, io)
  const [file] = args.positionals
  if (file !== undefined) return verifyFile(placeOf(file, io), args, against, io)
  return withRecord(io, async ({ home, storage, keys, audit, caller }) => {
    const onProgress = progress(io, 'verified')
    const options = { against, onProgress, signal: io.signal }
    const result = await (audit instanceof Failure
      ? verifyStorage({ storage, keys, folder: home }, options)
      : audit.verify({ ...options, actor: caller.user }))
    if (audit instanceof Failure) io.stderr.write(`note: this check is not on the record. ${audit.problem.message}\n`)
    answer(io, args, result, summaryOf(result))
    return result.ok ? exit.success : exit.failed
  })
}

function verifyFile(file: string, args: Arguments, against: Checkpoint[], io: Io): number {
  if (!existsSync(file)) throw new UsageError(`There is no file ${file}.`)
  try {
    const bundle = openBundle(file)
    try {
      const trust = typeof args.values.trust === 'string' ? args.values.trust : null
      const result = verifyBundle(bundle, { trust, against })
      answer(io, args, result, summaryOf(result))
      return result.ok ? exit.success : exit.failed
    } finally {
      bundle.close()
    }
  } catch (error) {
    if (!(error instanceof BadBundle)) throw error
    const finding = { kind: 'bundle', message: error.message, seq: null, last: null }
    answer(io, args, { ok: false, findings: [finding] }, `DAMAGED: ${error.message}`)
    return exit.failed
  }
}

async function query(args: Arguments, io: Io): Promise<number> {
  const filter = filterFrom(args)
  const limit = wholeNumber(args, 'limit', 50, 500)
  const [, at, seq] = /^(\d+):(\d+)$/.exec(String(args.values.after ?? '')) ?? []
  if (args.values.after !== undefined && at === undefined)
    throw new UsageError('--after is AT:SEQ, as the last page said.')
  const after = at === undefined ? {} : { after: { at: Number(at), seq: Number(seq) } }
  return withRecord(io, async record => {
    const page = await reading(record).query({ filter, limit, ...after })
    const next = page.next ? `\nmore: --after ${page.next.at}:${page.next.seq}` : ''
    const lines = page.items.map(lineOf).join('\n')
    answer(io, args, page, page.items.length === 0 ? 'Nothing on the record matches.' : `${lines}${next}`)
    return exit.success
  })
}

async function show(args: Arguments, io: Io): Promise<number> {
  const seq = Number(args.positionals[0])
  if (!Number.isInteger(seq) || seq < 0) throw new UsageError('Say which entry: countersign audit show 42.')
  return withRecord(io, async record => {
    const detail = await reading(record).entry(seq)
    if (!detail.ok) throw new Failure(detail.problem.code, detail.problem.message, detail.problem.hint)
    const { item, bodies } = detail.value
    const texts = Object.entries(bodies).map(([name, text]) => `\n--- ${name}\n${text ?? '(not kept)'}`)
    answer(
      io,
      args,
      detail.value,
      `${lineOf(item)}\n${JSON.stringify(item.entry, null, 2)}\nhash ${item.hash}${texts.join('')}`,
    )
    return exit.success
  })
}

async function exportBundle(args: Arguments, io: Io): Promise<number> {
  const [file] = args.positionals
  if (file === undefined) throw new UsageError('Say where the bundle goes: countersign audit export FILE.zip.')
  const scope = scopeFrom(args)
  return withEngine(io, async ({ audit, privacy, caller }) => {
    const target = placeOf(file, io)
    const passEgress = exportsThrough(privacy.egress, target)
    const onProgress = progress(io, 'exported')
    const request = { scope, file: target, passEgress, actor: caller.user, signal: io.signal, onProgress }
    const manifest = await audit.exportBundle(request)
    const { entries, withheld } = manifest
    answer(
      io,
      args,
      { file: target, ...manifest },
      `${target}: ${entries.count} entries, ${withheld.length} texts withheld`,
    )
    return exit.success
  })
}

async function checkpoint(args: Arguments, io: Io): Promise<number> {
  return withRecord(io, async record => {
    const made = await writable(record).checkpoint()
    io.stdout.write(`${JSON.stringify(made)}\n`)
    if (args.values.json !== true)
      io.stderr.write('Keep this line elsewhere: audit verify --against FILE holds the record to it.\n')
    return exit.success
  })
}

async function rotateKey(args: Arguments, io: Io): Promise<number> {
  const { reason } = args.values
  if (typeof reason !== 'string' || reason.trim() === '') throw new UsageError('Say why: --reason TEXT.')
  return withRecord(io, async record => {
    // Loaded here alone: no other of these commands writes words of a person on the record.
    const { redactText, scanText, TokenBook } = await import('../../../privacy/privacy.ts')
    const why = redactText(reason, scanText(reason), new TokenBook())
    await writable(record).rotateKey(record.caller.user, why)
    answer(io, args, { ok: true }, 'The record has a new key; the old one endorsed it and can sign no more.')
    return exit.success
  })
}

async function prune(args: Arguments, io: Io): Promise<number> {
  return withEngine(io, async ({ audit, caller, settings }) => {
    const days = wholeNumber(args, 'days', settings.current.audit.retentionDays, 36_500)
    const before = Date.now() - days * 86_400_000
    const onProgress = progress(io, 'emptied')
    const request = { before, actor: caller.user, reason: `older than ${days} days`, signal: io.signal, onProgress }
    const result = await audit.prune(request)
    answer(io, args, result, `${result.entries} entries emptied, ${result.bodies} texts removed`)
    return exit.success
  })
}

/** Who looked at the record stands on it, whichever door they came through. */
function reading(record: OpenRecord): Reading {
  const { caller } = record
  const read = readRecord({ audit: writable(record), tenant: caller.tenant }, caller)
  if (!read.ok) throw new Failure(read.problem.code, read.problem.message, read.problem.hint)
  return read.value
}

function writable({ audit }: OpenRecord) {
  if (audit instanceof Failure) throw audit
  return audit
}

function answer(io: Io, args: Arguments, value: unknown, words: string): void {
  io.stdout.write(args.values.json === true ? `${JSON.stringify(value)}\n` : `${words}\n`)
}

function lineOf({ entry, runState }: AuditItem): string {
  const details = typeof entry.details === 'object' && !Array.isArray(entry.details) ? (entry.details ?? {}) : {}
  const { error } = details
  const isSyntax = typeof error === 'object' && error !== null && 'kind' in error && error.kind === 'syntax'
  const failed = details.success === false ? 'failed' : null
  const ended = isSyntax || details.code === 'run.syntax' ? 'syntax error' : failed
  const words = [details.risk, details.sandbox, runState, ended]
  const facts = words.filter(word => typeof word === 'string').join(' ')
  return `${String(entry.seq).padStart(7)}  ${new Date(entry.at).toISOString()}  ${entry.action.padEnd(22)} ${(entry.actor ?? 'countersign').padEnd(36)}  ${facts}`
}

function progress(io: Io, verb: string): (done: number, total: number) => void {
  let last = 0
  return (done, total) => {
    if (io.stderr.isTTY !== true || total < 50_000 || done - last < total / 50) return
    last = done
    io.stderr.write(`\r${verb} ${Math.round((done / total) * 100)} %${done >= total ? '\n' : ''}`)
  }
}

function keptCheckpoints(args: Arguments, io: Io): Checkpoint[] {
  const { against } = args.values
  if (typeof against !== 'string') return []
  try {
    return readCheckpoints(readFileSync(placeOf(against, io), 'utf8'))
  } catch (error) {
    throw new UsageError(`--against: ${problemOf(error).message}`)
  }
}

function wholeNumber(args: Arguments, name: string, otherwise: number, most: number): number {
  const given = args.values[name]
  if (given === undefined) return otherwise
  const value = Number(given)
  if (!Number.isInteger(value) || value < 1 || value > most)
    throw new UsageError(`--${name} is a number from 1 to ${most}.`)
  return value
}

const placeOf = (file: string, io: Io) => (isAbsolute(file) ? file : join(io.cwd, file))
