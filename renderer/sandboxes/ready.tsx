import { useQuery } from '@tanstack/react-query'
import { sandboxWords } from '../review/words.ts'
import { rpc } from '../state/queries.ts'
import styles from './sandboxes.module.css'
import { Section } from './section.tsx'

/** What is opened before anybody asks, so that the first run does not wait. */
export function Ready() {
  const { data } = useQuery({ ...rpc.sandboxes.overview.queryOptions(), staleTime: 0, refetchInterval: 3000 })
  const pools = data?.pools.filter(({ wanted }) => wanted > 0) ?? []
  return (
    <Section
      title="Kept ready"
      lead={
        pools.length > 0
          ? 'Opened ahead, so that the first run of a path does not wait.'
          : 'No sandbox is kept ready. The setting “Kept ready” says how many should be.'
      }
    >
      {pools.length > 0 && (
        <ul className={styles.pools}>
          {pools.map(({ kind, ready, wanted }) => (
            <li key={kind}>
              <span>{sandboxWords[kind]}</span>
              <meter min={0} max={wanted} value={ready} aria-label={`${sandboxWords[kind]}, ready`} />
              <span>
                {ready} of {wanted} ready
              </span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}
