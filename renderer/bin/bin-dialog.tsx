import { useQuery } from '@tanstack/react-query'
import { GitBranch, NotebookPen, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { type BinEntry, binDays } from '../../src/contract/bin.ts'
import { ago } from '../home/home.tsx'
import { client } from '../state/connection.ts'
import { queryClient, rpc } from '../state/queries.ts'
import { showProblem, showToast } from '../state/toasts.ts'
import { openPath } from '../state/view.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Empty } from '../ui/empty.tsx'
import { Loading } from '../ui/loading.tsx'
import { ProblemView } from '../ui/problem.tsx'
import styles from './bin.module.css'

/** What was deleted: it can be had back for a month, or deleted for good. */
export default function BinDialog({ onClose }: { onClose(): void }) {
  const bin = useQuery({ ...rpc.conversations.bin.queryOptions(), staleTime: 0 })
  const [sure, setSure] = useState<string | null>(null)
  const act = (work: Promise<unknown>) => void work.then(refresh).catch(showProblem)
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title="Bin"
      description={`Deleted conversations and paths stay here for ${binDays} days. What the record says of them is not deleted with them.`}
    >
      {bin.isError ? (
        <ProblemView error={bin.error} onRetry={() => bin.refetch()} />
      ) : !bin.data ? (
        <Loading />
      ) : bin.data.length === 0 ? (
        <Empty icon={<Trash2 />} small title="The bin is empty">
          <p>Whatever you delete can be restored from here.</p>
        </Empty>
      ) : (
        <ul className={styles.list}>
          {bin.data.map(entry => {
            const key = `${entry.conversation} ${entry.path}`
            return (
              <li key={key}>
                {entry.kind === 'conversation' ? <NotebookPen aria-hidden /> : <GitBranch aria-hidden />}
                <span className={styles.name}>
                  {entry.name === null ? entry.title : `${entry.name} (path of ${entry.title})`}
                  <small>
                    deleted {ago(entry.deletedAt)},{' '}
                    {entry.needed ? 'kept while other paths branch from it' : `gone in ${daysLeft(entry)}`}
                  </small>
                </span>
                <Button onClick={() => act(restore(entry, onClose))}>Restore</Button>
                {sure === key ? (
                  <Button look="danger" onClick={() => act(client.conversations.erase(refOf(entry)))}>
                    Delete for good: sure?
                  </Button>
                ) : (
                  <Button look="quiet" disabled={entry.needed} onClick={() => setSure(key)}>
                    Delete for good
                  </Button>
                )}
              </li>
            )
          })}
        </ul>
      )}
    </Dialog>
  )
}

const refOf = ({ conversation, path }: BinEntry) => ({ conversation, path })
const refresh = () => queryClient.invalidateQueries({ queryKey: rpc.conversations.key() })

async function restore(entry: BinEntry, onDone: () => void): Promise<void> {
  if (entry.path) {
    await client.paths.restore(entry.path)
    openPath(entry.conversation, entry.path)
  } else {
    const restored = await client.conversations.restore(entry.conversation)
    openPath(restored.id, restored.main)
  }
  onDone()
  showToast({ kind: 'good', text: `“${entry.name ?? entry.title}” is back.` })
}

function daysLeft({ goesAt }: BinEntry): string {
  const days = Math.max(0, Math.ceil((goesAt - Date.now()) / 86_400_000))
  return days === 1 ? '1 day' : `${days} days`
}
