import { useQuery } from '@tanstack/react-query'
import { FileText } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import type { FigureId, PathId } from '../../src/contract/ids.ts'
import type { Download } from '../../src/contract/rpc/downloads.ts'
import { textActions } from '../audit/actions.ts'
import { fetchDownload } from '../audit/download.ts'
import { useWork } from '../audit/work.ts'
import { download } from '../home/upload.ts'
import { runStale } from '../notebook/run-stale.ts'
import { Frame } from '../output/frame/frame.tsx'
import { client, problemFrom } from '../state/connection.ts'
import { rpc } from '../state/queries.ts'
import { showProblem, showToast } from '../state/toasts.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Empty } from '../ui/empty.tsx'
import { Loading } from '../ui/loading.tsx'
import { Words } from '../ui/words.tsx'
import styles from './report.module.css'
import { useReportOptions } from './report-options.ts'
import { setFigures } from './state.ts'
import { stateText } from './words.ts'

/** A report of a path: what goes into it on one side, what it looks like on the other. */
export default function ReportDialog({ path }: { path: PathId }) {
  const figures = useQuery(rpc.figures.list.queryOptions({ input: path }))
  const options = useReportOptions()
  const [title, setTitle] = useState('')
  const [left, setLeft] = useState<ReadonlySet<FigureId>>(new Set())
  const [page, setPage] = useState<string | null>(null)
  const work = useWork<Download>()
  const chosen = (figures.data ?? []).filter(figure => !left.has(figure.id)).map(figure => figure.id)
  const request = { path, ...options, figures: chosen, ...(title.trim() ? { title: title.trim() } : {}) }
  const close = () => {
    work.stop()
    setFigures({ report: null })
  }
  const make = async (format: 'html' | 'pdf') => {
    const made = await work.start(signal => client.figures.report({ ...request, format }, { signal }))
    return made && { made, file: await fetchDownload(made) }
  }
  const save = async (format: 'html' | 'pdf') => {
    const done = await make(format)
    if (!done) return
    download(done.made.name, done.made.mediaType, done.file)
    showToast({ kind: 'good', text: `Saved ${done.made.name}.` })
  }
  const preview = useRef(make)
  preview.current = make
  const shown = JSON.stringify([chosen, options])
  useEffect(() => {
    // Asked once for each choice; the title is put in when the file is made.
    if (shown === '' || chosen.length === 0) return
    void preview.current('html').then(async done => done && setPage(await done.file.text()))
  }, [shown, chosen.length])
  const problem = work.error ? problemFrom(work.error) : null
  return (
    <Dialog
      open
      wide
      onClose={close}
      title="Report of this path"
      description="For people who never open a notebook: figures, charts, tables, decisions and the record’s seal."
      footer={
        <>
          {work.running && <span className={styles.quiet}>Checking the record and drawing…</span>}
          <Button disabled={work.running || chosen.length === 0} onClick={() => void save('html')}>
            Save as web page
          </Button>
          <Button look="primary" disabled={work.running || chosen.length === 0} onClick={() => void save('pdf')}>
            Save as PDF
          </Button>
        </>
      }
    >
      {!figures.data ? (
        <Loading />
      ) : figures.data.length === 0 ? (
        <Empty icon={<FileText />} small title="Nothing is pinned on this path">
          <p>Select a cell and press P to pin a number, table or chart. The report is made of what is pinned.</p>
        </Empty>
      ) : (
        <div className={styles.sides}>
          <form className={styles.options} onSubmit={event => event.preventDefault()}>
            <label className={styles.field}>
              Title
              <input
                value={title}
                maxLength={200}
                placeholder="Title of the conversation"
                onChange={event => setTitle(event.target.value)}
              />
            </label>
            <fieldset>
              <legend>Figures</legend>
              {figures.data.map(({ id, name, state }) => (
                <label key={id}>
                  <input
                    type="checkbox"
                    checked={!left.has(id)}
                    onChange={event => {
                      const next = new Set(left)
                      if (event.target.checked) next.delete(id)
                      else next.add(id)
                      setLeft(next)
                    }}
                  />
                  <span>{name}</span>
                  <small>{state.kind === 'shown' && state.stale ? 'stale' : stateText(state)}</small>
                </label>
              ))}
            </fieldset>
            <fieldset>
              <legend>Also in it</legend>
              {choices.map(([name, words]) => (
                <label key={name}>
                  <input
                    type="checkbox"
                    checked={options[name]}
                    onChange={event => useReportOptions.setState({ [name]: event.target.checked })}
                  />
                  <span>{words}</span>
                </label>
              ))}
            </fieldset>
          </form>
          {problem ? (
            <div role="alert" className={styles.problem}>
              <Empty small icon={<FileText />} title={problem.message}>
                <p>
                  <Words text={problem.hint} />
                </p>
                {problem.code === 'report.stale' && (
                  <Button
                    look="primary"
                    onClick={() => {
                      close()
                      void runStale(path).catch(showProblem)
                    }}
                  >
                    Run the stale cells
                  </Button>
                )}
              </Empty>
            </div>
          ) : (
            <div className={styles.preview} aria-busy={work.running}>
              {page === null ? (
                <Loading />
              ) : (
                <Frame key={page} html={page} label="Preview of the report" scripts="ask" actions={textActions} />
              )}
            </div>
          )}
        </div>
      )}
    </Dialog>
  )
}

const choices = [
  ['compare', 'Numbers of the other paths'],
  ['withCode', 'Code behind the figures'],
  ['allowStale', 'Stale figures, marked as such'],
] as const
