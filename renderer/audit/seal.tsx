import { useQuery } from '@tanstack/react-query'
import { ShieldCheck, ShieldX, Square } from 'lucide-react'
import { useEffect } from 'react'
import type { Finding, Verification } from '../../src/contract/audit.ts'
import { client } from '../state/connection.ts'
import { rpc } from '../state/queries.ts'
import { Button } from '../ui/button.tsx'
import { ProblemView } from '../ui/problem.tsx'
import { Hash } from './copy.tsx'
import { timeOf } from './format.ts'
import styles from './seal.module.css'
import { openEntry, setAudit, useAudit } from './state.ts'
import { counted } from './words.ts'
import { useWork } from './work.ts'

/** Whether the record can be trusted: up to where it is signed, by which key, and what a check of everything says. */
export function Seal() {
  const verified = useAudit(state => state.verified)
  const work = useWork<Verification>()
  const verify = async () => {
    const result = await work.start(signal => client.audit.verify(undefined, { signal }))
    if (result) setAudit({ verified: { at: Date.now(), result } })
  }
  const damaged = verified !== null && !verified.result.ok
  const Icon = damaged ? ShieldX : ShieldCheck
  const look = verified === null ? styles.sealed : damaged ? styles.damaged : styles.intact
  return (
    <section className={`${styles.seal} ${look}`} aria-label="Integrity of the record">
      <div className={styles.line}>
        <Icon aria-hidden className={styles.shield} />
        <div className={styles.words}>
          {work.running ? (
            <Progress progress={work.progress} />
          ) : verified ? (
            <Verdict at={verified.at} result={verified.result} />
          ) : (
            <Signed />
          )}
        </div>
        {work.running ? (
          <Button icon={<Square />} onClick={work.stop}>
            Stop
          </Button>
        ) : (
          <Button look={verified ? 'plain' : 'primary'} icon={<ShieldCheck />} onClick={() => void verify()}>
            {verified ? 'Verify again' : 'Verify'}
          </Button>
        )}
      </div>
      {work.error !== null && <ProblemView error={work.error} onRetry={() => void verify()} />}
      {!work.running && verified && <Findings result={verified.result} />}
    </section>
  )
}

function Progress({ progress }: { progress: { done: number; total: number } | null }) {
  return (
    <p role="status" className={styles.progress}>
      <progress max={progress?.total ?? 1} value={progress?.done ?? 0} aria-label="Verifying" />
      {progress
        ? `${progress.done.toLocaleString('en')} of ${counted(progress.total, 'entry', 'entries')}`
        : 'Reading checkpoints…'}
    </p>
  )
}

function Signed() {
  const last = useAudit(state => state.last)
  const { data, refetch } = useQuery({ ...rpc.audit.state.queryOptions(), staleTime: 0 })
  useEffect(() => {
    if (last >= 0) void refetch()
  }, [last, refetch])
  if (!data) return null
  const { size, at, key } = data.checkpoint
  return (
    <>
      <p>
        <b>{counted(size, 'entry', 'entries')} signed</b>, the last at {timeOf(at)}.
      </p>
      <p className={styles.small}>
        Not checked in this window yet · key <Hash value={key} label="the key’s fingerprint" />
      </p>
    </>
  )
}

function Verdict({ at, result }: { at: number; result: Verification }) {
  return (
    <>
      <p role="status">
        {result.ok ? (
          <>
            <b>The record is intact.</b> {counted(result.entries, 'entry', 'entries')},{' '}
            {counted(result.checkpoints, 'signature')}, {counted(result.bodies, 'text')}
            {result.emptied > 0 && `; ${counted(result.emptied, 'entry', 'entries')} emptied by retention`}.
          </>
        ) : (
          <>
            <b>The record is damaged.</b> {counted(result.findings.length, 'finding')} in{' '}
            {counted(result.entries, 'entry', 'entries')}.
          </>
        )}
      </p>
      {result.firstKey && (
        <p className={styles.small}>
          Checked at {timeOf(at)} · first key <Hash value={result.firstKey} label="the first key’s fingerprint" />
        </p>
      )}
    </>
  )
}

const kinds: Record<Finding['kind'], string> = {
  changed: 'Changed',
  removed: 'Removed',
  inserted: 'Inserted',
  reordered: 'Reordered',
  truncated: 'Cut off',
  rewritten: 'Rewritten',
  checkpoint: 'Checkpoint',
  key: 'Key',
  seal: 'Seal',
  index: 'Index',
  table: 'Table',
  tombstone: 'Tombstone',
  body: 'Text',
  personal: 'Personal value',
  unreadable: 'Unreadable',
  bundle: 'Bundle',
}

const mostShown = 100

function Findings({ result }: { result: Verification }) {
  const { findings, notices } = result
  if (findings.length === 0 && notices.length === 0) return null
  return (
    <ul className={styles.findings}>
      {findings.slice(0, mostShown).map(finding => (
        <li key={`${finding.kind} ${finding.seq} ${finding.message}`}>
          <b>{kinds[finding.kind]}</b>
          <span>{finding.message}</span>
          {finding.seq !== null && <EntryLink seq={finding.seq} />}
        </li>
      ))}
      {findings.length > mostShown && <li>… and {counted(findings.length - mostShown, 'more finding')}.</li>}
      {notices.map(notice => (
        <li key={notice} className={styles.notice}>
          <b>Note</b>
          <span>{notice}</span>
        </li>
      ))}
    </ul>
  )
}

const EntryLink = ({ seq }: { seq: number }) => (
  <button type="button" className={styles.link} onClick={() => openEntry(seq)}>
    entry {seq}
  </button>
)
