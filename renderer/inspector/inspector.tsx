import { Tabs } from 'radix-ui'
import type { ConversationId, PathId } from '../../src/contract/ids.ts'
import { Files } from './files.tsx'
import styles from './inspector.module.css'
import { LastRunView } from './last-run.tsx'
import { SandboxView } from './sandbox.tsx'
import { Variables } from './variables.tsx'

/** Right: what it touches. */
export function Inspector({ path }: { conversation: ConversationId; path: PathId }) {
  return (
    <aside className={styles.pane} aria-label="Inspector">
      <Tabs.Root className={styles.inspector} defaultValue="variables">
        <Tabs.List className={styles.tabs} aria-label="Inspector">
          <Tabs.Trigger value="variables">Variables</Tabs.Trigger>
          <Tabs.Trigger value="files">Files</Tabs.Trigger>
          <Tabs.Trigger value="run">Last run</Tabs.Trigger>
          <Tabs.Trigger value="sandbox">Sandbox</Tabs.Trigger>
        </Tabs.List>
        <Tabs.Content value="variables" className={styles.content}>
          <Variables path={path} />
        </Tabs.Content>
        <Tabs.Content value="files" className={styles.content}>
          <Files path={path} />
        </Tabs.Content>
        <Tabs.Content value="run" className={styles.content}>
          <LastRunView path={path} />
        </Tabs.Content>
        <Tabs.Content value="sandbox" className={styles.content}>
          <SandboxView path={path} />
        </Tabs.Content>
      </Tabs.Root>
    </aside>
  )
}
