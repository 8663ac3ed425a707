import { useQuery } from '@tanstack/react-query'
import { TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import type { CloudState } from '../../src/contract/cloud.ts'
import { client } from '../state/connection.ts'
import { queryClient, rpc } from '../state/queries.ts'
import { showProblem, showToast } from '../state/toasts.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { dateAndTime } from '../ui/when.ts'
import styles from './cloud.module.css'

/** What the cloud has taken this month, against its limits, and the paths that may be there. */
export function CloudUsage() {
  const { data } = useQuery({ ...rpc.cloud.state.queryOptions(), staleTime: 0, refetchInterval: 10_000 })
  if (!data) return null
  const { figures } = data
  return (
    <div className={styles.usage}>
      <div className={styles.meters}>
        <Taken
          label={`Time awake in ${figures.month}`}
          taken={figures.seconds / 3600}
          most={figures.limits.seconds / 3600}
          words={`${duration(figures.seconds)} of ${(figures.limits.seconds / 3600).toLocaleString('en')} h`}
        />
        <Taken
          label={`Sandboxes in ${figures.month}`}
          taken={figures.sandboxes}
          most={figures.limits.sandboxes}
          words={`${figures.sandboxes} of ${figures.limits.sandboxes.toLocaleString('en')}, ${figures.awake} awake now`}
        />
      </div>
      {figures.warnings.map(warning => (
        <p key={warning} role="alert" className={styles.problem}>
          <TriangleAlert aria-hidden /> {warning}
        </p>
      ))}
      <Allowed state={data} />
    </div>
  )
}

function Taken({ label, taken, most, words }: { label: string; taken: number; most: number; words: string }) {
  return (
    <div className={styles.taken}>
      <span>{label}</span>
      <meter min={0} max={most || 1} low={most * 0.8} high={most} optimum={0} value={taken} aria-label={label} />
      <span>{words}</span>
    </div>
  )
}

function Allowed({ state: { consents } }: { state: CloudState }) {
  const [ending, setEnding] = useState<CloudState['consents'][number] | null>(null)
  if (consents.length === 0)
    return <p className={styles.note}>No path may go to the cloud. Choose it at a path’s sandbox badge.</p>
  const revoke = (path: CloudState['consents'][number]) => {
    setEnding(null)
    client.cloud
      .revoke(path.path)
      .then(() => showToast({ kind: 'good', text: 'Taken back. The sandbox that it had there is ended.' }))
      .catch(showProblem)
      .finally(() => void queryClient.invalidateQueries({ queryKey: rpc.cloud.key() }))
  }
  return (
    <>
      <table className={styles.allowed}>
        <thead>
          <tr>
            <th>May go to the cloud</th>
            <th>Service</th>
            <th>Since</th>
            <th>
              <span className="visually-hidden">Take back</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {consents.map(consent => (
            <tr key={consent.path}>
              <td>
                <strong>{consent.title || 'A conversation'}</strong> › {consent.name || 'a path'}
                {consent.branchedFrom && <small> (branched with its variables)</small>}
              </td>
              <td>{consent.service}</td>
              <td>{dateAndTime(consent.givenAt)}</td>
              <td>
                <Button onClick={() => setEnding(consent)}>Take back</Button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {ending && (
        <Dialog
          open
          onClose={() => setEnding(null)}
          title={`Take ${ending.name || 'this path'} back from the cloud?`}
          description="The sandbox that it has there is ended, and its variables are gone. Its files and outputs stay."
          footer={
            <>
              <Button onClick={() => setEnding(null)}>Leave it there</Button>
              <Button look="danger" onClick={() => revoke(ending)}>
                Take back
              </Button>
            </>
          }
        >
          <p>What left already cannot be called back; Privacy shows what it was.</p>
        </Dialog>
      )}
    </>
  )
}

function duration(seconds: number): string {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)]
  if (hours > 0) return `${hours} h ${minutes} min`
  return minutes > 0 ? `${minutes} min ${Math.round(seconds % 60)} s` : `${Math.round(seconds)} s`
}
