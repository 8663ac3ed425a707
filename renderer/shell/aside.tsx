import { useQuery } from '@tanstack/react-query'
import {
  Box,
  Calculator,
  EyeOff,
  type LucideIcon,
  NotebookPen,
  Plug,
  ScrollText,
  Settings,
  Stamp,
  Workflow,
} from 'lucide-react'
import { openStates } from '../../src/contract/approval.ts'
import { commandInfo } from '../commands/commands.ts'
import { rpc } from '../state/queries.ts'
import { type Place, setView, useView } from '../state/view.ts'
import { PathTree } from '../tree/path-tree.tsx'
import { Tooltip } from '../ui/tooltip.tsx'
import styles from './aside.module.css'

const entries: readonly { place: Place; label: string; icon: LucideIcon }[] = [
  { place: 'notebook', label: 'Notebook', icon: NotebookPen },
  { place: 'analyses', label: 'Analyses', icon: Calculator },
  { place: 'workflows', label: 'Workflows', icon: Workflow },
  { place: 'mcp', label: 'MCP', icon: Plug },
  { place: 'review', label: 'Review queue', icon: Stamp },
  { place: 'sandboxes', label: 'Sandboxes', icon: Box },
  { place: 'audit', label: 'Audit', icon: ScrollText },
  { place: 'privacy', label: 'Privacy', icon: EyeOff },
  { place: 'settings', label: 'Settings', icon: Settings },
]

/** Left: where am I. The tree of the conversation, and the other places of the application below it. */
export function Aside() {
  const { place, conversation, path } = useView()
  const waiting = useQuery(rpc.approval.requests.queryOptions({ input: { states: [...openStates] } })).data?.length ?? 0
  return (
    <aside className={styles.aside} aria-label="Navigation">
      <div className={styles.tree}>
        {conversation ? (
          <PathTree conversation={conversation} path={path} />
        ) : (
          <p className={styles.hint}>Open a conversation to see its branches.</p>
        )}
      </div>
      <nav className={styles.places} aria-label="Places">
        {entries.map(({ place: to, label, icon: Icon }) => (
          <Tooltip key={to} text={label} keys={commandInfo(`view.${to}`).keys?.[0]}>
            <button
              type="button"
              aria-current={place === to ? 'page' : undefined}
              onClick={() => setView({ place: to })}
            >
              <Icon aria-hidden />
              <span>{label}</span>
              {to === 'review' && waiting > 0 && (
                <span className={styles.count}>
                  {waiting}
                  <span className="visually-hidden"> waiting</span>
                </span>
              )}
            </button>
          </Tooltip>
        ))}
      </nav>
    </aside>
  )
}
