import { Tabs } from 'radix-ui'
import { useState } from 'react'
import { useView } from '../state/view.ts'
import { Page } from '../ui/page.tsx'
import { AllowedList } from './allowed.tsx'
import { Departures } from './departures.tsx'
import { Guide } from './guide.tsx'
import styles from './privacy.module.css'
import { Sending } from './sending.tsx'
import { TryText } from './try-text.tsx'

/** What would leave this machine, what has left it, and what stands in between. */
export default function Privacy() {
  const hasPath = useView(view => view.path !== null)
  const [tab, setTab] = useState(hasPath ? 'sending' : 'try')
  return (
    <Page wide title="Privacy" subtitle="Private values are replaced by tokens on their way out, and put back here.">
      <Tabs.Root value={tab} onValueChange={setTab}>
        <Tabs.List className={styles.tabs} aria-label="Privacy">
          <Tabs.Trigger value="sending">What would be sent</Tabs.Trigger>
          <Tabs.Trigger value="try">Try a text</Tabs.Trigger>
          <Tabs.Trigger value="left">What left</Tabs.Trigger>
          <Tabs.Trigger value="allowed">Allowed</Tabs.Trigger>
          <Tabs.Trigger value="guide">How it works</Tabs.Trigger>
        </Tabs.List>
        <Tabs.Content value="sending" className={styles.content}>
          <Sending />
        </Tabs.Content>
        <Tabs.Content value="try" className={styles.content}>
          <TryText />
        </Tabs.Content>
        <Tabs.Content value="left" className={styles.content}>
          <Departures />
        </Tabs.Content>
        <Tabs.Content value="allowed" className={styles.content}>
          <AllowedList />
        </Tabs.Content>
        <Tabs.Content value="guide" className={styles.content}>
          <Guide />
        </Tabs.Content>
      </Tabs.Root>
    </Page>
  )
}
