import { useQuery } from '@tanstack/react-query'
import { Circle, Diamond, EyeOff, type LucideIcon, OctagonAlert, TriangleAlert } from 'lucide-react'
import { type ReactNode, useEffect, useId, useState } from 'react'
import { analysisMarker } from '../../src/contract/analyses.ts'
import { type ApprovalRequest, isOpen, type LastApproved, type Verdict } from '../../src/contract/approval.ts'
import type { RiskLevel } from '../../src/contract/run.ts'
import { client } from '../state/connection.ts'
import { rpc } from '../state/queries.ts'
import { CodeView } from './code-view.tsx'
import styles from './detail.module.css'
import { DiffView } from './diff-view.tsx'
import { Discussion, Signature } from './discussion.tsx'
import { changeDraft, useDraft } from './drafts.ts'
import { Facts, useAssistants, Whereabouts } from './facts.tsx'
import { Grants } from './grants.tsx'
import { headline } from './headline.ts'
import { ImpactView } from './impact.tsx'
import { hiddenCharacters } from './marks.ts'
import { Findings, Reasons } from './reasons.tsx'
import { ToolGrants } from './tools.tsx'
import { VerdictBar } from './verdict.tsx'
import { closedWhy, type RunEnd, when } from './words.ts'

const shapes: Record<RiskLevel, LucideIcon> = {
  low: Circle,
  medium: Diamond,
  high: TriangleAlert,
  critical: OctagonAlert,
}

interface DetailProps {
  readonly request: ApprovalRequest
  readonly title: ReactNode
  /** Stands at the end of the heading: the dialog's countdown. */
  readonly aside?: ReactNode
  readonly focusSafe?: boolean
  onAnswered?(kind: Verdict['kind'], request: ApprovalRequest): void
}

/** Everything that a reviewer needs to decide, the gravest first, and the place where they do. */
export function RequestDetail({ request, title, aside, focusSafe = false, onAnswered }: DetailProps) {
  const [goTo, setGoTo] = useState<{ line: number; wish: number } | null>(null)
  const onLine = (line: number) => setGoTo(before => ({ line, wish: (before?.wish ?? 0) + 1 }))
  const closed = closedWhy(request, useRunEnd(request))
  const assistants = useAssistants(request)
  const Shape = shapes[request.risk]
  return (
    <div className={styles.detail}>
      <header className={`${styles.head} ${styles[request.risk]}`}>
        <span className={styles.risk}>
          <Shape aria-hidden />
          {request.risk} risk
        </span>
        <div className={styles.words}>
          {title}
          <p className={styles.headline}>{headline(request.inspection, request.placement.tools)}</p>
          <p className={styles.by}>
            {request.requester.name} {isOpen(request.state) ? 'asks' : 'asked'} to run {request.language} on{' '}
            <Whereabouts request={request} />
            {assistants.length > 0 && <b> · written by an assistant</b>}
            {request.needs === 'four-eyes' && <b> · four eyes</b>}
            {request.placement.isolation === 'unconfined' && <b className={styles.bad}> · unconfined</b>}
          </p>
        </div>
        {aside}
      </header>
      {closed && (
        <p className={styles.closed} role="status">
          {closed}
        </p>
      )}
      <div className={styles.body}>
        <CodePane request={request} goTo={goTo} onLine={onLine} />
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
        <section className={styles.side} tabIndex={0} aria-label="About this request">
          <div className={styles.first}>
            <Signature request={request} />
            <ToolGrants request={request} />
            <ImpactView inspection={request.inspection} onLine={onLine} />
            <Grants request={request} />
          </div>
          <Reasons request={request} onLine={onLine} />
          <Findings request={request} onLine={onLine} />
          <Facts request={request} />
          <Discussion request={request} />
        </section>
      </div>
      <VerdictBar request={request} focusSafe={focusSafe} {...(onAnswered ? { onAnswered } : {})} />
    </div>
  )
}

/** Asks for the outcome alone, so that the record does not say that somebody read what the run printed. */
function useRunEnd({ run, state }: ApprovalRequest): RunEnd {
  const { data } = useQuery({
    queryKey: [...rpc.audit.count.key(), 'end of', run],
    queryFn: async (): Promise<RunEnd> => {
      const having = (result: 'success' | 'failure') =>
        client.audit.count({ run, actions: ['run.finished'], results: [result] })
      const [failed, succeeded] = await Promise.all([having('failure'), having('success')])
      return failed.count > 0 ? 'failure' : succeeded.count > 0 ? 'success' : 'unknown'
    },
    enabled: state === 'used',
    // A run that goes on has no outcome yet.
    refetchInterval: query => (query.state.data === 'unknown' ? 3000 : false),
  })
  return data ?? 'unknown'
}

