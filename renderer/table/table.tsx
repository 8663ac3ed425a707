import { ChevronDown, Copy, Filter, Save, Search, X } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { type ClipboardEvent, useCallback, useState } from 'react'
import { toHtml } from './clipboard.ts'
import { toTsv, writeCsv } from './csv.ts'
import { Grid } from './grid.tsx'
import { cellCount, edges, type Selection } from './selection.ts'
import type { TableSource } from './source.ts'
import styles from './table.module.css'
import { type TableView, useTableView } from './view.ts'

/** More cells than this choke the clipboard of every spreadsheet. */
const mostCopied = 500_000

export interface TableProps {
  readonly source: TableSource
  /** What the table is called, for screen readers and for the saved file. */
  readonly name: string
  /** Rows that there are in all, when the source holds only the first of them. */
  readonly totalRows?: number
  /** Opens the rest, where it can be had. */
  onViewAll?(): void
  /** Takes the height of its parent instead of its own. */
  readonly fill?: boolean
  onSave(name: string, mime: string, data: Blob): void
}

/** A table to look through: sort, filter, select, copy, save. Smooth with a million rows. */
export function Table({ source, name, totalRows = source.rowCount, fill = false, onSave, onViewAll }: TableProps) {
  const view = useTableView(source)
  const [filtering, setFiltering] = useState(false)
  const [selection, setSelection] = useState<Selection | null>(null)
  const [said, say] = useState('')

  const select = useCallback((next: Selection | null) => {
    setSelection(next)
    say('')
  }, [])

  function copied(): { text: string; html: string } | null {
    const whole: Selection = {
      from: { row: 0, column: 0 },
      to: { row: view.rows.length - 1, column: source.columns.length - 1 },
    }
    const chosen = selection ?? whole
    if (cellCount(chosen) > mostCopied) {
      say('Too much for the clipboard. Save it as CSV instead.')
      return null
    }
    const { top, bottom, left, right } = edges(chosen)
    const columns = source.columns.map((_, index) => index).slice(left, right + 1)
    say(`Copied ${counted(bottom - top + 1, 'row')}, ${counted(columns.length, 'column')}.`)
    const rows = view.rows.subarray(top, bottom + 1)
    const header = cellCount(chosen) > 1
    return { text: toTsv(source, rows, columns, header), html: toHtml(source, rows, columns, header) }
  }

  function onCopy(event: ClipboardEvent) {
    if (event.target instanceof HTMLInputElement) return
    const selection = copied()
    if (selection === null) return
    event.preventDefault()
    event.clipboardData.setData('text/plain', selection.text)
    event.clipboardData.setData('text/html', selection.html)
  }

  async function save(guardFormulas: boolean) {
    say('Writing CSV…')
    const parts: string[] = []
    for (const part of writeCsv(source, view.rows, { guardFormulas })) {
      parts.push(part)
      // Lets the window breathe: a million rows are tens of megabytes.
      if (parts.length % 8 === 0) await new Promise(resume => setTimeout(resume))
    }
    say('')
    onSave(`${name}.csv`, 'text/csv', new Blob(parts, { type: 'text/csv;charset=utf-8' }))
  }

  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms.
    <div className={styles.table} data-fill={fill || undefined} role="group" aria-label={name}>
      <div className={styles.tools}>
        <label className={styles.search}>
          <Search aria-hidden size={13} />
          <input
            type="search"
            aria-label={`Find in ${name}`}
            placeholder="Find"
            value={view.search}
            onChange={event => view.find(event.target.value)}
          />
        </label>
        <button type="button" className={styles.tool} aria-pressed={filtering} onClick={() => setFiltering(!filtering)}>
          <Filter aria-hidden size={13} /> Filter
        </button>
        {isNarrowed(view) && (
          <button type="button" className={styles.tool} onClick={view.clearFilters}>
            <X aria-hidden size={13} /> Clear
          </button>
        )}
        <span className={styles.gap} />
        <button
          type="button"
          className={styles.tool}
          onClick={() => {
            const selection = copied()
            if (selection !== null)
              void writeClipboard(selection).catch(() =>
                say('The table could not be copied. Allow this page to use the clipboard, then try again.'),
              )
          }}
        >
          <Copy aria-hidden size={13} /> Copy
        </button>
        <DropdownMenu.Root modal={false}>
          <DropdownMenu.Trigger className={styles.tool}>
            <Save aria-hidden size={13} /> Save <ChevronDown aria-hidden size={12} />
          </DropdownMenu.Trigger>
          <DropdownMenu.Portal>
            <DropdownMenu.Content className={styles.menu} align="end" sideOffset={4}>
              <DropdownMenu.Item className={styles.item} onSelect={() => void save(true)}>
                CSV for spreadsheets
                <small>Text that looks like a formula is kept as text</small>
              </DropdownMenu.Item>
              <DropdownMenu.Item className={styles.item} onSelect={() => void save(false)}>
                CSV as it is
                <small>Every value exactly, for other programs</small>
              </DropdownMenu.Item>
            </DropdownMenu.Content>
          </DropdownMenu.Portal>
        </DropdownMenu.Root>
      </div>
      <Grid source={source} view={view} label={name} onCopy={onCopy} onSelect={select} {...{ filtering, selection }} />
      {view.rows.length === 0 && !view.busy && (
        <p className={styles.empty}>{source.rowCount === 0 ? 'No rows.' : 'No row matches the filter.'}</p>
      )}
      <div className={styles.status} role="status">
        <span>
          {rowsShown(view, source, totalRows)}
          {onViewAll && source.rowCount < totalRows && (
            <button type="button" className={styles.more} onClick={onViewAll}>
              View all
            </button>
          )}
        </span>
        <span>{view.busy ? 'Working…' : said || selected(selection)}</span>
      </div>
    </div>
  )
}

const writeClipboard = ({ text, html }: { text: string; html: string }): Promise<void> =>
  navigator.clipboard.write([
    new ClipboardItem({
      'text/plain': new Blob([text], { type: 'text/plain' }),
      'text/html': new Blob([html], { type: 'text/html' }),
    }),
  ])

const isNarrowed = (view: TableView) =>
  view.search !== '' || [...view.typed.values()].some(typed => typed.trim() !== '')

function rowsShown(view: TableView, source: TableSource, total: number): string {
  // The index names rows; people count what it names.
  const columns = counted(source.columns.filter(({ key }) => !key).length || source.columns.length, 'column')
  if (view.rows.length === total) return `${counted(total, 'row')} × ${columns}`
  return `Showing ${view.rows.length.toLocaleString('en')} of ${counted(total, 'row')} × ${columns}`
}

function selected(selection: Selection | null): string {
  const count = selection ? cellCount(selection) : 0
  return count > 1 ? `${counted(count, 'cell')} selected` : ''
}

const counted = (count: number, what: string) => `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`
