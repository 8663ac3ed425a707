import { useQuery } from '@tanstack/react-query'
import { Globe, ShieldOff } from 'lucide-react'
import type { PathId } from '../../src/contract/ids.ts'
import { forRun, grantHost, grantWords, isAllow } from '../../src/contract/network.ts'
import styles from '../sandbox/badge.module.css'
import { client } from '../state/connection.ts'
import { queryClient, rpc } from '../state/queries.ts'
import { useRuns } from '../state/runs.ts'
import { showProblem } from '../state/toasts.ts'
import { Menu } from '../ui/menu.tsx'

const none: readonly string[] = []

/** What the run under way on this path may reach, what every run of it may, and the way to take either back. */
export function NetworkBadge({ path }: { path: PathId }) {
  const going = useRuns(state => {
    for (const { view } of state.runs.values())
      if (view.path === path && view.state === 'running' && view.network?.length) return view.network
    return none
  })
  const ofPath = useQuery(rpc.sandbox.grants.queryOptions({ input: path })).data ?? []
  const until = new Map(ofPath.map(grant => [grant.rule, grant.until]))
  const allowed = [...new Set([...going.filter(isAllow).map(forRun), ...until.keys()])]
  if (allowed.length === 0) return null
  const keep = async (kept: readonly string[]) => {
    await client.sandbox.narrow({ path, keep: [...kept] })
    await queryClient.invalidateQueries({ queryKey: rpc.sandbox.grants.key() })
  }
  const takeBack = (kept: readonly string[]) => void keep(kept).catch(showProblem)
  const [first = ''] = allowed
  return (
    <Menu
      trigger={
        <button
          type="button"
          className={going.length > 0 ? `${styles.badge} ${styles.running}` : styles.badge}
          title={allowed.map(grantWords).join('\n')}
        >
          <Globe aria-hidden />
          <span>{allowed.length === 1 ? grantHost(first) : `${allowed.length} hosts`}</span>
        </button>
      }
      items={[
        ...allowed.map(grant => ({
          label: `Take back${life(until.get(grant))}: ${grantWords(grant)}`,
          icon: <ShieldOff />,
          onSelect: () => takeBack(allowed.filter(each => each !== grant)),
        })),
        ...(allowed.length > 1
          ? (['line', { label: 'Take back all of them', danger: true, onSelect: () => takeBack([]) }] as const)
          : []),
      ]}
    />
  )
}

const life = (until: number | undefined): string =>
  until === undefined
    ? ''
    : ` (this path, until ${new Date(until).toLocaleString('en-GB', { weekday: 'short', hour: '2-digit', minute: '2-digit' })})`
