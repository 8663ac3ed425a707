import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { CloudPreview } from '../../src/contract/cloud.ts'
import type { ContextStatus } from '../../src/contract/contexts.ts'
import { bytes } from '../inspector/format.ts'
import { countWords, modeWords, useWords } from '../privacy/words.ts'
import { client } from '../state/connection.ts'
import { queryClient, rpc } from '../state/queries.ts'
import { showProblem, showToast } from '../state/toasts.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Loading } from '../ui/loading.tsx'
import { ProblemView } from '../ui/problem.tsx'
import styles from './cloud.module.css'

/** Asks a person whether a path may go to the cloud, and shows what would leave. Saying nothing means no. */
export function ConsentDialog({ status, onClose }: { status: ContextStatus; onClose(): void }) {
  const preview = useQuery({ ...rpc.cloud.preview.queryOptions({ input: status.path }), staleTime: 0, gcTime: 0 })
  const [replay, setReplay] = useState(status.runs > 0)
  const [busy, setBusy] = useState(false)
  const known = preview.data
  const move = async () => {
    setBusy(true)
    try {
      await client.cloud.allow(status.path)
      await client.sandbox.move({ path: status.path, kind: 'e2b', replay })
      showToast({ kind: 'good', text: 'This path runs in the cloud now. Privacy shows what left.' })
    } catch (error) {
      showProblem(error)
    }
    void queryClient.invalidateQueries({ queryKey: rpc.cloud.key() })
    onClose()
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title={known?.consent ? 'Move this path to the cloud?' : 'Let this path go to the cloud?'}
      description={
        known
          ? `Its code and files leave this machine for ${known.service}, from each run on.`
          : 'Looking at what would leave…'
      }
      footer={
        <>
          <Button onClick={onClose}>Stay on this machine</Button>
          <Button look="primary" onClick={() => void move()} busy={busy} disabled={!known || known.missing !== null}>
            {known?.consent ? 'Move the path' : 'Allow and move'}
          </Button>
        </>
      }
    >
      {preview.isError ? (
        <ProblemView error={preview.error} onRetry={() => preview.refetch()} />
      ) : !known ? (
        <Loading />
      ) : (
        <>
          <Leaving preview={known} />
          <label className={styles.check}>
            <input type="checkbox" checked={replay} onChange={event => setReplay(event.target.checked)} />
            Run the cells again that ran here
          </label>
        </>
      )}
    </Dialog>
  )
}

function Leaving({ preview }: { preview: CloudPreview }) {
  const words = useWords()
  const { cells, files, fileCount, fileBytes, found, mode, example } = preview
  const held = files.filter(({ isText }) => !isText)
  return (
    <div className={styles.leaving}>
      {preview.missing && (
        <p role="alert" className={styles.problem}>
          {preview.missing}
        </p>
      )}
      <dl>
        <dt>Code</dt>
        <dd>{cells === 1 ? '1 cell' : `${cells} cells`}, and those that you write later, each when it runs</dd>
        <dt>Files</dt>
        <dd>
          {fileCount === 0 ? 'None now; those that you add later' : `${fileCount}, ${bytes(fileBytes)}`}
          {files.length > 0 && (
            <ul>
              {files.map(({ path, bytes: size, isText }) => (
                <li key={path} data-held={!isText}>
                  <code>{path}</code> {isText ? bytes(size) : 'is not text, so it stays here'}
                </li>
              ))}
              {fileCount > files.length && <li>and {fileCount - files.length} more</li>}
            </ul>
          )}
          {held.length > 0 && <small>What cannot be read as text cannot be checked, and is not sent.</small>}
        </dd>
        <dt>Private values</dt>
        <dd>
          {Object.keys(found).length === 0 ? 'None found in the code' : countWords(found, words).join(', ')}.{' '}
          {modeWords[mode].what}
        </dd>
        <dt>Stays here</dt>
        <dd>The record, keys, other paths, and who you are: the service is told ids that mean nothing elsewhere</dd>
      </dl>
      {example !== '' && (
        <figure>
          <figcaption>A cell as it would leave</figcaption>
          <pre>{example}</pre>
        </figure>
      )}
      <p className={styles.note}>
        This is put on the record. You can take it back at any time under Sandboxes, which ends the sandbox there.
      </p>
    </div>
  )
}
