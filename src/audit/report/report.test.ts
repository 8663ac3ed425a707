import { spawnSync } from 'node:child_process'
import { generateKeyPairSync, sign } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { canonical } from '../../../resources/verify.mjs'
import type { AuditAction, AuditScope } from '../../contract/audit.ts'
import { compareEffects, hasEffects } from '../../contract/effects.ts'
import { ConversationId, RequestId, RunId } from '../../contract/ids.ts'
import { fail } from '../../contract/problem.ts'
import { Report } from '../../contract/report.ts'
import { temporaryFolder } from '../../storage/testing.ts'
import type { Audit, AuditEvent } from '../audit.ts'
import { ana, bea, temporaryAudit, tenant } from '../testing.ts'
import { chromiumPrinter } from './print.ts'

const run = RunId.parse('01900000-0000-7000-8000-0000000000a1')
const request = RequestId.parse('01900000-0000-7000-8000-0000000000b1')
const conversation = ConversationId.parse('01900000-0000-7000-8000-0000000000c1')
const hostile = '<script>alert(1)</script>"\'&\u202e'
const codeHash = 'c'.repeat(64)
const impact = {
  filesRead: [],
  filesWritten: [{ target: 'out/*.csv', expression: 'name', lines: [1] }],
  filesDeleted: [{ target: null, expression: 'folder', lines: [2] }],
  hosts: [],
  commands: [],
  dataModified: [],
  volume: 'few' as const,
  reversible: 'no' as const,
  blastRadius: 'local' as const,
  estimate: { time: 'instant' as const, memory: 'small' as const },
}

/** A high-risk run with a reviewer's real signature, an uneventful one, and one that was interrupted. */
async function worked(audit: Audit, forge = false) {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const spki = publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
  const about = { tenant, actor: ana, conversation, run }
  await audit.record({
    action: 'identity.created',
    tenant,
    actor: ana,
    details: { identity: bea, name: 'Bea Nolan', publicKey: spki },
  })
  await audit.record({ ...about, request, action: 'approval.requested', details: { risk: 'high', codeHash } })
  const statement = {
    format: 'countersign.decision.1',
    verdict: 'approve',
    request,
    subject: 'd'.repeat(64),
    reviewer: bea,
    comment: hostile,
    decidedAt: 5,
  }
  const signature = sign(null, Buffer.from(canonical(statement)), privateKey).toString('base64')
  const signed = { ...statement, ...(forge && { comment: 'approved, really' }), signature, publicKey: spki }
  await audit.record({
    ...about,
    actor: bea,
    request,
    action: 'approval.decided',
    details: { ...signed, risk: 'high' },
  })
  const common = { codeHash, language: 'python', sandbox: 'local', risk: 'high' }
  const violations = [{ rule: 'python/x', type: 'deletion', severity: 'high', line: 2 }]
  const bodies = { code: `print("first")\n${hostile}\n${'long_name_'.repeat(60)}` }
  await audit.record({
    ...about,
    request,
    action: 'run.intended',
    details: { ...common, violations, impact, decision: null },
    bodies,
  })
  const files = { created: ['out/a.csv', 'elsewhere.txt'], modified: [], deleted: [] }
  const figures = { executionTimeMs: 120, cpuTimeMs: 80, peakMemoryBytes: 1e8, files, network: [], warnings: [] }
  const outcome = { ...common, success: true, exitCode: 0, error: null, isolation: 'jail', ...figures }
  await audit.record({ ...about, action: 'run.finished', details: outcome, bodies: { stdout: hostile } })
  const other = RunId.parse('01900000-0000-7000-8000-0000000000a2')
  await audit.record({ ...about, run: other, action: 'run.intended', details: { ...common, risk: 'low' } })
}

