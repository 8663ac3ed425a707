import { useQuery } from '@tanstack/react-query'
import { Command } from 'cmdk'
import { CircleAlert, CornerLeftUp, Folder, House, UserSearch } from 'lucide-react'
import { type KeyboardEvent, useState } from 'react'
import type { FolderPage } from '../../../src/contract/folders.ts'
import { bytes } from '../../inspector/format.ts'
import { problemFrom } from '../../state/connection.ts'
import { rpc } from '../../state/queries.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Words } from '../../ui/words.tsx'
import styles from './folder-dialog.module.css'

interface FolderDialogProps {
  /** Where to begin; empty means the home folder. */
  readonly from: string
  onChoose(folder: string): void
  onClose(): void
}

/** Folders of this machine, for a browser, which cannot show the system's own dialog. Files are not listed. */
export function FolderDialog({ from, onChoose, onClose }: FolderDialogProps) {
  const [{ folder, before }, setPlace] = useState({ folder: from, before: '' })
  const [hidden, setHidden] = useState(false)
  const [filter, setFilter] = useState('')
  /** The folder under the cursor. */
  const [at, setAt] = useState('')
  const list = useQuery({
    ...rpc.folders.list.queryOptions({ input: { folder, hidden } }),
    staleTime: 0,
    // The folder before stays in sight until the next one is there: an empty list would flicker.
    placeholderData: known => known,
  })
  const page = list.error ? null : (list.data ?? null)
  const open = (next: string, cursor = '') => {
    setPlace({ folder: next, before: page?.path ?? '' })
    setFilter('')
    setAt(cursor)
  }
  const above = page?.above.at(-2) ?? null
  const goUp = () => above && page && open(above.path, page.path)
  const choose = () => page && !list.isPlaceholderData && onChoose(page.path)
  const onKeyDown = (event: KeyboardEvent) => {
    const isUp = event.key === 'Backspace' && filter === ''
    const isChoice = event.key === 'Enter' && (event.ctrlKey || event.metaKey)
    if (!isUp && !isChoice) return
    event.preventDefault()
    if (isUp) goUp()
    else choose()
  }
  const shown = page?.folders.filter(({ name }) => name.toLowerCase().includes(filter.trim().toLowerCase())) ?? []
  return (
    <Dialog
      open
      onClose={onClose}
      title="Choose the folder of the names model"
      description="The model is read where it lies. Nothing is copied or downloaded."
      footer={
        <>
          <label className={styles.hidden}>
            <input type="checkbox" checked={hidden} onChange={event => setHidden(event.target.checked)} />
            Hidden folders
          </label>
          <Button onClick={onClose}>Cancel</Button>
          <Button look={page?.model ? 'primary' : 'plain'} disabled={!page} onClick={choose}>
            {page ? `Choose “${page.above.at(-1)?.name}”` : 'Choose'}
          </Button>
        </>
      }
    >
      <Command
        // A list of its own for each folder: one that lost the entry under its cursor would put it on the first.
        key={page?.path ?? ''}
        className={styles.folders}
        label="Folders"
        shouldFilter={false}
        value={shown.some(({ path }) => path === at) ? at : (shown[0]?.path ?? '')}
        onValueChange={setAt}
        onKeyDown={onKeyDown}
        loop
      >
        <div className={styles.bar}>
          <IconButton label="Go up" keys="Backspace" icon={<CornerLeftUp />} disabled={!above} onClick={goUp} />
          <Above page={page} onOpen={open} />
          <IconButton label="Go to the home folder" icon={<House />} onClick={() => open('')} />
        </div>
        <Command.Input
          className={styles.filter}
          placeholder="Filter; arrow keys and Enter open a folder"
          value={filter}
          autoFocus
          onValueChange={setFilter}
        />
        {list.error ? (
          <Unopened error={list.error} before={before} onOpen={open} />
        ) : !page ? (
          <Loading />
        ) : (
          <Command.List className={styles.list} label="Folders">
            <Command.Empty className={styles.empty}>
              {page.folders.length === 0 ? 'There are no folders in here.' : 'No folder has that name.'}
            </Command.Empty>
            {shown.map(({ name, path, hasModel }) => (
              <Command.Item key={path} value={path} className={styles.item} onSelect={() => open(path)}>
                <Folder aria-hidden />
                <span className={styles.name}>{name}</span>
                {hasModel && (
                  <span className={styles.mark}>
                    <UserSearch aria-hidden /> usable model
                  </span>
                )}
              </Command.Item>
            ))}
            {page.left > 0 && <p className={styles.empty}>… and {page.left.toLocaleString('en')} more.</p>}
          </Command.List>
        )}
      </Command>
      <p className={styles.here} role="status" data-model={page?.model != null}>
        {page && about(page)}
      </p>
    </Dialog>
  )
}

/** The way from the root to the open folder; each part of it leads back there. */
function Above({ page, onOpen }: { page: FolderPage | null; onOpen(path: string): void }) {
  return (
    <nav className={styles.above} aria-label="Folders above">
      {page?.above.map(({ name, path }, index) => (
        <button
          key={path}
          type="button"
          aria-current={index === page.above.length - 1 ? 'location' : undefined}
          onClick={() => onOpen(path)}
        >
          {name}
        </button>
      ))}
    </nav>
  )
}

function Unopened({ error, before, onOpen }: { error: unknown; before: string; onOpen(path: string): void }) {
  const { message, hint } = problemFrom(error)
  return (
    <Empty small icon={<CircleAlert />} title={message}>
      <p>
        <Words text={hint} />
      </p>
      <Button onClick={() => onOpen(before)}>{before === '' ? 'Go to the home folder' : 'Go back'}</Button>
    </Empty>
  )
}

function about({ model }: FolderPage): string {
  if (!model) return 'This folder itself holds no usable model for names.'
  const labels = model.labels.map(({ label }) => label).join(', ')
  return `This folder holds a usable model, ${bytes(model.bytes)}, with the labels ${labels}.`
}
