import { useEffect, useState } from 'react'
import type { PathId } from '../../src/contract/ids.ts'
import { upload } from '../home/upload.ts'
import { safeName } from '../inspector/files.tsx'
import { client } from '../state/connection.ts'
import { queryClient, rpc } from '../state/queries.ts'
import { showProblem, showToast } from '../state/toasts.ts'
import { useView } from '../state/view.ts'
import { pastedTable, readingCode } from '../table/clipboard.ts'
import { writeCsv } from '../table/csv.ts'
import type { TableSource } from '../table/source.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { insertItem } from './actions.ts'
import styles from './paste-table.module.css'

/** A range from a spreadsheet, pasted anywhere but into a text, becomes a file of the path and a cell that reads it. */
export function PasteTable({ path }: { path: PathId }) {
  const [table, setTable] = useState<TableSource | null>(null)
  useEffect(() => {
    const onPaste = (event: ClipboardEvent) => {
      if (isText(event.target) || !event.clipboardData) return
      const { clipboardData: data } = event
      const found = pastedTable(data.getData('text/html'), data.getData('text/plain'))
      if (!found) return
      event.preventDefault()
      setTable(found)
    }
    document.addEventListener('paste', onPaste)
    return () => document.removeEventListener('paste', onPaste)
  }, [])
  return table && <Save path={path} table={table} onClose={() => setTable(null)} />
}

const isText = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('input, textarea, [contenteditable], .monaco-editor, dialog') !== null

function Save({ path, table, onClose }: { path: PathId; table: TableSource; onClose(): void }) {
  const [name, setName] = useState('pasted.csv')
  const [busy, setBusy] = useState(false)
  const save = async (withCell: boolean) => {
    setBusy(true)
    try {
      const file = await freeName(path, /\.csv$/i.test(name) ? safeName(name) : `${safeName(name)}.csv`)
      const rows = Array.from({ length: table.rowCount }, (_, row) => row)
      const data = new File([...writeCsv(table, rows, { guardFormulas: false })], file, { type: 'text/csv' })
      await client.sandbox.writeFile({ path, file, upload: await upload(data) })
      void queryClient.invalidateQueries({ queryKey: rpc.sandbox.files.key() })
      if (withCell) {
        const after = useView.getState().selected ?? undefined
        const text = readingCode(file, table)
        await insertItem(path, after, { kind: 'cell', author: 'analyst', language: 'python', text })
      } else showToast({ kind: 'good', text: `${file} is in the working folder.` })
      onClose()
    } catch (error) {
      showProblem(error)
      setBusy(false)
    }
  }
  const columns = table.columns.map(column => `${column.name} (${column.type})`).join(', ')
  return (
    <Dialog
      open
      onClose={onClose}
      title="Paste a table"
      description={`${table.rowCount.toLocaleString('en')} rows, ${table.columns.length} columns from the clipboard.`}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button busy={busy} onClick={() => void save(false)}>
            Save the file
          </Button>
          <Button look="primary" busy={busy} onClick={() => void save(true)}>
            Save and insert a cell
          </Button>
        </>
      }
    >
      <label className={styles.name}>
        File
        <input value={name} maxLength={200} onChange={event => setName(event.target.value)} />
      </label>
      <p className={styles.columns}>{columns.length > 400 ? `${columns.slice(0, 400)}…` : columns}</p>
    </Dialog>
  )
}

/** Never over a file that is there: a name with a number behind it. */
async function freeName(path: PathId, wanted: string): Promise<string> {
  const taken = new Set((await client.sandbox.files({ path, folder: '' })).map(file => file.path))
  const stem = wanted.replace(/\.csv$/i, '')
  let name = wanted
  for (let n = 2; taken.has(name); n++) name = `${stem}-${n}.csv`
  return name
}
