import { useQuery } from '@tanstack/react-query'
import { Download, Ellipsis, File, Folder, FolderOpen, Link2, Trash2, Upload } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { PathId } from '../../src/contract/ids.ts'
import type { WorkFile } from '../../src/contract/sandbox.ts'
import { chooseFile, download, fetched, upload } from '../home/upload.ts'
import { client } from '../state/connection.ts'
import { rpc } from '../state/queries.ts'
import { useRuns } from '../state/runs.ts'
import { showProblem, showToast } from '../state/toasts.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Empty } from '../ui/empty.tsx'
import { Menu, onRightClick } from '../ui/menu.tsx'
import { ProblemView } from '../ui/problem.tsx'
import { FilePreview } from './file-preview.tsx'
import { bytes } from './format.ts'
import styles from './inspector.module.css'

const icons = { file: File, folder: Folder, link: Link2, other: File } as const

/** The path's working folder. Files come in by dropping them here, and go out one by one. */
export function Files({ path }: { path: PathId }) {
  const [folder, setFolder] = useState('')
  const [over, setOver] = useState(false)
  const [sending, setSending] = useState<string | null>(null)
  const [shown, setShown] = useState<WorkFile | null>(null)
  const [removing, setRemoving] = useState<WorkFile | null>(null)
  const { data: status } = useQuery(rpc.sandbox.status.queryOptions({ input: path }))
  const alive = status?.state === 'ready' || status?.state === 'running'
  const files = useQuery({
    ...rpc.sandbox.files.queryOptions({ input: { path, folder } }),
    staleTime: 0,
  })
  const lastEnd = useRuns(state =>
    Math.max(
      0,
      ...[...state.runs.values()].filter(({ view }) => view.path === path).map(({ view }) => view.finishedAt ?? 0),
    ),
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: a run that ended may have left files
  useEffect(() => {
    void files.refetch()
  }, [lastEnd, alive])

  const send = async (chosen: readonly File[]) => {
    for (const file of chosen) {
      const name = safeName(file.name)
      setSending(`${name} …`)
      const id = await upload(file, share => setSending(`${name} ${Math.round(share * 100)} %`))
      await client.sandbox.writeFile({ path, file: folder ? `${folder}/${name}` : name, upload: id })
    }
    setSending(null)
    showToast({
      kind: 'good',
      text:
        chosen.length === 1
          ? `${chosen[0]?.name} is in the working folder.`
          : `${chosen.length} files are in the working folder.`,
    })
    await files.refetch()
  }
  const start = (chosen: readonly File[]) =>
    void send(chosen).catch(error => {
      setSending(null)
      showProblem(error)
    })
  const remove = async (file: WorkFile) => {
    await client.sandbox.removeFile({ path, file: file.path })
    await files.refetch()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a shortcut for the Add button
    <div
      className={over ? `${styles.drop} ${styles.over}` : styles.drop}
      onDragOver={event => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={event => {
        event.preventDefault()
        setOver(false)
        start([...event.dataTransfer.files])
      }}
    >
      <div className={styles.crumbs}>
        <button type="button" onClick={() => setFolder('')}>
          work
        </button>
        {folder
          .split('/')
          .filter(Boolean)
          .map((part, index, all) => (
            <span key={all.slice(0, index + 1).join('/')}>
              /
              <button type="button" onClick={() => setFolder(all.slice(0, index + 1).join('/'))}>
                {part}
              </button>
            </span>
          ))}
        <span className={styles.space} />
        <Button look="quiet" icon={<Upload />} onClick={() => void chooseFile('').then(file => file && start([file]))}>
          Add file
        </Button>
      </div>
      {sending && (
        <p className={styles.hint} role="status">
          Sending {sending}
        </p>
      )}
      {files.isError ? (
        <ProblemView error={files.error} onRetry={() => files.refetch()} />
      ) : (files.data?.length ?? 0) === 0 ? (
        <Empty icon={<FolderOpen />} title="No files">
          <p>Drop data files here, or paste a range from a spreadsheet; code finds them by their names.</p>
        </Empty>
      ) : (
        <ul className={styles.list}>
          {(files.data ?? []).map(file => {
            const Icon = icons[file.kind]
            const name = file.path.split('/').at(-1) ?? file.path
            return (
              <li key={file.path} className={styles.file} onContextMenu={onRightClick}>
                <div className={styles.line}>
                  <Icon aria-label={file.kind} size={13} />
                  <button
                    type="button"
                    className={styles.open}
                    onClick={() =>
                      file.kind === 'folder' ? setFolder(file.path) : file.kind === 'file' ? setShown(file) : undefined
                    }
                  >
                    {visible(name)}
                  </button>
                  {file.kind === 'file' && <span className={styles.facts}>{bytes(file.bytes)}</span>}
                  {file.kind === 'file' && (
                    <IconButton
                      label={`Download ${visible(name)}`}
                      icon={<Download />}
                      onClick={() => void save(path, file).catch(showProblem)}
                    />
                  )}
                  <Menu
                    main
                    trigger={<IconButton label={`Actions for ${visible(name)}`} icon={<Ellipsis />} />}
                    items={[
                      {
                        label: file.kind === 'folder' ? 'Open' : 'Preview',
                        disabled: file.kind !== 'file' && file.kind !== 'folder',
                        onSelect: () => (file.kind === 'folder' ? setFolder(file.path) : setShown(file)),
                      },
                      {
                        label: 'Copy its name',
                        onSelect: () => void navigator.clipboard.writeText(file.path).catch(showProblem),
                      },
                      'line',
                      {
                        label: 'Delete…',
                        icon: <Trash2 />,
                        danger: true,
                        onSelect: () => setRemoving(file),
                      },
                    ]}
                  />
                </div>
              </li>
            )
          })}
        </ul>
      )}
      {shown && <FilePreview path={path} file={shown} onClose={() => setShown(null)} />}
      {removing && (
        <RemoveDialog
          file={removing}
          onClose={() => setRemoving(null)}
          onRemove={() => {
            setRemoving(null)
            void remove(removing).catch(showProblem)
          }}
        />
      )}
    </div>
  )
}

/** There is no way back to a file that no run has read or left. */
function RemoveDialog({ file, onClose, onRemove }: { file: WorkFile; onClose(): void; onRemove(): void }) {
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Delete ${visible(file.path)}?`}
      description={
        file.kind === 'folder'
          ? 'With all that is in it. Branches that were made before keep their own.'
          : 'Branches that were made before keep their own.'
      }
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="danger" onClick={onRemove}>
            Delete
          </Button>
        </>
      }
    />
  )
}

/** A name that stays in the folder and can be read: no separators, no control characters, no leading dots. */
export const safeName = (name: string): string =>
  (
    name
      .normalize('NFC')
      .replace(/[\p{Cc}\p{Cf}/\\:]/gu, '_')
      .replace(/^\.+/, '_')
      .slice(0, 200) || 'file'
  ).trim()

/** Code can make files with names that hide something; they are shown, not obeyed. */
export const visible = (name: string): string =>
  name.replace(/[\p{Cc}\p{Cf}]/gu, character => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)

export const readWhole = (path: PathId, file: WorkFile, limit?: number): Promise<Uint8Array<ArrayBuffer>> =>
  fetched(at => client.sandbox.readFile({ path, file: file.path, ...at }), limit)

async function save(path: PathId, file: WorkFile): Promise<void> {
  download(safeName(file.path.split('/').at(-1) ?? 'file'), 'application/octet-stream', await readWhole(path, file))
}
