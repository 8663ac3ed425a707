import type { ConversationId, PathId } from '../../src/contract/ids.ts'
import { FiguresView } from '../figures/figures.tsx'
import { setFigures, useFigures } from '../figures/state.ts'
import { Tabbed } from '../ui/tabs.tsx'
import { Files } from './files.tsx'
import styles from './inspector.module.css'
import { LastRunView } from './last-run.tsx'
import { SandboxView } from './sandbox.tsx'
import { Variables } from './variables.tsx'

/** Right: what it touches. */
export function Inspector({ conversation, path }: { conversation: ConversationId; path: PathId }) {
  const tab = useFigures(view => view.tab)
  return (
    <aside className={styles.pane} aria-label="Inspector">
      <Tabbed
        label="Inspector"
        value={tab}
        onChange={next => setFigures({ tab: next })}
        tabs={[
          { id: 'variables', title: 'Variables', view: <Variables path={path} /> },
          { id: 'figures', title: 'Figures', view: <FiguresView conversation={conversation} path={path} /> },
          { id: 'files', title: 'Files', view: <Files path={path} /> },
          { id: 'run', title: 'Last run', view: <LastRunView path={path} /> },
          { id: 'sandbox', title: 'Sandbox', view: <SandboxView path={path} /> },
        ]}
        look={{ root: styles.inspector, list: styles.tabs, content: styles.content }}
      />
    </aside>
  )
}
