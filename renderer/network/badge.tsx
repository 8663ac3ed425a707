import { Globe, ShieldOff } from 'lucide-react'
import type { PathId } from '../../src/contract/ids.ts'
import { grantHost, grantWords } from '../../src/contract/network.ts'
import styles from '../sandbox/badge.module.css'
import { client } from '../state/connection.ts'
import { useRuns } from '../state/runs.ts'
import { showProblem } from '../state/toasts.ts'
import { Menu } from '../ui/menu.tsx'

/** What the run under way on this path may reach, and the way to take it back. */
export function NetworkBadge({ path }: { path: PathId }) {
  const grants = useRuns(state => {
    for (const { view } of state.runs.values())
      if (view.path === path && view.state === 'running' && view.network?.length) return view.network
    return null
  })
  const allowed = grants?.filter(grant => !grant.startsWith('deny ')) ?? []
  if (allowed.length === 0) return null
  const keep = (kept: readonly string[]) => void client.sandbox.narrow({ path, keep: [...kept] }).catch(showProblem)
  const [first = ''] = allowed
  return (
    <Menu
      trigger={
        <button type="button" className={`${styles.badge} ${styles.running}`}>
          <Globe aria-hidden />
          <span>{allowed.length === 1 ? grantHost(first) : `${allowed.length} hosts`}</span>
        </button>
      }
      items={[
        ...allowed.map(grant => ({
          label: `Take back: ${grantWords(grant)}`,
          icon: <ShieldOff />,
          onSelect: () => keep(allowed.filter(each => each !== grant)),
        })),
        ...(allowed.length > 1
          ? (['line', { label: 'Take back all of them', danger: true, onSelect: () => keep([]) }] as const)
          : []),
      ]}
    />
  )
}
