import { useQuery } from '@tanstack/react-query'
import { BadgeCheck, BadgeX } from 'lucide-react'
import type { ReactNode } from 'react'
import type { RunId } from '../../src/contract/ids.ts'
import type { ReportRun } from '../../src/contract/report.ts'
import { StaticCode } from '../editor/static-code.tsx'
import { bytes } from '../inspector/format.ts'
import { duration } from '../notebook/cell-header.tsx'
import { Text } from '../output/text/text.tsx'
import { rpc } from '../state/queries.ts'
import { Effects } from '../ui/effects.tsx'
import { Loading } from '../ui/loading.tsx'
import { ProblemView } from '../ui/problem.tsx'
import { Risk } from '../ui/risk.tsx'
import { textActions } from './actions.ts'
import { Hash, NotKept } from './copy.tsx'
import styles from './entry.module.css'
import { momentOf } from './format.ts'
import { openEntry, useAudit } from './state.ts'

/** One calculation as all its entries tell it: what was asked, who let it run, what it did, what came of it. */
export function RunStory({ run, current }: { run: RunId; current: number }) {
  const last = useAudit(state => state.last)
  const { data, error, refetch } = useQuery({
    ...rpc.audit.run.queryOptions({ input: run }),
    // A run that goes on has more to tell with every entry.
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.result === 'running' && last >= 0 ? 1500 : false),
  })
  if (error) return <ProblemView error={error} onRetry={() => refetch()} />
  if (data === undefined) return <Loading />
  if (data === null) return <p className={styles.soft}>Nothing else on the record mentions this run.</p>
  return (
    <>
      <Section title="Entries of this run">
        <p className={styles.seqs}>
          {data.seqs.map(seq => (
            <button key={seq} type="button" aria-current={seq === current || undefined} onClick={() => openEntry(seq)}>
              #{seq}
            </button>
          ))}
        </p>
      </Section>
      {data.codeHash ? (
        <Code run={data} />
      ) : (
        <p className={`${styles.section} ${styles.soft}`}>
          It has not run. Its code is shown with the request for approval.
        </p>
      )}
      {data.violations.length > 0 && <Findings findings={data.violations} />}
      <Decided decision={data.decision} />
      {data.effects.foreseen && !(data.result === 'syntax' && data.effects.observed.length === 0) && (
        <Section title="Predicted and observed">
          <Effects effects={data.effects} isOver={data.result === 'success' || data.result === 'failure'} />
        </Section>
      )}
      {data.durationMs !== null && <Cost run={data} />}
      {data.output !== null && (
        <Section title="Output">
          <Text chunks={[data.output]} label="Output" actions={textActions} />
        </Section>
      )}
      {data.reason && (data.result === 'refused' || data.result === 'syntax') && (
        <Section title="Why it did not run">
          <p>{data.reason}</p>
        </Section>
      )}
    </>
  )
}

function Code({ run }: { run: ReportRun }) {
  return (
    <Section title="Code" aside={<Hash value={run.codeHash} label="the code’s hash" />}>
      {run.code === null ? (
        <NotKept />
      ) : (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <div className={styles.code} role="group" aria-label="Code" tabIndex={0}>
          <StaticCode text={run.code} language={run.language} onPoint={() => undefined} />
        </div>
      )}
    </Section>
  )
}

function Section({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  return (
    <section className={styles.section}>
      <h3>
        {title}
        {aside}
      </h3>
      {children}
    </section>
  )
}

function Findings({ findings }: { findings: ReportRun['violations'] }) {
  return (
    <Section title="What the guard found">
      <ul className={styles.list}>
        {findings.map(({ rule, type, severity, line }) => (
          <li key={`${rule} ${line}`}>
            <Risk level={severity} /> {type.replaceAll('-', ' ')} on line {line} <code>{rule}</code>
          </li>
        ))}
      </ul>
    </Section>
  )
}

function Decided({ decision }: { decision: ReportRun['decision'] }) {
  if (!decision) return null
  const { by, verdict, reviewer, comment, at, signature, signatureHolds } = decision
  const word = verdict === 'approve' ? 'approved' : 'denied'
  const Icon = signatureHolds === false ? BadgeX : BadgeCheck
  return (
    <Section title={verdict === 'approve' ? 'Who let it run' : 'Who denied it'}>
      <p>
        {by === 'policy' ? (
          'The policy let it run by itself.'
        ) : (
          <>
            <b>{reviewer}</b> {word} it, {momentOf(at)}.
          </>
        )}
      </p>
      {comment && <blockquote className={styles.comment}>{comment}</blockquote>}
      {signature && (
        <p className={signatureHolds === false ? styles.bad : styles.good}>
          <Icon aria-hidden />
          {signatureHolds === null
            ? 'Signed; the entry with the public key is not here to check it.'
            : signatureHolds
              ? 'The signature holds (Ed25519).'
              : 'The signature does not hold.'}
          <Hash value={signature} label="the signature" />
        </p>
      )}
    </Section>
  )
}

function Cost({ run }: { run: ReportRun }) {
  const facts: readonly (readonly [string, string | null])[] = [
    ['Sandbox', run.isolation ? `${run.sandbox} (${run.isolation})` : run.sandbox],
    ['Time', run.durationMs === null ? null : duration(run.durationMs)],
    ['Processor', run.cpuMs === null ? null : duration(run.cpuMs)],
    ['Memory peak', run.peakMemoryBytes === null ? null : bytes(run.peakMemoryBytes)],
    ['Exit code', run.exitCode === null ? null : String(run.exitCode)],
    ['Network', run.network.map(({ target, allowed }) => `${target} ${allowed ? 'reached' : 'denied'}`).join(', ')],
    ['Warnings', run.warnings.join(' ')],
  ]
  return (
    <Section title="Where, and what it cost">
      <dl className={styles.facts}>
        {facts.map(([name, value]) =>
          value ? (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ) : null,
        )}
      </dl>
    </Section>
  )
}
