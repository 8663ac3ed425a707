import { useState } from 'react'
import { useView } from '../state/view.ts'
import { Page } from '../ui/page.tsx'
import { type Tab, Tabbed } from '../ui/tabs.tsx'
import { AllowedList } from './allowed.tsx'
import { Departures } from './departures.tsx'
import { Guide } from './guide.tsx'
import styles from './privacy.module.css'
import { Sending } from './sending.tsx'
import { TryText } from './try-text.tsx'

type PrivacyTab = 'sending' | 'try' | 'left' | 'allowed' | 'guide'
const tabs: readonly Tab<PrivacyTab>[] = [
  { id: 'sending', title: 'What would be sent', view: <Sending /> },
  { id: 'try', title: 'Try a text', view: <TryText /> },
  { id: 'left', title: 'What was sent', view: <Departures /> },
  { id: 'allowed', title: 'Allowed', view: <AllowedList /> },
  { id: 'guide', title: 'How it works', view: <Guide /> },
]

/** What would leave this machine, what has left it, and what stands in between. */
export default function Privacy() {
  const hasPath = useView(view => view.path !== null)
  const [tab, setTab] = useState<PrivacyTab>(hasPath ? 'sending' : 'try')
  return (
    <Page wide title="Privacy" subtitle="Private values are replaced by tokens on their way out, and put back here.">
      <Tabbed
        label="Privacy"
        tabs={tabs}
        value={tab}
        onChange={next => setTab(next)}
        look={{ list: styles.tabs, content: styles.content }}
      />
    </Page>
  )
}
