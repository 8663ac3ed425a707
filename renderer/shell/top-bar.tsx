import { useQuery } from '@tanstack/react-query'
import { ChevronRight, ChevronsUpDown, Command, PanelLeft, PanelRight, Search, UserRound } from 'lucide-react'
import { runCommand } from '../commands/commands.ts'
import { NetworkBadge } from '../network/badge.tsx'
import { useMe } from '../review/identity.tsx'
import { SandboxBadge } from '../sandbox/badge.tsx'
import { openSettings } from '../settings/section.ts'
import { useConnection } from '../state/connection.ts'
import { rpc } from '../state/queries.ts'
import { openPath, setView, useView } from '../state/view.ts'
import { IconButton } from '../ui/button.tsx'
import styles from './top-bar.module.css'

/** Whom this window acts and signs as. */
function Me() {
  const { data: me } = useMe()
  if (!me) return null
  return (
    <button
      type="button"
      className={styles.me}
      title={`You act and sign as ${me.name}`}
      onClick={() => openSettings('people')}
    >
      <UserRound aria-hidden /> <span>{me.name}</span>
    </button>
  )
}

/** Where am I, what can I do, and where does it run: always in sight. */
export function TopBar() {
  const { conversation, path, leftOpen, rightOpen } = useView()
  const tree = useQuery({
    ...rpc.conversations.tree.queryOptions({ input: conversation ?? never }),
    enabled: conversation !== null,
  })
  const trail = conversation && path ? trailTo(tree.data?.paths ?? [], path) : []
  return (
    <header className={styles.bar}>
      <IconButton
        label={leftOpen ? 'Hide the tree' : 'Show the tree'}
        keys="Mod+B"
        icon={<PanelLeft />}
        aria-pressed={leftOpen}
        onClick={() => setView({ leftOpen: !leftOpen })}
      />
      <button type="button" className={styles.conversation} onClick={() => setView({ dialog: 'conversations' })}>
        <span className={styles.title}>{(conversation && tree.data?.conversation.title) || 'Countersign'}</span>
        <ChevronsUpDown aria-hidden />
      </button>
      <nav className={styles.trail} aria-label="Path">
        {trail.map((step, index) => (
          <span key={step.id} className={styles.step}>
            {index > 0 && <ChevronRight aria-hidden />}
            <button
              type="button"
              aria-current={step.id === path ? 'page' : undefined}
              onClick={() => conversation && openPath(conversation, step.id)}
            >
              {step.name}
            </button>
          </span>
        ))}
      </nav>
      <Lost />
      <div className={styles.actions}>
        <button type="button" className={styles.search} onClick={() => runCommand('search')}>
          <Search aria-hidden /> Search
        </button>
        <IconButton label="Command palette" keys="Mod+K" icon={<Command />} onClick={() => runCommand('palette')} />
        <Me />
        {conversation && path && <NetworkBadge path={path} />}
        {conversation && path && <SandboxBadge path={path} />}
        <IconButton
          label={rightOpen ? 'Hide the inspector' : 'Show the inspector'}
          keys="Mod+Alt+B"
          icon={<PanelRight />}
          aria-pressed={rightOpen}
          onClick={() => setView({ rightOpen: !rightOpen })}
        />
      </div>
    </header>
  )
}

function Lost() {
  const { state, reason } = useConnection()
  if (state !== 'lost') return null
  return (
    <span role="status" className={styles.lost}>
      Connection lost{reason ? ` (${reason})` : ''}. Trying again; what you type is kept.
    </span>
  )
}

type Paths = readonly { id: string; name: string; shownUnder: string | null }[]

/** From the first path down to this one. */
function trailTo<P extends Paths[number]>(paths: readonly P[], to: string): P[] {
  const trail: P[] = []
  for (let at: string | null = to; at && trail.length < 50; ) {
    const found: P | undefined = paths.find(path => path.id === at)
    if (!found) break
    trail.unshift(found)
    at = found.shownUnder
  }
  return trail.length > 4 ? [...trail.slice(0, 1), ...trail.slice(-3)] : trail
}

const never = '' as never
