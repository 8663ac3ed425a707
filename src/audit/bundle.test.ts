import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { ZipFile } from 'yazl'
import { BadBundle, openBundle, verifyBundle } from '../../resources/verify.mjs'
import { openCatalogue, textsOf } from '../analyses/analyses.ts'
import type { AuditScope } from '../contract/audit.ts'
import { ConversationId, RunId } from '../contract/ids.ts'
import { ok } from '../contract/problem.ts'
import { resource } from '../places.ts'
import { passed } from '../privacy/testing.ts'
import { temporaryFolder } from '../storage/testing.ts'
import type { PassEgress } from './bundle.ts'
import { ana, renamed, temporaryAudit, tenant, writeMany } from './testing.ts'

const conversation = ConversationId.parse('01900000-0000-7000-8000-0000000000c0')

async function exported(scope: AuditScope, passEgress: PassEgress = async texts => ok(passed(texts))) {
  const record = await temporaryAudit()
  await writeMany(record.audit, 20)
  await record.audit.record({ ...renamed('mine'), conversation, bodies: { code: 'print("größer")', secret: 'PPSN 1' } })
  await record.audit.rotateKey(ana, 'yearly')
  await writeMany(record.audit, 20)
  await record.audit.record({ ...renamed('mine too'), conversation })
  const file = join(record.folder, 'bundle.zip')
  const manifest = await record.audit.exportBundle({ scope, file, passEgress, actor: ana })
  return { ...record, file, manifest }
}

/** A bundle of a record on which one analysis ran, with the texts that the catalogue has of it. */
async function exportedAnalysis(
  origin: 'catalogue' | 'own',
  passEgress: PassEgress = async texts => ok(passed(texts)),
) {
  const catalogue = openCatalogue(temporaryFolder())
  const found = await catalogue.get('ie-prsi')
  if (!found.ok) throw new Error(found.problem.message)
  const { sha256, definition } = found.value
  const record = await temporaryAudit(undefined, undefined, named => textsOf(catalogue, named))
  const analysis = {
    ...{ analysis: 'ie-prsi', version: definition.version, title: definition.title, origin, status: 'enacted', sha256 },
    ...{ untouched: true, as_of: null, count: 1, inputs_sha256: null, citations: [] },
    examples: { official: 2, other: 0, computed: 25 },
  }
  const about = { tenant, actor: ana, run: RunId.parse('01900000-0000-7000-8000-0000000000d1') }
  const details = { codeHash: '0'.repeat(64), risk: 'low', language: 'python', sandbox: 'local', success: true }
  await record.audit.record({ ...about, action: 'run.intended', details: { ...details, analysis } })
  await record.audit.record({ ...about, action: 'run.finished', details })
  const file = join(record.folder, 'bundle.zip')
  await record.audit.exportBundle({ scope: { kind: 'all' }, file, passEgress, actor: ana })
  return { file, sha256 }
}

/** The bundle as a folder, where a test can change what it wants. */
function unpacked(file: string): string {
  const folder = temporaryFolder()
  const bundle = openBundle(file)
  for (const name of bundle.names) {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), bundle.read(name) ?? '')
  }
  bundle.close()
  return folder
}

function checked(place: string) {
  const bundle = openBundle(place)
  try {
    return verifyBundle(bundle)
  } finally {
    bundle.close()
  }
}

function changed(folder: string, name: string, change: (text: string) => string) {
  writeFileSync(join(folder, name), change(readFileSync(join(folder, name), 'utf8')))
  return checked(folder)
}

const withoutLine = (number: number) => (text: string) => text.split('\n').toSpliced(number, 1).join('\n')
const kinds = (result: { findings: { kind: string; seq: number | null }[] }) =>
  result.findings.map(each => `${each.kind} ${each.seq}`)