describe('a report', () => {
  it('tells totals, approvals, effects and reviewers from the record', async () => {
    const first = await temporaryAudit()
    await worked(first.audit)
    await first.close()
    const { audit, clock } = await temporaryAudit(first.clock, first.file)
    const report = await audit.report({ scope: { kind: 'period', from: 0, to: clock.now() }, actor: ana })
    expect(Report.parse(report)).toMatchObject({
      totals: { runs: 2, success: 1, interrupted: 1, people: 2, conversations: 1 },
      approvals: { requested: 1, approved: 1 },
      record: { verified: true },
      violations: [{ type: 'deletion', severity: 'high', count: 1, runs: 1 }],
    })
    expect(report.highRisk).toMatchObject([
      {
        result: 'success',
        decision: { reviewer: 'Bea Nolan', verdict: 'approve', signatureHolds: true },
        effects: { unforeseen: ['created elsewhere.txt'], unknown: 1 },
      },
    ])
    const read = await audit.query({ filter: { actions: ['audit.read'] } })
    expect(read.items).toHaveLength(1)
  })

  it('does not say that a forged signature holds', async () => {
    const { audit } = await temporaryAudit()
    await worked(audit, true)
    const report = await audit.report({ scope: { kind: 'all' }, actor: null })
    expect(report.highRisk[0]?.decision?.signatureHolds).toBe(false)
  })

  it('tells who changed the rules and who looked, in words', async () => {
    const { audit } = await temporaryAudit()
    const by = (action: AuditAction, details: AuditEvent['details']) =>
      audit.record({ action, tenant, actor: ana, details })
    await by('settings.changed', {
      before: { audit: { retentionDays: 90 } },
      after: { audit: { retentionDays: 2555 } },
    })
    await by('policy.changed', { changes: { 'blocked.imports': { before: '[]', after: '["socket"]' } } })
    await by('privacy.revealed', { token: '[EMAIL_1]', reason: 'asked by the supervisor' })
    await by('audit.read', { what: 'constructor' })
    await audit.rotateKey(ana, 'yearly')
    const { changes, access, people } = await audit.report({ scope: { kind: 'all' }, actor: ana })
    expect(changes.map(each => each.what)).toEqual([
      expect.stringMatching(/^began the record with signing key [0-9a-f]{16}…$/),
      'changed settings: audit.retentionDays 90 → 2555',
      'changed the policy: blocked.imports [] → [socket]',
      expect.stringMatching(/^replaced signing key [0-9a-f]{16}… by [0-9a-f]{16}…: “yearly”$/),
    ])
    expect(access.map(each => each.what)).toEqual([
      'revealed the personal value behind [EMAIL_1]: “asked by the supervisor”',
      'looked at the record',
    ])
    expect(people).toMatchObject([{ entries: 5, runs: 0, decisions: 0, readings: 1 }])
  })

  it('counts what left, by destination, with what was found in it', async () => {
    const { audit } = await temporaryAudit()
    const left = (result: string, found: Record<string, number>) => {
      const details = { destination: 'model', to: 'claude', result, found, mode: 'enforce', characters: 10 }
      return audit.record({ action: 'egress.passed', tenant, actor: null, details })
    }
    await left('sent', { EMAIL: 2 })
    await left('sent', { EMAIL: 1, IBAN: 1 })
    await left('held', {})
    const { departures } = await audit.report({ scope: { kind: 'all' }, actor: null })
    expect(departures).toEqual([{ destination: 'model', to: 'claude', sent: 2, held: 1, found: { EMAIL: 3, IBAN: 1 } }])
  })

  it('names each analysis that ran, with version, hash, law and examples, whatever its risk', async () => {
    const worked = {
      ...{ name: `377 a week ${hostile}`, kind: 'official' as const, source: 'SW14 2017' },
      ...{ input: '{"weekly_earnings":"377.00"}', output: '{"employee_prsi":"7.25"}' },
    }
    // Only the texts of the first version are still here.
    const textsOf = async ({ sha256 }: { sha256: string }) =>
      sha256 === 'e'.repeat(64) ? { files: {}, worked: [worked] } : null
    const { audit } = await temporaryAudit(undefined, undefined, textsOf)
    const version = {
      ...{ analysis: 'ie-prsi', version: '1.0.0', title: `PRSI ${hostile}`, origin: 'catalogue', status: 'enacted' },
      sha256: 'e'.repeat(64),
      citations: ['Social Welfare Consolidation Act 2005, s. 13 (enacted)'],
      examples: { official: 3, other: 1, computed: 7 },
    }
    const ran = async (at: number, action: AuditAction, change: object) => {
      const about = { tenant, actor: ana, run: RunId.parse(`01900000-0000-7000-8000-0000000000d${at}`) }
      const details = { codeHash, risk: 'low', language: 'python', sandbox: 'local', success: true, reason: 'changed' }
      const analysis = { ...version, untouched: true, as_of: null, count: 1, inputs_sha256: null, ...change }
      await audit.record({ ...about, action: 'run.intended', details: { ...details, analysis } })
      await audit.record({ ...about, action, details })
    }
    await ran(1, 'run.finished', { count: 50 })
    await ran(2, 'run.finished', { untouched: false })
    await ran(3, 'run.finished', { sha256: 'f'.repeat(64), version: '1.1.0' })
    await ran(4, 'run.refused', {})
    const scope = { kind: 'all' } as const
    const asked = { scope, actor: null, format: 'html', printPdf: chromiumPrinter() } as const
    const { report, bytes } = await audit.reportFile(asked)
    expect(Report.parse(report).analyses).toEqual([
      { ...version, untouched: 1, touched: 1, cases: 51, worked: [worked] },
      { ...version, version: '1.1.0', sha256: 'f'.repeat(64), untouched: 1, touched: 0, cases: 1, worked: null },
    ])
    const text = Buffer.from(bytes).toString('utf8')
    for (const part of [
      'ie-prsi 1.1.0',
      'e'.repeat(64),
      ...version.citations,
      '3 official, 1 other, 7 computed',
      '7.25',
      'SW14 2017',
    ]) {
      expect(text).toContain(part)
    }
    expect(text).not.toContain('<script')
  })

  it('shows the beginning and the end of a long output, where the error stands', async () => {
    const { audit } = await temporaryAudit()
    const lines = Array.from({ length: 200 }, (_, at) => `line ${at}`)
    const details = { codeHash, risk: 'high', success: false, language: 'python', sandbox: 'local' }
    const about = { tenant, actor: ana, run }
    await audit.record({ ...about, action: 'run.intended', details })
    await audit.record({ ...about, action: 'run.finished', details, bodies: { stderr: lines.join('\n') } })
    const { highRisk } = await audit.report({ scope: { kind: 'all' }, actor: null })
    expect(highRisk[0]?.output).toMatch(/^line 0\n[\s\S]*\[… 174 more lines; [^\n]*\]\n[\s\S]*line 199$/)
  })

  it.each<[AuditScope, number]>([
    [{ kind: 'run', run }, 4],
    [{ kind: 'conversation', conversation }, 5],
    [{ kind: 'period', from: 0, to: 1 }, 0],
  ])('keeps to its scope %j', async (scope, entries) => {
    const { audit } = await temporaryAudit()
    await worked(audit)
    expect(await audit.report({ scope, actor: null })).toMatchObject({ entries })
  })

  const page = async () => {
    const { audit } = await temporaryAudit()
    await worked(audit)
    const file = await audit.reportFile({
      scope: { kind: 'all' },
      actor: ana,
      format: 'html',
      printPdf: chromiumPrinter(),
      title: hostile,
    })
    return Buffer.from(file.bytes).toString('utf8')
  }

  it('is a page without script, in which hostile text is text and can be seen', async () => {
    const text = await page()
    expect(text).not.toMatch(/<script|javascript:|\son\w+=|https?:\/\/(?!data)/i)
    expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
    expect(text).toContain('⟦U+202E⟧')
    expect(text).not.toContain('\u202e')
  })

  it('is a table that a spreadsheet does not take for formulas', async () => {
    const { audit } = await temporaryAudit()
    await worked(audit)
    const about = { tenant, actor: ana, run: RunId.parse('01900000-0000-7000-8000-0000000000a3') }
    await audit.record({
      ...about,
      action: 'run.refused',
      details: { codeHash, risk: 'low', reason: '=HYPERLINK("http://x")' },
    })
    const scope = { kind: 'all' } as const
    const file = await audit.reportFile({ scope, actor: null, format: 'csv', printPdf: chromiumPrinter() })
    const lines = Buffer.from(file.bytes).toString('utf8').trim().split('\r\n')
    expect(lines).toHaveLength(4)
    expect(lines.join('\n')).toContain(`"'=HYPERLINK(""http://x"")"`)
  })

  it('is a table with names beside ids and figures that can be read', async () => {
    const { audit } = await temporaryAudit()
    const about = { tenant, actor: bea, conversation }
    await audit.record({
      action: 'identity.created',
      tenant,
      actor: ana,
      details: { identity: bea, name: 'Bea Nolan', publicKey: '' },
    })
    await audit.record({ ...about, action: 'conversation.created', details: { title: 'Draft' } })
    await audit.record({ ...about, action: 'conversation.renamed', details: { from: 'Draft', to: 'Capital review' } })
    const details = { codeHash, risk: 'low', language: 'python', sandbox: 'local' }
    await audit.record({ ...about, run, action: 'run.intended', details })
    const spent = { success: true, executionTimeMs: 12.345678, cpuTimeMs: 3.9, peakMemoryBytes: 52_500_000 }
    await audit.record({ ...about, run, action: 'run.finished', details: { ...details, ...spent } })
    const table = async (held: boolean) => {
      const { bytes } = await audit.reportFile({
        scope: { kind: 'all' },
        actor: null,
        format: 'csv',
        printPdf: chromiumPrinter(),
        ...(held && { passEgress: async () => fail('privacy.held', 'Held back.', 'Look at it.') }),
      })
      const [head = '', line = ''] = Buffer.from(bytes).toString('utf8').split('\r\n')
      const cells = line.split(',')
      return Object.fromEntries(head.split(',').map((name, at) => [name, cells[at]]))
    }
    expect(await table(false)).toMatchObject({
      who: 'Bea Nolan',
      who_id: bea,
      conversation: 'Capital review',
      conversation_id: conversation,
      duration_ms: '12',
      cpu_ms: '4',
      peak_memory_mb: '50.1',
    })
    expect(await table(true)).toMatchObject({ conversation: '', conversation_id: conversation })
  })

  it('says on its cover that the record is damaged', async () => {
    const { audit, storage } = await temporaryAudit()
    await worked(audit)
    await storage.write(async t => {
      const { sql } = await import('kysely')
      await sql`drop trigger audit_entries_update`.execute(t)
      await sql`update audit_entries set entry = replace(entry, 'Bea Nolan', 'Eve Nolan')`.execute(t)
    })
    const file = await audit.reportFile({
      scope: { kind: 'all' },
      actor: null,
      format: 'html',
      printPdf: chromiumPrinter(),
    })
    expect(Buffer.from(file.bytes).toString('utf8')).toContain('The record is damaged')
  })

  const canPrint = spawnSync('sh', ['-c', 'command -v chromium && command -v pdftotext']).status === 0
  it('is printed with page numbers, and no line of code is cut off', async ({ skip }) => {
    skip(!canPrint, 'needs Chromium and pdftotext; Debian: apt-get install chromium poppler-utils')
    const file = join(temporaryFolder(), 'report.pdf')
    writeFileSync(file, await chromiumPrinter()(await page()))
    const { stdout } = spawnSync('pdftotext', ['-layout', file, '-'], { encoding: 'utf8' })
    expect(stdout).toMatch(/Page 2 of \d+/)
    expect(stdout.replace(/\s+/g, '')).toContain('long_name_'.repeat(60))
  })

  it('says what is missing when there is nothing to print with', async () => {
    const printer = chromiumPrinter({ PATH: '/nowhere' })
    await expect(printer('<p>')).rejects.toMatchObject({ problem: { code: 'report.no-printer' } })
  })
})

