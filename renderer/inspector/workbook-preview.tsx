import { useEffect, useMemo, useState } from 'react'
import { download } from '../home/upload.ts'
import { Table } from '../table/table.tsx'
import { sheetTable } from '../table/xlsx/sheet-table.ts'
import type { Sheet } from '../table/xlsx/workbook.ts'
import { maxColumns, maxRows } from '../table/xlsx/workbook.ts'
import type { Answer } from '../table/xlsx/worker.ts'
import WorkbookWorker from '../table/xlsx/worker.ts?worker'
import { Loading } from '../ui/loading.tsx'
import { Tabbed } from '../ui/tabs.tsx'
import styles from './inspector.module.css'

const patienceMs = 20_000

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
    const worker = new WorkbookWorker()
    const end = (said: Answer) => {
      clearTimeout(timer)
      worker.terminate()
      setAnswer(said)
    }
    const timer = setTimeout(
      () => end({ problem: 'It takes too long to read. Read it with code instead.' }),
      patienceMs,
    )
    worker.onmessage = ({ data: said }: MessageEvent<Answer>) => end(said)
    worker.onerror = () => end({ problem: 'The file could not be read.' })
    worker.postMessage(data)
    return () => {
      clearTimeout(timer)
      worker.terminate()
    }
  }, [data])
  return answer
}
