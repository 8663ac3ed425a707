import { useState } from 'react'
import type { ConversationId, PathId } from '../../src/contract/ids.ts'
import { Tabbed } from '../ui/tabs.tsx'
import { Files } from './files.tsx'
import styles from './inspector.module.css'
import { LastRunView } from './last-run.tsx'
import { SandboxView } from './sandbox.tsx'
import { Variables } from './variables.tsx'

/** Right: what it touches. */
export function Inspector({ path }: { conversation: ConversationId; path: PathId }) {
  const [tab, setTab] = useState<'variables' | 'files' | 'run' | 'sandbox'>('variables')
  return (
    <aside className={styles.pane} aria-label="Inspector">
      <Tabbed
        label="Inspector"
        value={tab}
        onChange={next => setTab(next)}
        tabs={[
          { id: 'variables', title: 'Variables', view: <Variables path={path} /> },
          { id: 'files', title: 'Files', view: <Files path={path} /> },
          { id: 'run', title: 'Last run', view: <LastRunView path={path} /> },
          { id: 'sandbox', title: 'Sandbox', view: <SandboxView path={path} /> },
        ]}
        look={{ root: styles.inspector, list: styles.tabs, content: styles.content }}
      />
    </aside>
  )
}