type Tab = 'code' | 'approved' | 'asked' | 'catalogue'

function CodePane({
  request,
  goTo,
  onLine,
}: {
  request: ApprovalRequest
  goTo: { line: number; wish: number } | null
  onLine(line: number): void
}) {
  const { conversation, path, cell, revisions, code, language } = request
  const id = useId()
  const draft = useDraft(request.id)
  const [chosen, setTab] = useState<Tab>('code')
  useEffect(() => {
    // A wish to see a line is a wish to see the code.
    if (goTo) setTab('code')
  }, [goTo])
  const last = useQuery(rpc.approval.lastApproved.queryOptions({ input: { conversation, path, cell } })).data
  const before = last && last.request !== request.id ? last : null
  // Code that an analysis made, or that somebody made of it, is read against the catalogue's own.
  const original = useQuery({
    ...rpc.analyses.original.queryOptions({ input: { code } }),
    enabled: code.startsWith(analysisMarker),
  }).data?.code
  const asked = revisions.length > 1 ? (revisions[0]?.code ?? null) : null
  const text = draft.code ?? code
  const tabs: readonly { tab: Tab; label: string }[] = [
    { tab: 'code', label: draft.code === null ? 'Code' : 'Code (editing)' },
    ...(before && before.code !== text
      ? [
          {
            tab: 'approved' as const,
            label: `Changes since ${before.reviewer.name} approved it, ${when(before.decidedAt)}`,
          },
        ]
      : []),
    ...(original && original !== text ? [{ tab: 'catalogue' as const, label: 'Changes against the catalogue' }] : []),
    ...(asked !== null || draft.code !== null
      ? [{ tab: 'asked' as const, label: draft.code === null ? 'Changes by the reviewer' : 'Your changes' }]
      : []),
  ]
  const tab = tabs.some(each => each.tab === chosen) ? chosen : 'code'
  const befores: Record<Tab, string> = {
    code: '',
    approved: before?.code ?? '',
    asked: draft.code === null ? (asked ?? '') : code,
    catalogue: original ?? '',
  }
  return (
    <div className={styles.pane}>
      <div className={styles.tabs} role="tablist" aria-label="Code and changes">
        {tabs.map(each => (
          <button
            key={each.tab}
            id={`${id}-${each.tab}`}
            type="button"
            role="tab"
            aria-selected={tab === each.tab}
            aria-controls={`${id}-panel`}
            onClick={() => setTab(each.tab)}
          >
            {each.label}
          </button>
        ))}
        {before && before.code === code && <SameAsBefore last={before} />}
      </div>
      <Hidden code={text} onLine={onLine} />
      <div id={`${id}-panel`} role="tabpanel" aria-labelledby={`${id}-${tab}`} className={styles.panel}>
        {tab === 'code' ? (
          <CodeView
            request={request}
            edited={draft.code}
            goTo={goTo}
            onEdit={next => changeDraft(request.id, { code: next })}
          />
        ) : (
          <DiffView
            before={befores[tab]}
            after={text}
            language={language}
            label={tabs.find(each => each.tab === tab)?.label ?? 'Changes'}
          />
        )}
      </div>
    </div>
  )
}

function SameAsBefore({ last }: { last: LastApproved }) {
  return (
    <span className={styles.same}>
      The same code as {last.reviewer.name} approved on {when(last.decidedAt)}
    </span>
  )
}

/** Characters that hide or pose as others, counted where nobody can overlook it. */
function Hidden({ code, onLine }: { code: string; onLine(line: number): void }) {
  const found = hiddenCharacters(code)
  if (found.length === 0) return null
  const names = [...new Set(found.map(each => each.name))]
  const lines = [...new Set(found.map(each => each.line))]
  return (
    <p className={styles.hidden} role="note">
      <EyeOff aria-hidden />
      <span>
        {found.length === 1 ? '1 character is hidden or looks' : `${found.length} characters are hidden or look`} like
        another: <code>{names.slice(0, 6).join(' ')}</code>
        {names.length > 6 && ' …'}
      </span>
      {lines.slice(0, 6).map(line => (
        <button key={line} type="button" onClick={() => onLine(line)}>
          line {line}
        </button>
      ))}
    </p>
  )
}
