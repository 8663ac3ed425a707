import { useEffect, useMemo, useState } from 'react'
import { download } from '../home/upload.ts'
import { Table } from '../table/table.tsx'
import { readInWorker } from '../table/xlsx/read.ts'
import { sheetTable } from '../table/xlsx/sheet-table.ts'
import type { Sheet } from '../table/xlsx/workbook.ts'
import { maxColumns, maxRows } from '../table/xlsx/workbook.ts'
import type { Answer } from '../table/xlsx/worker.ts'
import { Loading } from '../ui/loading.tsx'
import { Tabbed } from '../ui/tabs.tsx'
import styles from './inspector.module.css'

/** A workbook with its sheets: values as the file holds them. */
export function WorkbookPreview({ data }: { data: Uint8Array<ArrayBuffer> }) {
  const answer = useWorkbook(data)
  const [shown, setShown] = useState('0')
  if (!answer) return <Loading />
  if ('problem' in answer) return <p role="alert">{answer.problem}</p>
  if (answer.sheets.length === 0) return <p className={styles.hint}>This workbook has no sheets with cells.</p>
  return (
    <Tabbed
      label="Sheets"
      value={shown}
      onChange={setShown}
      look={{}}
      tabs={answer.sheets.map((sheet, index) => ({
        id: String(index),
        title: sheet.name,
        view: <SheetView sheet={sheet} />,
      }))}
    />
  )
}

function SheetView({ sheet }: { sheet: Sheet }) {
  const source = useMemo(() => sheetTable(sheet), [sheet])
  const save = (name: string, mime: string, data: Blob) => download(name, mime, data)
  return (
    <>
      <Table source={source} name={sheet.name} onSave={save} />
      {sheet.cut && (
        <p className={styles.hint}>
          The first {maxRows.toLocaleString('en')} rows and {maxColumns} columns. Code sees all of them.
        </p>
      )}
    </>
  )
}

function useWorkbook(data: Uint8Array<ArrayBuffer>): Answer | null {
  const [answer, setAnswer] = useState<Answer | null>(null)
  useEffect(() => {
    const closed = new AbortController()
    void readInWorker({ data, rows: maxRows }, closed.signal).then(said => {
      if (!closed.signal.aborted) setAnswer(said)
    })
    return () => closed.abort()
  }, [data])
  return answer
}
