import { afterEach, describe, expect, it } from 'vitest'
import { type Page, recorded, render } from '../output/render.testing.tsx'
import { formatter, naturalWidth } from './format.ts'
import { columnTable, type TableSource } from './source.ts'
import { Table } from './table.tsx'

let page: Page
afterEach(() => page.undo())

const small = columnTable(
  [
    { name: 'bank', type: 'text' },
    { name: 'cet1', type: 'number' },
  ],
  [
    ['Alder', 'Beech', 'Cedar'],
    [12.5, null, 9],
  ],
)

async function shown(source: TableSource, totalRows?: number) {
  const { actions, asked } = recorded()
  page = await render(<Table source={source} name="Ratios" onSave={actions.onSave} {...(totalRows && { totalRows })} />)
  return { asked, grid: page.find('[role=grid]') }
}
const column = (index: number) =>
  Array.from(page.place.querySelectorAll(`[role=gridcell][data-column="${index}"]`), cell => cell.textContent)
const header = (name: string) => {
  const found = Array.from(page.place.querySelectorAll<HTMLElement>('[role=columnheader]')).find(
    cell => cell.textContent === name,
  )
  if (!found) throw new Error(`no column ${name}`)
  return found
}
const active = (grid: HTMLElement) =>
  document.getElementById(grid.getAttribute('aria-activedescendant') ?? '')?.textContent
const selected = () => Array.from(page.place.querySelectorAll('[aria-selected=true]'), cell => cell.textContent)

describe('a table', () => {
  it('tells a screen reader its size and shows what is missing', async () => {
    const { grid } = await shown(small)
    expect(grid.getAttribute('aria-label')).toBe('Ratios')
    expect(grid.getAttribute('aria-rowcount')).toBe('4')
    expect(column(1)).toEqual(['12.5', 'null', '9.0'])
    expect(page.find('[role=status]').textContent).toContain('3 rows × 2 columns')
  })

  it('makes room for the figures at its end, aligns their points and does not count the index', async () => {
    const rows = Array.from({ length: 1500 }, (_, row) => row)
    const long = columnTable(
      [
        { name: 'n', type: 'number', key: true },
        { name: 'x', type: 'number' },
      ],
      [rows, rows.map(row => (row < 1400 ? row / 2 : 554_712_345.25))],
    )
    const large = columnTable([{ name: 'x', type: 'number' }], [[12_345, 7]])
    await shown(long)
    expect(column(1).slice(0, 2)).toEqual(['0.00', '0.50'])
    expect([formatter(long, 0)(12_345), formatter(large, 0)(12_345)]).toEqual(['12345', '12,345'])
    expect(page.find('[role=status]').textContent).toContain('1,500 rows × 1 column')
    expect(naturalWidth(long, 1)).toBeGreaterThan('554712345.25'.length * 7)
  })

  it('sorts up, down and not at all', async () => {
    await shown(small)
    await page.click(header('cet1'))
    expect(column(0)).toEqual(['Cedar', 'Alder', 'Beech'])
    expect(header('cet1').getAttribute('aria-sort')).toBe('ascending')
    await page.click(header('cet1'))
    expect(column(0)).toEqual(['Alder', 'Cedar', 'Beech'])
    await page.click(header('cet1'))
    expect(column(0)).toEqual(['Alder', 'Beech', 'Cedar'])
  })

  it('filters by text across and by a condition above a column', async () => {
    await shown(small)
    await page.type(page.find('input[type=search]'), 'ced')
    expect(column(0)).toEqual(['Cedar'])
    expect(page.find('[role=status]').textContent).toContain('Showing 1 of 3 rows')
    await page.click(page.button('Clear'))
    await page.click(page.button('Filter'))
    await page.type(page.find('input[aria-label="Filter cet1"]'), '> 10')
    expect(column(0)).toEqual(['Alder'])
    await page.type(page.find('input[aria-label="Filter cet1"]'), '> 99')
    expect(page.place.textContent).toContain('No row matches the filter.')
  })

  it('is walked by keyboard, header and all', async () => {
    const { grid } = await shown(small)
    await page.press(grid, 'ArrowDown')
    expect(active(grid)).toBe('Alder')
    await page.press(grid, 'End')
    expect(active(grid)).toBe('12.5')
    await page.press(grid, 'End', { ctrlKey: true })
    expect(active(grid)).toBe('9.0')
    await page.press(grid, 'Home', { ctrlKey: true })
    await page.press(grid, 'ArrowUp')
    expect(active(grid)).toBe('bank')
    await page.press(grid, 'Enter')
    expect(header('bank').getAttribute('aria-sort')).toBe('ascending')
  })

  it('selects a block and copies it with its header', async () => {
    const { grid } = await shown(small)
    await page.press(grid, 'ArrowDown')
    await page.press(grid, 'ArrowRight', { shiftKey: true })
    await page.press(grid, 'ArrowDown', { shiftKey: true })
    expect(selected()).toEqual(['Alder', '12.5', 'Beech', 'null'])
    expect(page.find('[role=status]').textContent).toContain('4 cells selected')
    const clipboardData = new DataTransfer()
    grid.dispatchEvent(Object.assign(new Event('copy', { bubbles: true, cancelable: true }), { clipboardData }))
    expect(clipboardData.getData('text/plain')).toBe('bank\tcet1\nAlder\t12.5\nBeech\t')
  })

  it('holds a million rows and draws a screen of them', async () => {
    const count = 1_000_000
    const { grid } = await shown(
      columnTable([{ name: 'n', type: 'number' }], [Int32Array.from({ length: count }, (_, row) => row)]),
    )
    expect(grid.getAttribute('aria-rowcount')).toBe('1000001')
    expect(page.place.querySelectorAll('[role=gridcell]').length).toBeLessThan(60)
    await page.press(grid, 'ArrowDown')
    await page.press(grid, 'End', { ctrlKey: true })
    expect(active(grid)).toBe('999,999')
  })

  it('draws only the columns in sight', async () => {
    const columns = Array.from({ length: 2000 }, (_, index) => ({ name: `c${index}`, type: 'number' as const }))
    await shown(
      columnTable(
        columns,
        columns.map((_, index) => [index]),
      ),
    )
    expect(page.place.querySelectorAll('[role=gridcell]').length).toBeLessThan(40)
  })

  it('is shown when it is empty', async () => {
    await shown(columnTable([], []))
    expect(page.place.textContent).toContain('No rows.')
  })
})
