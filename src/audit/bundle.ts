import { createHash } from 'node:crypto'
import { createWriteStream, readFileSync, renameSync, rmSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { ZipFile } from 'yazl'
import { bundleStatement, canonical, nothingBefore } from '../../resources/verify.mjs'
import type { Clock } from '../clock.ts'
import { AuditEntry, type AuditScope, type BundleManifest, type Checkpoint } from '../contract/audit.ts'
import { Failure, type Outcome } from '../contract/problem.ts'
import { resource } from '../places.ts'
import type { Passed } from '../privacy/privacy.ts'
import { storageFailure } from '../storage/failure.ts'
import type { Storage } from '../storage/storage.ts'
import { readBody } from './bodies.ts'
import { allCheckpoints } from './checkpoints.ts'
import type { Signer } from './keys.ts'
import { ocsfEvent } from './ocsf.ts'
import { parseEntry } from './query.ts'
import { chainUpTo, selectedSeqs } from './scope.ts'
import { StoredTree } from './tree.ts'

/** Texts on their way out. What comes back may be sent; one that comes back changed held something private. */
export type PassEgress = (texts: readonly string[]) => Promise<Outcome<Passed<readonly string[]>>>

export interface BundleRequest {
  readonly scope: AuditScope
  /** Where the zip is written; it appears there whole or not at all. */
  readonly file: string
  /** Goes into the bundle as `report.html`. */
  readonly report: string
  /** What was wrong with the record at that moment. */
  readonly damage: readonly string[]
  /** The files of each analysis that ran, by the hash that the record names. */
  readonly analyses: ReadonlyMap<string, Readonly<Record<string, string>>>
  readonly passEgress: PassEgress
  readonly signal?: AbortSignal
  readonly onProgress?: (done: number, total: number) => void
}

/** Entries in one file of the bundle. */
const chunk = 20_000

interface Row {
  readonly seq: number
  readonly hash: string
  readonly entry: string | null
}

export async function writeBundle(
  { storage, signer, clock }: { storage: Storage; signer: Signer; clock: Clock },
  checkpoint: Checkpoint,
  { scope, file, report, damage, analyses, passEgress, signal, onProgress }: BundleRequest,
): Promise<BundleManifest> {
  const whole = scope.kind === 'all'
  const seqs = whole ? null : await selectedSeqs(storage, scope, checkpoint.size)
  const total = seqs?.length ?? checkpoint.size
  const zip = new ZipFile()
  const written = pipeline(zip.outputStream, createWriteStream(`${file}.part`, { mode: 0o600, flush: true }))
  // Whoever waits for the stream comes later; until then a full disk must not end the process.
  written.catch(() => undefined)
  const files: Record<string, string> = {}
  const add = (name: string, content: string | Buffer) => {
    const bytes = Buffer.from(content)
    files[name] = createHash('sha256').update(bytes).digest('hex')
    zip.addBuffer(bytes, name, { mtime: new Date(clock.now()), mode: 0o100644 })
  }

  try {
    const tree = new StoredTree(storage.read)
    const bodies = new Set<string>()
    for (let at = 0, part = 0; at < total; at += chunk, part++) {
      const rows = await rowsOf(storage, seqs?.slice(at, at + chunk) ?? [at, Math.min(total, at + chunk)], whole)
      const name = `${String(part).padStart(6, '0')}.jsonl`
      add(`entries/${name}`, linesOf(rows.map(lineOf)))
      add(`ocsf/${name}`, linesOf(rows.flatMap(eventOf)))
      if (!whole) add(`proofs/${name}`, linesOf(await proofsOf(tree, rows, checkpoint)))
      for (const row of rows) for (const hash of bodiesOf(row)) bodies.add(hash)
      onProgress?.(Math.min(total, at + chunk), total)
      if (signal?.aborted) throw new Failure('request.cancelled', 'The export was stopped.', 'Nothing was left behind.')
    }
    const withheld: string[] = []
    for await (const { hash, text, safe } of passedBodies(storage, [...bodies], passEgress)) {
      if (safe) add(`bodies/${hash.slice(0, 2)}/${hash}.txt`, text)
      else withheld.push(hash)
    }
    const kept = whole ? (await allCheckpoints(storage)).filter(each => each.size <= checkpoint.size) : [checkpoint]
    add('checkpoints.jsonl', linesOf(kept))
    add('keys.json', JSON.stringify(await keysOf(storage, checkpoint.size), null, 2))
    for (const [hash, texts] of analyses) {
      for (const [name, text] of Object.entries(texts)) add(`analyses/${hash}/${name}`, text)
    }
    add('report.html', report)
    add('verify.mjs', readFileSync(resource('verify.mjs')))
    add('README.txt', readme(signer))
    const manifest = signed(signer, {
      format: 1,
      log: signer.log,
      at: clock.now(),
      key: signer.key,
      scope,
      whole,
      entries: { count: total, first: seqs?.[0] ?? 0, last: seqs?.at(-1) ?? checkpoint.size - 1 },
      checkpoint,
      ...(damage.length > 0 ? { damage: damage.slice(0, 100) } : {}),
      withheld,
      files,
    })
    zip.addBuffer(Buffer.from(JSON.stringify(manifest, null, 1)), 'manifest.json')
    zip.end()
    await written
    renameSync(`${file}.part`, file)
    return manifest
  } catch (error) {
    zip.end()
    await written.catch(() => undefined)
    rmSync(`${file}.part`, { force: true })
    throw storageFailure(error, file)
  }
}

/** Texts that are there, a few at a time. One that the guard would change cannot go: its hash would not fit any more. */
async function* passedBodies(storage: Storage, hashes: readonly string[], passEgress: PassEgress) {
  for (let at = 0; at < hashes.length; at += 200) {
    const texts: { hash: string; text: string }[] = []
    for (const hash of hashes.slice(at, at + 200)) {
      const text = await readBody(storage, hash)
      if (text !== null) texts.push({ hash, text })
    }
    const passed = await passEgress(texts.map(each => each.text))
    for (const [place, each] of texts.entries()) {
      yield { ...each, safe: passed.ok && passed.value.value[place] === each.text }
    }
  }
}

/** With the hash of the entry before, which the proof of a single entry needs. */
async function rowsOf(
  storage: Storage,
  seqs: readonly number[],
  range: boolean,
): Promise<(Row & { previous: string })[]> {
  const first = seqs[0] ?? 0
  const last = range ? (seqs[1] ?? 0) - 1 : (seqs.at(-1) ?? 0)
  const wanted = range ? null : new Set(seqs)
  const rows: (Row & { previous: string })[] = []
  let before: Row | undefined
  for (let from = first - 1; from <= last; from += 5000) {
    const page = await storage.read
      .selectFrom('audit_entries')
      .select(['seq', 'hash', 'entry'])
      .where('seq', '>=', from)
      .where('seq', '<', Math.min(from + 5000, last + 1))
      .orderBy('seq')
      .execute()
    for (const row of page) {
      const asked = row.seq >= first && (wanted === null || (wanted.has(row.seq) && row.entry !== null))
      if (asked) rows.push({ ...row, previous: before?.hash ?? nothingBefore })
      before = row
    }
  }
  return rows
}

function lineOf({ seq, hash, previous, entry }: Row & { previous: string }): string {
  // The canonical text is put in as it is: it is JSON already.
  return entry === null ? JSON.stringify({ hash, seq }) : `{"entry":${entry},"hash":"${hash}","previous":"${previous}"}`
}

const parsed = ({ entry }: Row) => (entry === null ? null : AuditEntry.safeParse(JSON.parse(entry)).data)

function eventOf(row: Row): string[] {
  const entry = parsed(row)
  return entry ? [JSON.stringify(ocsfEvent(entry, row.hash))] : []
}

const bodiesOf = (row: Row): string[] => Object.values(parsed(row)?.bodies ?? {})

async function proofsOf(tree: StoredTree, rows: readonly Row[], checkpoint: Checkpoint): Promise<object[]> {
  const proofs: object[] = []
  for (const { seq } of rows) proofs.push({ seq, path: await tree.path(seq, checkpoint.size) })
  return proofs
}

async function keysOf(storage: Storage, end: number): Promise<unknown[]> {
  const keys: unknown[] = []
  for await (const rows of chainUpTo(storage, end)) {
    for (const { entry: text } of rows) {
      const entry = text?.startsWith('{"action":"key.') ? parseEntry(text) : null
      if (entry) keys.push({ seq: entry.seq, at: entry.at, details: entry.details })
    }
  }
  return keys
}

const linesOf = (lines: readonly (string | object)[]) =>
  lines.map(line => `${typeof line === 'string' ? line : canonical(line)}\n`).join('')

function signed(signer: Signer, statement: Omit<BundleManifest, 'signature'>): BundleManifest {
  return { ...statement, signature: signer.sign(bundleStatement(statement)) }
}

const readme = (signer: Signer) => `Countersign audit bundle

Check it with Node.js 18 or newer, offline and without Countersign:

    node verify.mjs .            (in the unpacked folder)
    node verify.mjs BUNDLE.zip

manifest.json      what the bundle holds, with the hash of every file, signed
entries/           the record, one entry a line
proofs/            for a selection: inclusion proofs (RFC 9162) up to the signed root
checkpoints.jsonl  signed statements about the record at a moment
keys.json          public keys and how each endorses the next
bodies/            code and output, named by their SHA-256
analyses/          definition, dated values, code and worked examples of each analysis that ran, under the SHA-256
                   that the entries name
ocsf/              the same entries as OCSF events
report.html        the report, for reading and printing
verify.mjs         the checker; its first lines say by which rules

Signing key ${signer.key}
Take verify.mjs from a copy that you trust if you do not trust whoever handed you this bundle.
`
