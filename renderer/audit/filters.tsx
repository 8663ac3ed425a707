import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { type AuditAction, type AuditFilter, auditActions, auditResults } from '../../src/contract/audit.ts'
import { riskLevels, sandboxKinds } from '../../src/contract/run.ts'
import { rpc } from '../state/queries.ts'
import { Button } from '../ui/button.tsx'
import { Risk } from '../ui/risk.tsx'
import { SearchField } from '../ui/search-field.tsx'
import { Choices } from './choices.tsx'
import styles from './filters.module.css'
import { shortHash } from './format.ts'
import { ResultMark } from './marks.tsx'
import { dateOf, periodLabels, startOf, timeOf } from './periods.ts'
import { changeFilter, type Period, periods, setAudit, useAudit } from './state.ts'
import { type Area, actionLabels, areaOf, counted } from './words.ts'

/** What to look for: every filter of the record, and how much of it they leave. */
export function Filters() {
  const filter = useAudit(state => state.filter)
  const { data: people = [] } = useQuery(rpc.identities.list.queryOptions())
  return (
    <search className={styles.filters} aria-label="Filter the record">
      <div className={styles.line}>
        <TextFilter />
        <Time filter={filter} />
        <Choices
          label="Person"
          groups={[{ choices: people.map(({ id, name }) => ({ value: id, label: name })) }]}
          chosen={filter.actors ?? []}
          onChange={actors => changeFilter({ actors })}
        />
        <Choices
          label="Action"
          groups={actionGroups}
          chosen={filter.actions ?? []}
          onChange={actions => changeFilter({ actions })}
        />
        <Choices
          label="Risk"
          groups={[{ choices: riskLevels.map(value => ({ value, label: <Risk level={value} plain /> })) }]}
          chosen={filter.risks ?? []}
          onChange={risks => changeFilter({ risks })}
        />
        <Choices
          label="Result"
          groups={[{ choices: auditResults.map(value => ({ value, label: <ResultMark result={value} /> })) }]}
          chosen={filter.results ?? []}
          onChange={results => changeFilter({ results })}
        />
        <Choices
          label="Sandbox"
          groups={[{ choices: sandboxKinds.map(value => ({ value, label: value })) }]}
          chosen={filter.sandboxes ?? []}
          onChange={sandboxes => changeFilter({ sandboxes })}
        />
      </div>
      <div className={styles.line}>
        <Found filter={filter} />
        <Only filter={filter} />
        {Object.keys(filter).length > 0 && (
          <Button look="quiet" icon={<X />} onClick={() => setAudit({ filter: {}, period: 'any' })}>
            Clear filters
          </Button>
        )}
      </div>
    </search>
  )
}

/** Words to look for; a hash is looked for as what it is. Waits for a pause in the typing. */
function TextFilter() {
  const asked = useAudit(state => state.filter.text ?? state.filter.codeHash ?? '')
  const [text, setText] = useState(asked)
  useEffect(() => setText(asked), [asked])
  useEffect(() => {
    if (text === asked) return
    const timer = setTimeout(() => {
      const trimmed = text.trim()
      const isHash = /^[0-9a-f]{64}$/i.test(trimmed)
      changeFilter({ text: isHash ? undefined : text, codeHash: isHash ? trimmed.toLowerCase() : undefined })
    }, 250)
    return () => clearTimeout(timer)
  }, [text, asked])
  return (
    <SearchField
      label="Search the record"
      className={styles.search}
      value={text}
      maxLength={500}
      placeholder="Words, “exact phrases”, or a code hash"
      onSearch={setText}
    />
  )
}

function Time({ filter }: { filter: AuditFilter }) {
  const period = useAudit(state => state.period)
  const choose = (next: Period) => {
    setAudit({ period: next })
    changeFilter({ from: startOf(next) ?? (next === 'between' ? filter.from : undefined), to: undefined })
  }
  return (
    <>
      <select
        className={styles.choice}
        aria-label="Time"
        data-active={period !== 'any' || undefined}
        value={period}
        onChange={event => choose(event.target.value as Period)}
      >
        {periods.map(each => (
          <option key={each} value={each}>
            {periodLabels[each]}
          </option>
        ))}
      </select>
      {period === 'between' && (
        <span className={styles.dates}>
          <input
            type="date"
            aria-label="From"
            value={dateOf(filter.from)}
            onChange={event => changeFilter({ from: timeOf(event.target.value, 'start') })}
          />
          –
          <input
            type="date"
            aria-label="To"
            value={dateOf(filter.to)}
            onChange={event => changeFilter({ to: timeOf(event.target.value, 'end') })}
          />
        </span>
      )}
    </>
  )
}

function Found({ filter }: { filter: AuditFilter }) {
  const last = useAudit(state => state.last)
  const { data, refetch } = useQuery({
    ...rpc.audit.count.queryOptions({ input: filter }),
    staleTime: 0,
    placeholderData: before => before,
  })
  useEffect(() => {
    if (last < 0) return
    const timer = setTimeout(() => void refetch(), 600)
    return () => clearTimeout(timer)
  }, [last, refetch])
  return (
    <p role="status" className={styles.found}>
      {data && (data.more ? 'More than 10,000 entries' : counted(data.count, 'entry', 'entries'))}
    </p>
  )
}

/** Filters that come from elsewhere, e.g. from an entry: shown so that nobody wonders why so little is here. */
function Only({ filter }: { filter: AuditFilter }) {
  const { data: conversations = [] } = useQuery(rpc.conversations.list.queryOptions({ input: {} }))
  const title = conversations.find(({ id }) => id === filter.conversation)?.title
  const only: readonly (readonly [keyof AuditFilter, string | undefined])[] = [
    ['conversation', filter.conversation && `Conversation: ${title ?? 'deleted'}`],
    ['path', filter.path && 'One path'],
    ['run', filter.run && 'One run'],
    ['request', filter.request && 'One approval'],
    ['codeHash', filter.codeHash && `Code ${shortHash(filter.codeHash)}`],
  ]
  return only.map(([name, label]) =>
    label === undefined ? null : (
      <button
        key={name}
        type="button"
        className={styles.chip}
        aria-label={`${label}: take this filter away`}
        onClick={() => changeFilter({ [name]: undefined })}
      >
        {label} <X aria-hidden />
      </button>
    ),
  )
}

const areaTitles: Record<Area, string> = {
  run: 'Runs',
  approval: 'Approvals',
  conversation: 'Conversations',
  path: 'Paths',
  figure: 'Pinned figures',
  template: 'Templates',
  message: 'Cells and messages',
  workflow: 'Workflows',
  context: 'Sandboxes',
  image: 'Images of sandboxes',
  network: 'Network',
  cloud: 'The cloud',
  feed: 'Official data',
  file: 'Files',
  privacy: 'Privacy',
  egress: 'Leaving the machine',
  mcp: 'MCP servers and tools',
  settings: 'Settings',
  environment: 'Environments',
  policy: 'Policy',
  identity: 'People',
  reviewer: 'Reviewers',
  key: 'Keys',
  audit: 'The record itself',
  alert: 'Alerts',
  application: 'Application',
}

const actionGroups = (Object.keys(areaTitles) as Area[]).map(area => ({
  title: areaTitles[area],
  choices: auditActions
    .filter(action => areaOf(action) === area)
    .map((value: AuditAction) => ({ value, label: actionLabels[value] })),
}))
