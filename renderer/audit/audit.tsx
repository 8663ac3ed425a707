import { type Tab, Tabbed } from '../ui/tabs.tsx'
import { Alerts } from './alerts.tsx'
import styles from './audit.module.css'
import { Keeping } from './keeping.tsx'
import { Reports } from './reports.tsx'
import { Seal } from './seal.tsx'
import { type AuditTab, setAudit, useAudit } from './state.ts'
import { Timeline } from './timeline.tsx'

const tabs: readonly Tab<AuditTab>[] = [
  { id: 'timeline', title: 'Timeline', view: <Timeline /> },
  { id: 'reports', title: 'Reports', view: <Reports /> },
  { id: 'alerts', title: 'Alerts and figures', view: <Alerts /> },
  { id: 'keeping', title: 'Retention and keys', view: <Keeping /> },
]

/** The record: what happened, whether it is still what was written, and what can be handed to others. */
export default function Audit() {
  const tab = useAudit(state => state.tab)
  return (
    <Tabbed
      label="Audit record"
      tabs={tabs}
      value={tab}
      onChange={next => setAudit({ tab: next })}
      look={{ root: styles.page, list: styles.tabs, content: styles.content }}
      header={
        <header className={styles.header}>
          <div>
            <h1>Audit record</h1>
            <p>Everything that happened, in order.</p>
          </div>
          <Seal />
        </header>
      }
    />
  )
}
