import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import Sqlite from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { createAudit } from '../../../audit/audit.ts'
import { systemClock } from '../../../clock.ts'
import { RunId } from '../../../contract/ids.ts'
import { localCaller } from '../../../identity.ts'
import { uuidV7 } from '../../../ids.ts'
import { fileKeyStore } from '../../../keystore.ts'
import { openStorage } from '../../../storage/storage.ts'
import { temporaryFolder } from '../../../storage/testing.ts'
import { main } from '../main.ts'

/** A home with a small record in it, as an application that has been closed leaves it. */
async function home(): Promise<string> {
  const folder = temporaryFolder()
  const storage = await openStorage({ file: join(folder, 'countersign.db'), clock: systemClock })
  const ids = uuidV7(systemClock)
  const keys = fileKeyStore(join(folder, 'keys'))
  const { tenant, user } = await localCaller(storage, keys, ids)
  const audit = await createAudit({ storage, keys, clock: systemClock, ids, folder, tenant })
  for (const risk of ['low', 'high', 'critical']) {
    const run = ids.make(RunId)
    const details = { risk, sandbox: 'local', success: risk !== 'high', language: 'python', codeHash: 'a'.repeat(64) }
    await audit.record({
      action: 'run.finished',
      tenant,
      actor: user,
      run,
      details,
      bodies: { stdout: `${risk} exposure` },
    })
  }
  await audit.close()
  await storage.close()
  return folder
}

async function countersign(folder: string, ...argv: string[]) {
  const written: { stdout: Buffer[]; stderr: Buffer[] } = { stdout: [], stderr: [] }
  const into = (chunks: Buffer[]) =>
    new Writable({
      write(chunk, _encoding, done) {
        chunks.push(Buffer.from(chunk))
        done()
      },
    })
  const code = await main(argv, {
    stdin: Readable.from([]),
    stdout: into(written.stdout),
    stderr: into(written.stderr),
    env: { ...process.env, COUNTERSIGN_HOME: folder },
    cwd: folder,
    signal: new AbortController().signal,
  })
  const stdout = Buffer.concat(written.stdout).toString('utf8')
  return { code, stdout, stderr: Buffer.concat(written.stderr).toString('utf8'), json: () => JSON.parse(stdout) }
}

describe('countersign audit', () => {
  it('verifies the record, and exits with 1 when it is damaged', async () => {
    const folder = await home()
    const good = await countersign(folder, 'audit', 'verify', '--json')
    expect(good).toMatchObject({ code: 0 })
    expect(good.json()).toMatchObject({ ok: true, entries: 4, findings: [] })
    const db = new Sqlite(join(folder, 'countersign.db'))
    db.exec(`drop trigger audit_entries_update; update audit_entries set entry = replace(entry, 'high', 'none')`)
    db.close()
    const bad = await countersign(folder, 'audit', 'verify')
    expect(bad).toMatchObject({ code: 1, stdout: expect.stringMatching(/DAMAGED[\s\S]*changed\s+Entry 2 /) })
  })

  it('finds by filters and text', async () => {
    const folder = await home()
    const found = await countersign(folder, 'audit', 'query', '--risk', 'high', '--risk', 'critical', '--json')
    expect(found.json().items.map((item: { entry: { seq: number } }) => item.entry.seq)).toEqual([3, 2])
    const failed = await countersign(folder, 'audit', 'query', '--result', 'failure', '--text', 'exposure')
    expect(failed.stdout.trim().split('\n')).toHaveLength(1)
    const shown = await countersign(folder, 'audit', 'show', '3', '--json')
    expect(shown.json()).toMatchObject({ bodies: { stdout: 'critical exposure' }, proof: { seq: 3 } })
  })

  it('exports a bundle, verifies it, and refuses one that was tampered with', async () => {
    const folder = await home()
    expect(await countersign(folder, 'audit', 'export', 'out.zip', '--from', '2020-01-01')).toMatchObject({ code: 0 })
    const good = await countersign(folder, 'audit', 'verify', 'out.zip', '--json')
    expect(good).toMatchObject({ code: 0 })
    const bytes = readFileSync(join(folder, 'out.zip'))
    writeFileSync(join(folder, 'cut.zip'), bytes.subarray(0, bytes.length - 50))
    const cut = await countersign(folder, 'audit', 'verify', 'cut.zip')
    expect(cut).toMatchObject({ code: 1, stdout: expect.stringContaining('DAMAGED') })
  })

  it('holds the record against a checkpoint that was kept elsewhere', async () => {
    const folder = await home()
    const kept = await countersign(folder, 'audit', 'checkpoint', '--json')
    writeFileSync(join(folder, 'kept.jsonl'), kept.stdout)
    expect(await countersign(folder, 'audit', 'verify', '--against', 'kept.jsonl')).toMatchObject({ code: 0 })
    const other = await home()
    const against = join(folder, 'kept.jsonl')
    expect(await countersign(other, 'audit', 'verify', '--against', against)).toMatchObject({ code: 1 })
  })

  it.each([
    [['audit']],
    [['audit', 'explode']],
    [['audit', 'query', '--risk', 'enormous']],
    [['audit', 'query', '--action', 'run.eaten']],
    [['audit', 'query', '--from', 'yesterday']],
    [['audit', 'query', '--limit', '0']],
    [['audit', 'query', '--code-hash', 'xyz']],
    [['audit', 'show', 'x']],
    [['audit', 'verify', 'nowhere.zip']],
    [['report', '--format', 'docx']],
    [['report', '--from', '2026-02-01', '--to', '2026-01-01']],
  ])('says what is wrong with %j', async argv => {
    const { code, stderr } = await countersign(temporaryFolder(), ...argv)
    expect(code).toBe(2)
    expect(stderr).toContain('--help')
  })

  it('says where it looked when there is no record', async () => {
    const folder = temporaryFolder()
    const { code, stderr } = await countersign(folder, 'audit', 'verify')
    expect(code).toBe(1)
    expect(stderr).toContain(folder)
  })
})

describe('countersign report', () => {
  it('writes html, csv and json', async () => {
    const folder = await home()
    const json = await countersign(folder, 'report', '--json')
    expect(json.json()).toMatchObject({ totals: { runs: 3, success: 2, failure: 1 }, record: { verified: true } })
    expect(await countersign(folder, 'report', 'out.html', '--title', 'Mine')).toMatchObject({ code: 0 })
    expect(readFileSync(join(folder, 'out.html'), 'utf8')).toContain('<h1>Mine</h1>')
    expect(await countersign(folder, 'report', 'out.csv')).toMatchObject({ code: 0 })
    expect(readFileSync(join(folder, 'out.csv'), 'utf8').trim().split('\r\n')).toHaveLength(4)
  })
})

describe('countersign audit rotate-key', () => {
  it('puts no private word of the reason on the record', async () => {
    const folder = await home()
    expect((await countersign(folder, 'audit', 'rotate-key', '--reason', 'joe@bank.ie has left')).code).toBe(0)
    const { stdout } = await countersign(folder, 'audit', 'query', '--json')
    expect(stdout).toContain('[EMAIL_1] has left')
    expect(stdout).not.toContain('joe@')
  })
})
