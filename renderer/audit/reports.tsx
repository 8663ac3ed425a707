import { useQuery } from '@tanstack/react-query'
import { FileText, PackageCheck, Save, Square } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import type { AuditScope } from '../../src/contract/audit.ts'
import { type ReportFormat, reportFormats } from '../../src/contract/report.ts'
import type { Download } from '../../src/contract/rpc/downloads.ts'
import { download } from '../home/upload.ts'
import { client } from '../state/connection.ts'
import { rpc } from '../state/queries.ts'
import { showProblem, showToast } from '../state/toasts.ts'
import { Button } from '../ui/button.tsx'
import { ProblemView } from '../ui/problem.tsx'
import { fetchDownload } from './download.ts'
import { useNames } from './people.ts'
import { dateOf, timeOf } from './periods.ts'
import { Preview } from './preview.tsx'
import styles from './reports.module.css'
import { counted, tell } from './words.ts'
import { useWork } from './work.ts'

const formats: Record<ReportFormat, { title: string; hint: string }> = {
  pdf: { title: 'PDF', hint: 'for paper and for signing off' },
  html: { title: 'HTML', hint: 'one file, no script' },
  csv: { title: 'CSV', hint: 'every run, a line each' },
  json: { title: 'JSON', hint: 'the whole report, for programs' },
}

const scopes = { period: 'A period', conversation: 'A conversation', run: 'One run', all: 'Everything' } as const
type ScopeKind = keyof typeof scopes

/** What can be handed to an auditor: a report to read, or a bundle that they can check themselves. */
export function Reports() {
  const [scope, picker] = useScope()
  const [format, setFormat] = useState<ReportFormat>('pdf')
  const [shown, setShown] = useState<string | null>(null)
  const work = useWork<Download>()
  const make = async (what: ReportFormat | 'bundle', use: (made: Download, file: Blob) => unknown) => {
    if (!scope) return
    const made = await work.start(signal =>
      what === 'bundle'
        ? client.audit.bundle({ scope }, { signal })
        : client.audit.report({ scope, format: what }, { signal }),
    )
    if (made) await use(made, await fetchDownload(made))
  }
  const save = (made: Download, file: Blob) => {
    download(made.name, made.mediaType, file)
    showToast({ kind: 'good', text: `${made.name} was saved.`, hint: 'Logged.' })
  }
  const start = (...wanted: Parameters<typeof make>) => void make(...wanted).catch(showProblem)
  return (
    <div className={styles.reports}>
      <div className={styles.form}>
        <Part title="About">{picker}</Part>
        <Part title="Report">
          <div className={styles.formats} role="radiogroup" aria-label="Format">
            {reportFormats.map(each => (
              <label key={each} className={styles.format}>
                <input type="radio" name="format" checked={format === each} onChange={() => setFormat(each)} />
                <span>
                  <b>{formats[each].title}</b>
                  {formats[each].hint}
                </span>
              </label>
            ))}
          </div>
          <div className={styles.buttons}>
            <Button
              look="primary"
              icon={<Save />}
              disabled={!scope || work.running}
              onClick={() => start(format, save)}
            >
              Save report
            </Button>
            <Button
              icon={<FileText />}
              disabled={!scope || work.running}
              onClick={() => start('html', async (_, file) => setShown(await file.text()))}
            >
              Preview
            </Button>
          </div>
          <p className={styles.hint}>
            Cover, scope and method, summary with charts, each high-risk run with code, reviewer and signature,
            predicted against observed effects, who read the record, and the hashes to check it by. The record is
            verified first.
          </p>
        </Part>
        <Part title="Audit bundle">
          <p className={styles.hint}>
            A zip with the entries, their texts, proofs, public keys, the report and a checker: whoever gets it can
            verify it alone, offline, with <code>node verify.mjs</code>. The entries are in it as OCSF events too.
          </p>
          <div className={styles.buttons}>
            <Button icon={<PackageCheck />} disabled={!scope || work.running} onClick={() => start('bundle', save)}>
              Save bundle
            </Button>
          </div>
        </Part>
        {work.running && (
          <p role="status" className={styles.progress}>
            <progress max={work.progress?.total ?? 1} value={work.progress?.done} aria-label="Making the file" />
            {work.progress
              ? `${work.progress.done.toLocaleString('en')} of ${counted(work.progress.total, 'entry', 'entries')}`
              : 'Verifying the record…'}
            <Button icon={<Square />} onClick={work.stop}>
              Stop
            </Button>
          </p>
        )}
        {work.error !== null && <ProblemView error={work.error} />}
      </div>
      <Preview page={shown} />
    </div>
  )
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  const id = useId()
  return (
    <section className={styles.part} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  )
}

/** What it is to be about; null until it is said in full. */
function useScope(): [AuditScope | null, ReactNode] {
  const [kind, setKind] = useState<ScopeKind>('period')
  const [from, setFrom] = useState(() => dateOf(startOfQuarter()))
  const [to, setTo] = useState(() => dateOf(Date.now()))
  const [conversation, setConversation] = useState('')
  const [run, setRun] = useState('')
  const { data: conversations = [] } = useQuery(rpc.conversations.list.queryOptions({ input: {} }))
  const { data: runs } = useQuery({
    ...rpc.audit.query.queryOptions({
      input: { filter: { actions: ['run.finished', 'run.refused'] }, limit: 100 },
    }),
    enabled: kind === 'run',
    staleTime: 0,
  })
  const start = timeOf(from, 'start')
  const end = timeOf(to, 'end')
  const chosenConversation = conversations.find(({ id }) => id === conversation)?.id
  const chosenRun = runs?.items.find(({ entry }) => entry.run === run)?.entry.run
  const scope = ((): AuditScope | null => {
    switch (kind) {
      case 'all':
        return { kind }
      case 'period':
        return start !== undefined && end !== undefined && start <= end ? { kind, from: start, to: end } : null
      case 'conversation':
        return chosenConversation ? { kind, conversation: chosenConversation } : null
      case 'run':
        return chosenRun ? { kind, run: chosenRun } : null
    }
  })()
  const nameOf = useNames()
  const picker = (
    <div className={styles.scope}>
      <select aria-label="About what" value={kind} onChange={event => setKind(event.target.value as ScopeKind)}>
        {Object.entries(scopes).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      {kind === 'period' && (
        <>
          <input type="date" aria-label="From" value={from} onChange={event => setFrom(event.target.value)} />–
          <input type="date" aria-label="To" value={to} onChange={event => setTo(event.target.value)} />
        </>
      )}
      {kind === 'conversation' && (
        <select aria-label="Conversation" value={conversation} onChange={event => setConversation(event.target.value)}>
          <option value="">Choose one…</option>
          {conversations.map(({ id, title }) => (
            <option key={id} value={id}>
              {title}
            </option>
          ))}
        </select>
      )}
      {kind === 'run' && (
        <select aria-label="Run" value={run} onChange={event => setRun(event.target.value)}>
          <option value="">Choose one…</option>
          {runs?.items.map(({ entry }) => (
            <option key={entry.seq} value={entry.run}>
              #{entry.seq} · {tell(entry, nameOf(entry.actor))}
            </option>
          ))}
        </select>
      )}
      {kind === 'period' && !scope && <p role="alert">The period ends before it begins.</p>}
    </div>
  )
  return [scope, picker]
}

function startOfQuarter(now = new Date()): number {
  return new Date(now.getFullYear(), now.getMonth() - (now.getMonth() % 3), 1).getTime()
}
