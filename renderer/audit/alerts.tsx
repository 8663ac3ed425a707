import { useQuery } from '@tanstack/react-query'
import { BellRing, CircleAlert, Info } from 'lucide-react'
import { useEffect } from 'react'
import type { AuditItem } from '../../src/contract/audit.ts'
import { rpc } from '../state/queries.ts'
import { setView } from '../state/view.ts'
import { Button } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { Loading } from '../ui/loading.tsx'
import { ProblemView } from '../ui/problem.tsx'
import styles from './alerts.module.css'
import { Figures } from './figures.tsx'
import { dayOf, timeOf } from './format.ts'
import { fieldOf } from './marks.tsx'
import { openEntry, showEntries, useAudit } from './state.ts'

/** What people were told of, and the figures of this application since it was started. */
export function Alerts() {
  return (
    <div className={styles.page}>
      <section aria-labelledby="alerts-title">
        <header className={styles.head}>
          <h2 id="alerts-title">Alerts</h2>
          <Button look="quiet" onClick={() => setView({ place: 'settings' })}>
            Where they go
          </Button>
        </header>
        <AlertList />
      </section>
      <section aria-labelledby="figures-title">
        <header className={styles.head}>
          <h2 id="figures-title">Since the application was started</h2>
        </header>
        <Figures />
      </section>
    </div>
  )
}

const shown = 50

function AlertList() {
  const last = useAudit(state => state.last)
  const input = { filter: { actions: ['alert.raised' as const] }, limit: shown }
  const { data, error, refetch } = useQuery({ ...rpc.audit.query.queryOptions({ input }), staleTime: 0 })
  useEffect(() => {
    if (last >= 0) void refetch()
  }, [last, refetch])
  if (error) return <ProblemView error={error} onRetry={() => refetch()} />
  if (!data) return <Loading />
  if (data.items.length === 0) {
    return (
      <Empty icon={<BellRing />} small title="No alerts">
        <p>Runs of high and critical risk, limits that were met, and damage to the record appear here.</p>
      </Empty>
    )
  }
  return (
    <>
      <ul className={styles.list}>
        {data.items.map(item => (
          <OneAlert key={item.entry.seq} item={item} />
        ))}
      </ul>
      {data.next && (
        <Button look="quiet" onClick={() => showEntries({ actions: ['alert.raised'] })}>
          All alerts
        </Button>
      )}
    </>
  )
}

function OneAlert({ item: { entry } }: { item: AuditItem }) {
  const critical = fieldOf(entry.details, 'level') === 'critical'
  const about = fieldOf(entry.details, 'about')
  const Icon = critical ? CircleAlert : Info
  return (
    <li className={critical ? styles.critical : undefined}>
      <Icon aria-label={critical ? 'critical' : 'warning'} />
      <span className={styles.title}>{String(fieldOf(entry.details, 'title') ?? 'Alert')}</span>
      <time dateTime={new Date(entry.at).toISOString()} title={dayOf(entry.at)}>
        {timeOf(entry.at)}
      </time>
      <Button look="quiet" onClick={() => openEntry(typeof about === 'number' ? about : entry.seq)}>
        Entry #{typeof about === 'number' ? about : entry.seq}
      </Button>
    </li>
  )
}