describe('a bundle of the whole record', () => {
  it('is found intact by the script alone, in a process that knows nothing of the application', async () => {
    const { file } = await exported({ kind: 'all' })
    const folder = unpacked(file)
    const out = execFileSync(process.execPath, [join(folder, 'verify.mjs'), folder, '--json'], { encoding: 'utf8' })
    expect(JSON.parse(out)).toMatchObject({ ok: true, whole: true, entries: 45, bodies: 2, findings: [] })
    const zipped = execFileSync(process.execPath, [resource('verify.mjs'), file], { encoding: 'utf8' })
    expect(zipped).toContain('INTACT')
  })

  it('holds what an auditor needs, and the export stands on the record', async () => {
    const { file, audit } = await exported({ kind: 'all' })
    const { names } = openBundle(file)
    const wanted = ['README.txt', 'checkpoints.jsonl', 'entries/000000.jsonl', 'keys.json', 'manifest.json']
    expect(names).toEqual(expect.arrayContaining([...wanted, 'ocsf/000000.jsonl', 'report.html', 'verify.mjs']))
    const { items } = await audit.query({ filter: { actions: ['audit.exported'] } })
    expect(items).toHaveLength(1)
  })

  it('shows what was changed, removed, reordered or added, by name', async () => {
    const { file } = await exported({ kind: 'all' })
    const entries = 'entries/000000.jsonl'
    expect(kinds(changed(unpacked(file), entries, text => text.replace('title 4', 'title X')))).toContain('changed 5')
    expect(kinds(changed(unpacked(file), entries, withoutLine(5)))).toContain('removed 5')
    const swapped = (text: string) => {
      const lines = text.split('\n')
      return lines
        .with(5, lines[6] ?? '')
        .with(6, lines[5] ?? '')
        .join('\n')
    }
    expect(kinds(changed(unpacked(file), entries, swapped))).toEqual(
      expect.arrayContaining(['reordered 5', 'reordered 6']),
    )
    const folder = unpacked(file)
    writeFileSync(join(folder, 'extra.txt'), '')
    expect(checked(folder).findings).toMatchObject([{ kind: 'bundle', message: 'extra.txt was added to the bundle.' }])
    expect(changed(unpacked(file), 'report.html', () => 'all is well').findings).toMatchObject([{ kind: 'bundle' }])
    expect(changed(unpacked(file), 'manifest.json', text => text.replace('"whole": true', '"whole":  true')).ok).toBe(
      true,
    )
    const cut = changed(unpacked(file), entries, text => text.split('\n').slice(0, 30).join('\n'))
    expect(kinds(cut)).toContain('truncated 30')
  })

  it('knows a text that was changed', async () => {
    const { file } = await exported({ kind: 'all' })
    const body = openBundle(file).names.find(name => name.startsWith('bodies/')) ?? ''
    expect(kinds(changed(unpacked(file), body, text => `${text} `))).toContain('body 21')
  })

  it('holds the texts of each analysis that ran, which its hash on the record proves', async () => {
    const { file, sha256 } = await exportedAnalysis('catalogue')
    const folder = unpacked(file)
    const examples = `analyses/${sha256}/examples.yaml`
    expect(readFileSync(join(folder, examples), 'utf8')).toContain('377 euro a week')
    expect(readFileSync(join(folder, 'report.html'), 'utf8')).toContain('377 euro a week')
    expect(checked(file).findings).toEqual([])
    const messages = changed(folder, examples, text => text.replace('7.25', '7.26')).findings.map(each => each.message)
    expect(messages).toContain(`The texts of the analysis ${sha256} are not those that the record names.`)
  })

  it('shows texts of an analysis that no entry names', async () => {
    const { file, sha256 } = await exportedAnalysis('catalogue')
    const folder = unpacked(file)
    const other = sha256.replace(/^./, first => (first === '0' ? '1' : '0'))
    cpSync(join(folder, 'analyses', sha256), join(folder, 'analyses', other), { recursive: true })
    expect(checked(folder).findings.map(each => each.message)).toContain(`No entry names the analysis ${other}.`)
  })

  it('leaves a user’s own analysis out where the privacy policy would change a text of it', async () => {
    const { file, sha256 } = await exportedAnalysis('own', async texts => ok(passed(texts.map(() => 'changed'))))
    const bundle = openBundle(file)
    expect(bundle.names.filter(name => name.includes(sha256))).toEqual([])
    bundle.close()
    expect(checked(file).findings).toEqual([])
  })

  it('is refused when its first key is not the trusted one', async () => {
    const { file } = await exported({ kind: 'all' })
    const { firstKey } = checked(file)
    expect(verifyBundle(openBundle(file), { trust: firstKey }).ok).toBe(true)
    expect(verifyBundle(openBundle(file), { trust: 'f'.repeat(64) }).findings).toMatchObject([{ kind: 'key' }])
  })

  it('leaves out texts that the privacy policy would change, says so, and is intact', async () => {
    const { file, manifest } = await exported({ kind: 'all' }, async texts =>
      ok(passed(texts.map(text => text.replace('PPSN 1', '[PPSN_1]')))),
    )
    expect(manifest.withheld).toHaveLength(1)
    expect(checked(file)).toMatchObject({
      ok: true,
      notices: expect.arrayContaining([expect.stringContaining('left out')]),
    })
    expect(openBundle(file).names.filter(name => name.startsWith('bodies/'))).toHaveLength(1)
  })
})

describe('a bundle of chosen entries', () => {
  it('proves each by its own path to the signed root', async () => {
    const { file } = await exported({ kind: 'conversation', conversation })
    expect(checked(file)).toMatchObject({ ok: true, whole: false, entries: 4 })
  })

  it('shows an entry that was changed or left out', async () => {
    const { file } = await exported({ kind: 'conversation', conversation })
    const entries = 'entries/000000.jsonl'
    expect(kinds(changed(unpacked(file), entries, text => text.replace('mine too', 'not mine')))).toContain(
      'changed 43',
    )
    expect(kinds(changed(unpacked(file), entries, withoutLine(3)))).toContain('removed null')
    expect(kinds(changed(unpacked(file), 'proofs/000000.jsonl', withoutLine(3)))).toContain('changed 43')
  })
})

