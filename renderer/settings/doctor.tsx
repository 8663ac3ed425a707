import { useQuery } from '@tanstack/react-query'
import { CircleCheck, CircleX } from 'lucide-react'
import { SandboxKind } from '../../src/contract/run.ts'
import { sandboxWords } from '../review/words.ts'
import { rpc } from '../state/queries.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Loading } from '../ui/loading.tsx'
import { ProblemView } from '../ui/problem.tsx'
import { Words } from '../ui/words.tsx'
import styles from './doctor.module.css'

/** What is here, what is not, why, and how to get it. */
export default function Doctor({ onClose }: { onClose(): void }) {
  const probes = useQuery({ ...rpc.app.doctor.queryOptions(), staleTime: 0 })
  return (
    <Dialog open onClose={onClose} title="What is installed here">
      {probes.isError ? (
        <ProblemView error={probes.error} onRetry={() => probes.refetch()} />
      ) : !probes.data ? (
        <Loading text="Looking…" />
      ) : (
        <ul className={styles.list}>
          {probes.data.map(probe => (
            <li key={probe.name}>
              {probe.available ? (
                <CircleCheck className={styles.here} aria-label="available" />
              ) : (
                <CircleX className={styles.missing} aria-label="missing" />
              )}
              <div>
                <strong>{nameOf(probe.name)}</strong>{' '}
                <p>
                  <Words text={probe.detail.replace(/^[a-z]/, letter => letter.toUpperCase())} />
                </p>
                {probe.hint && (
                  <small>
                    <Words text={probe.hint} />
                  </small>
                )}
              </div>
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  )
}

/** A back end by the name that people know it by; the rest has its name from the engine. */
function nameOf(probe: string): string {
  const kind = SandboxKind.safeParse(probe)
  return kind.success ? sandboxWords[kind.data] : probe
}
