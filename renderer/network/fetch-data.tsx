import { useRef, useState } from 'react'
import { feedOf, feeds, feedWords, fileNameOf } from '../../src/contract/feeds.ts'
import type { PathId } from '../../src/contract/ids.ts'
import { useCommand } from '../commands/commands.ts'
import { insertItem } from '../notebook/actions.ts'
import { client, problemFrom } from '../state/connection.ts'
import { queryClient, rpc } from '../state/queries.ts'
import { showToast } from '../state/toasts.ts'
import { useView } from '../state/view.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import styles from './fetch-data.module.css'

/** Official data becomes a file of the path: kept by hash, with address and time on the record. */
export function FetchData({ path }: { path: PathId }) {
  const [open, setOpen] = useState(false)
  useCommand('path.fetch', () => setOpen(true))
  return open && <FetchDialog path={path} onClose={() => setOpen(false)} />
}

function FetchDialog({ path, onClose }: { path: PathId; onClose(): void }) {
  const [url, setUrl] = useState(feeds[0]?.example ?? '')
  const [why, setWhy] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const stop = useRef<AbortController | null>(null)
  const feed = feedOf(url)
  const close = () => {
    stop.current?.abort()
    onClose()
  }
  const fetchIt = async () => {
    const going = new AbortController()
    stop.current = going
    setBusy(true)
    setWhy(null)
    try {
      const { file, sha256 } = await client.sandbox.fetchFeed({ path, url }, { signal: going.signal })
      void queryClient.invalidateQueries({ queryKey: rpc.sandbox.files.key() })
      await insertItem(path, useView.getState().selected ?? undefined, {
        kind: 'cell',
        author: 'analyst',
        language: 'python',
        text: readingCode(file),
      })
      showToast({ kind: 'good', text: `${file} is in the working folder.`, hint: `SHA-256 ${sha256.slice(0, 16)}…` })
      onClose()
    } catch (error) {
      const { message, hint } = problemFrom(error)
      if (!going.signal.aborted) setWhy(`${message} ${hint}`)
      setBusy(false)
    }
  }
  return (
    <Dialog
      open
      onClose={close}
      wide
      title="Fetch official data"
      description="Kept among the files of this path by hash, with its address and time on the record: a replay uses what was fetched now."
      footer={
        <>
          <Button onClick={close}>{busy ? 'Stop' : 'Cancel'}</Button>
          <Button look="primary" disabled={!feed || busy} onClick={() => void fetchIt()}>
            {busy ? 'Fetching…' : 'Fetch'}
          </Button>
        </>
      }
    >
      <div className={styles.fields}>
        <ul className={styles.sources} aria-label="Sources">
          {feeds.map(each => (
            <li key={each.name}>
              <button
                type="button"
                aria-pressed={feed === each}
                disabled={busy}
                onClick={() => {
                  setUrl(each.example)
                  setWhy(null)
                }}
              >
                <b>{each.name}</b>
                <span>{each.serves}</span>
                <code>{feedWords(each)}</code>
              </button>
            </li>
          ))}
        </ul>
        <label>
          Address
          <textarea
            rows={2}
            spellCheck={false}
            value={url}
            disabled={busy}
            onChange={event => setUrl(event.target.value)}
          />
        </label>
        <p className={why ? styles.bad : styles.note} role="status">
          {why ??
            (feed
              ? `Only this address is sent, to ${new URL(url).hostname}. It becomes ${fileNameOf(url)}.`
              : 'This address belongs to none of the sources above. To fetch data from elsewhere, use code: a reviewer can grant it the host.')}
        </p>
      </div>
    </Dialog>
  )
}

function readingCode(file: string): string {
  const name = JSON.stringify(file)
  if (/\.csv$/i.test(file)) return `import pandas as pd\n\ndata = pd.read_csv(${name})\ndata`
  if (/\.json$/i.test(file)) return `import json\n\nwith open(${name}) as file:\n    data = json.load(file)\ndata`
  return `with open(${name}) as file:\n    text = file.read()\nprint(text[:1000])`
}
