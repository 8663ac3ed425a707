import { Tabs } from 'radix-ui'
import { Alerts } from './alerts.tsx'
import styles from './audit.module.css'
import { Keeping } from './keeping.tsx'
import { Reports } from './reports.tsx'
import { Seal } from './seal.tsx'
import { type AuditTab, auditTabs, setAudit, useAudit } from './state.ts'
import { Timeline } from './timeline.tsx'

const titles: Record<AuditTab, string> = {
  timeline: 'Timeline',
  reports: 'Reports',
  alerts: 'Alerts and figures',
  keeping: 'Retention and keys',
}
const views: Record<AuditTab, () => React.ReactNode> = {
  timeline: Timeline,
  reports: Reports,
  alerts: Alerts,
  keeping: Keeping,
}

/** The record: what happened, whether it is still what was written, and what can be handed to others. */
export default function Audit() {
  const tab = useAudit(state => state.tab)
  return (
    <Tabs.Root className={styles.page} value={tab} onValueChange={next => setAudit({ tab: next as AuditTab })}>
      <header className={styles.header}>
        <div>
          <h1>Audit record</h1>
          <p>Everything that happened, in order.</p>
        </div>
        <Seal />
      </header>
      <Tabs.List className={styles.tabs} aria-label="Audit record">
        {auditTabs.map(each => (
          <Tabs.Trigger key={each} value={each}>
            {titles[each]}
          </Tabs.Trigger>
        ))}
      </Tabs.List>
      {auditTabs.map(each => {
        const View = views[each]
        return (
          <Tabs.Content key={each} value={each} className={styles.content}>
            <View />
          </Tabs.Content>
        )
      })}
    </Tabs.Root>
  )
}
