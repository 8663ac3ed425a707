import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ConversationId } from '../../src/contract/ids.ts'
import { rpc } from '../state/queries.ts'
import { Button } from '../ui/button.tsx'
import { ProblemView } from '../ui/problem.tsx'
import styles from './statistics.module.css'
import { useWords } from './words.ts'

/** Kinds shown before somebody asks for all. */
const few = 12

/** What was found on the way out, by kind. */
export function Statistics({ conversation }: { conversation: ConversationId | undefined }) {
  const words = useWords()
  const [isWhole, setWhole] = useState(false)
  const counts = useQuery({
    ...rpc.privacy.statistics.queryOptions({ input: { conversation } }),
    staleTime: 0,
    refetchInterval: 15_000,
  })
  if (counts.isError) return <ProblemView error={counts.error} onRetry={() => counts.refetch()} />
  const rows = Object.entries(counts.data ?? {}).sort(([, a], [, b]) => b - a)
  const most = rows[0]?.[1] ?? 1
  const sum = rows.reduce((total, [, count]) => total + count, 0)
  return (
    <section className={styles.statistics} aria-labelledby="statistics">
      <h2 id="statistics">Found on the way out</h2>
      {rows.length === 0 ? (
        <p className={styles.none}>Nothing yet.</p>
      ) : (
        <>
          <p className={styles.sum}>
            {sum.toLocaleString('en')} {sum === 1 ? 'value' : 'values'} of {rows.length}{' '}
            {rows.length === 1 ? 'kind' : 'kinds'}
          </p>
          <dl>
            {rows.slice(0, isWhole ? undefined : few).map(([type, count]) => (
              <div key={type}>
                <dt>{words.type(type)}</dt>
                <dd>
                  {count.toLocaleString('en')}
                  <span className={styles.bar} aria-hidden>
                    <i style={{ width: `${Math.max(2, (count / most) * 100)}%` }} />
                  </span>
                </dd>
              </div>
            ))}
          </dl>
          {rows.length > few && (
            <Button look="quiet" onClick={() => setWhole(!isWhole)}>
              {isWhole ? 'Show fewer' : `Show all ${rows.length}`}
            </Button>
          )}
        </>
      )}
    </section>
  )
}