describe('effects', () => {
  const observed = (created: string[]) => ({ files: { created, modified: [], deleted: [] }, network: [] })

  it('are foreseen when a path, a folder or a pattern covers them', () => {
    expect(compareEffects(impact, observed(['out/x.csv', 'out/x.txt', 'out'])).unforeseen).toEqual([
      'created out/x.txt',
      'created out',
    ])
  })

  it('of the network say what was reached and what was refused, each once', () => {
    const request = (host: string, allowed: boolean, protocol: 'https' | 'dns' = 'https') => ({
      ...{ host, port: protocol === 'dns' ? 53 : 443, allowed, protocol },
    })
    const network = [
      request('a.example.org', true),
      request('a.example.org', true),
      request('b.example.org', false, 'dns'),
      request('b.example.org', false),
      request('c.example.org', true, 'dns'),
    ]
    const hosts = [{ target: 'a.example.org', expression: '"https://a.example.org"', lines: [1] }]
    expect(compareEffects({ ...impact, hosts }, { ...observed([]), network })).toMatchObject({
      observed: ['reached a.example.org:443', 'was denied b.example.org:443', 'was denied c.example.org:53'],
      unforeseen: ['was denied b.example.org:443', 'was denied c.example.org:53'],
    })
  })

  it('are worth a place in the cell only where something outside of memory is touched', () => {
    const nothing = { ...impact, filesWritten: [], filesDeleted: [], hosts: [], commands: [], dataModified: [] }
    expect(hasEffects(nothing, compareEffects(nothing, observed([])))).toBe(false)
    expect(hasEffects(nothing, compareEffects(nothing, observed(['a'])))).toBe(true)
    expect(hasEffects({ ...nothing, filesWritten: impact.filesWritten }, compareEffects(nothing, observed([])))).toBe(
      true,
    )
  })

  it('are all unforeseen when nothing was predicted', () => {
    expect(compareEffects(null, observed(['a']))).toMatchObject({ foreseen: null, unforeseen: ['created a'] })
  })
})