describe('a hostile bundle', () => {
  async function zipOf(files: Record<string, string | Buffer>, edit: (bytes: Buffer) => Buffer = bytes => bytes) {
    const zip = new ZipFile()
    for (const [name, content] of Object.entries(files)) zip.addBuffer(Buffer.from(content), name)
    zip.end()
    const bytes = await buffer(zip.outputStream)
    const file = join(temporaryFolder(), 'hostile.zip')
    writeFileSync(file, edit(bytes))
    return file
  }
  const renamedTo = (from: string, to: string) => (bytes: Buffer) =>
    Buffer.from(bytes.toString('latin1').replaceAll(from, to), 'latin1')

  it.each(['../evil.txt', '/etc/passwd', 'a/../../b.x', 'C:\\evil.txt', 'a//b/c.txtx', './a/b.txtx', 'a\0b.txtxxx'])(
    'with a file named %j is not read',
    async name => {
      const plain = 'x'.repeat(name.length)
      const file = await zipOf({ [plain]: 'boo' }, renamedTo(plain, name))
      expect(() => openBundle(file)).toThrow(/unsafe name/)
    },
  )

  it('that is a zip bomb is not unpacked', async () => {
    const lying = (bytes: Buffer) => {
      const at = bytes.indexOf(Buffer.from('504b0102', 'hex'))
      bytes.writeUInt32LE(0x3fffffff, at + 24)
      return bytes
    }
    const file = await zipOf({ 'manifest.json': 'x'.repeat(100) }, lying)
    expect(() => openBundle(file)).toThrow(/zip bomb/)
  })

  it('that unpacks to more than it says is stopped there', async () => {
    const lying = (bytes: Buffer) => {
      const at = bytes.indexOf(Buffer.from('504b0102', 'hex'))
      bytes.writeUInt32LE(10, at + 24)
      return bytes
    }
    const file = await zipOf({ 'manifest.json': 'x'.repeat(1_000_000) }, lying)
    expect(() => checked(file)).toThrow(/does not unpack/)
  })

  it.each([
    ['is no zip', Buffer.from('hello'.repeat(100))],
    ['is empty', Buffer.alloc(0)],
    ['ends in the middle', Buffer.from('504b0506000000000100010040000000ffffff000000', 'hex')],
  ])('that %s gets a sentence, not a stack', async (_, bytes) => {
    const file = join(temporaryFolder(), 'bad.zip')
    writeFileSync(file, bytes)
    expect(() => openBundle(file)).toThrow(BadBundle)
    const { status, stderr } = spawnSync(process.execPath, [resource('verify.mjs'), file], { encoding: 'utf8' })
    expect(status).toBe(1)
    expect(stderr).not.toContain('    at ')
  })

  it('without a manifest is not called damaged but no bundle', async () => {
    const file = await zipOf({ 'something.txt': 'x' })
    expect(() => checked(file)).toThrow(/not a Countersign audit bundle/)
  })
})

describe('the application and the checker that travels in the bundle', () => {
  it('both find a decision that its reviewer did not sign', async () => {
    const record = await temporaryAudit()
    const details = { format: 'countersign.decision.1', verdict: 'approve', comment: 'fine', signature: 'AAAA' }
    await record.audit.record({ ...renamed(''), action: 'approval.decided', details })
    const file = join(record.folder, 'bundle.zip')
    const passEgress: PassEgress = async texts => ok(passed(texts))
    const { findings } = await record.audit.verify()
    expect(findings).toMatchObject([{ kind: 'changed', seq: 1, message: expect.stringContaining('signature') }])
    await record.audit.exportBundle({ scope: { kind: 'all' }, file, passEgress, actor: ana })
    expect(kinds(checked(file))).toEqual(['changed 1', 'bundle null'])
  })

  it('both say that there is no checkpoint', async () => {
    const { file } = await exported({ kind: 'all' })
    expect(kinds(changed(unpacked(file), 'checkpoints.jsonl', () => ''))).toContain('checkpoint 0')
  })

  it('both tell of damage that only the key store shows', async () => {
    const record = await temporaryAudit()
    await writeMany(record.audit, 5)
    await record.audit.checkpoint()
    await record.storage.write(async t => {
      await sql`drop trigger audit_entries_update`.execute(t)
      await sql`update audit_entries set seal = zeroblob(32) where seq = 3`.execute(t)
    })
    const file = join(record.folder, 'bundle.zip')
    const passEgress: PassEgress = async texts => ok(passed(texts))
    const manifest = await record.audit.exportBundle({ scope: { kind: 'all' }, file, passEgress, actor: ana })
    expect(manifest.damage).toEqual([expect.stringContaining('Entry 3 was not written by this application')])
    expect(checked(file)).toMatchObject({ ok: false, findings: [{ kind: 'bundle' }] })
  })
})
