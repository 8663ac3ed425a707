import { useQuery } from '@tanstack/react-query'
import { BookOpen, Compass, FileInput, LayoutTemplate, NotebookPen, Plus, Trash2 } from 'lucide-react'
import { useEffect, useState } from 'react'
import { RetentionQuestion } from '../audit/retention-question.tsx'
import { rpc } from '../state/queries.ts'
import { showProblem } from '../state/toasts.ts'
import { openPath, setView } from '../state/view.ts'
import { beginTour, useTour } from '../tour/tour.tsx'
import { Button } from '../ui/button.tsx'
import { Loading } from '../ui/loading.tsx'
import { ProblemView } from '../ui/problem.tsx'
import { createConversation, importFile, importNotebook, openSample } from './actions.ts'
import styles from './home.module.css'

let isFirstLook = true

/** The first thing a person sees: what this is, and the three ways to begin. */
export function Home() {
  const list = useQuery(rpc.conversations.list.queryOptions({ input: {} }))
  const [over, setOver] = useState(false)
  const seen = useTour(state => state.seen)
  const latest = list.data?.[0]
  useEffect(() => {
    // Whoever comes back finds the work where it was left, also in another browser; this page is for beginning.
    if (latest && isFirstLook) openPath(latest.id, latest.main)
    if (list.data) isFirstLook = false
  }, [latest, list.data])
  if (list.isError) return <ProblemView error={list.error} onRetry={() => list.refetch()} />
  if (!list.data) return <Loading />
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a shortcut for the Import button, which has a keyboard
    <div
      className={over ? `${styles.home} ${styles.over}` : styles.home}
      onDragOver={event => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={event => {
        event.preventDefault()
        setOver(false)
        const [file] = event.dataTransfer.files
        if (file) void importFile(file).catch(showProblem)
      }}
    >
      <div className={styles.intro}>
        <h1>Countersign</h1>
        <p>
          A notebook for calculations that others will have to trust. Code is checked before it runs, countersigned when
          it is risky, run in the sandbox of its own branch, and put on a record that nobody can quietly change.
        </p>
        <div className={styles.actions}>
          <Button look="primary" icon={<Plus />} onClick={() => void createConversation().catch(showProblem)}>
            New conversation
          </Button>
          <Button icon={<BookOpen />} onClick={() => void openSample().catch(showProblem)}>
            Open the sample
          </Button>
          <Button icon={<LayoutTemplate />} onClick={() => setView({ dialog: 'templates' })}>
            From a template…
          </Button>
          <Button icon={<FileInput />} onClick={() => void importNotebook().catch(showProblem)}>
            Import notebook…
          </Button>
        </div>
        <div className={styles.more}>
          {!seen && (
            <Button
              look="quiet"
              icon={<Compass />}
              onClick={() => void openSample().then(beginTour).catch(showProblem)}
            >
              New here? A tour in five steps
            </Button>
          )}
          <Button look="quiet" icon={<Trash2 />} onClick={() => setView({ dialog: 'bin' })}>
            Bin
          </Button>
        </div>
      </div>
      <RetentionQuestion />
      <section className={styles.recent} aria-labelledby="recent">
        <h2 id="recent">Recent conversations</h2>
        {list.data.length === 0 ? (
          <p className={styles.none}>
            None yet. The sample is a capital review with a stress branch: a good place to look around.
          </p>
        ) : (
          <ul>
            {list.data.slice(0, 12).map(conversation => (
              <li key={conversation.id}>
                <button type="button" onClick={() => openPath(conversation.id, conversation.main)}>
                  <NotebookPen aria-hidden />
                  <span className={styles.name}>{conversation.title}</span>
                  <span className={styles.detail}>
                    {conversation.pathCount === 1 ? '1 path' : `${conversation.pathCount} paths`} ·{' '}
                    {ago(conversation.lastActivityAt)}
                  </span>
                </button>
              </li>
            ))}
          </ul>
        )}
      </section>
    </div>
  )
}

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

export function ago(at: number, now = Date.now()): string {
  const minutes = Math.round((at - now) / 60_000)
  if (minutes > -1) return 'just now'
  if (minutes > -60) return relative.format(minutes, 'minute')
  if (minutes > -60 * 24) return relative.format(Math.round(minutes / 60), 'hour')
  return relative.format(Math.round(minutes / 60 / 24), 'day')
}
