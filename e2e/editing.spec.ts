import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { expect, test } from './app.ts'
import { cells, chooseCommand, newConversation, outputOf, replaceInCell, typeInCell } from './steps.ts'

const selected = (page: Page) => page.getByRole('region', { name: /, selected$/ })

test('a notebook is written with the keyboard alone', async ({ app }) => {
  const { page } = app
  const key = (...keys: string[]) => keys.reduce((last, each) => last.then(() => page.keyboard.press(each)), wait())
  await newConversation(page)
  await page.keyboard.type('base = 100')

  await test.step('what is typed while the next editor comes is not lost', async () => {
    await key('Alt+Enter')
    await page.keyboard.type('rate = 0.2')
    await expect(cells(page).nth(1)).toContainText('rate = 0.2')
    await expect(cells(page).first()).toContainText('[1]')
    await expect(cells(page).first()).not.toContainText('rate')
    await key('Shift+Enter')
    await page.keyboard.type('base * rate')
    await expect(cells(page).nth(2)).toContainText('base * rate')
    await key('Control+Enter')
    await expect(outputOf(page, 2)).toContainText('20.0')
  })

  await test.step('arrows, Enter and Escape', async () => {
    await key('Escape', 'ArrowUp')
    await expect(selected(page)).toContainText('rate = 0.2')
    await key('ArrowUp', 'ArrowUp')
    await expect(selected(page)).toContainText('base = 100')
    await expect(selected(page)).toBeFocused()
    await key('ArrowDown', 'Enter')
    await page.keyboard.type('5')
    await key('Escape')
    await expect(cells(page).nth(1)).toContainText('rate = 0.25')
    await expect(cells(page).nth(1)).toContainText('stale')
  })

  await test.step('A and B insert, D D deletes, Z brings back', async () => {
    await key('b')
    await page.keyboard.type('below = 1')
    await expect(cells(page).nth(2)).toContainText('below = 1')
    await key('Escape', 'a')
    await page.keyboard.type('above = 2')
    await key('Escape')
    await expect(cells(page)).toHaveCount(5)
    await expect(cells(page).nth(2)).toContainText('above = 2')
    await expect(cells(page).nth(3)).toContainText('below = 1')
    await key('d')
    await expect(cells(page)).toHaveCount(5)
    await key('d', 'd')
    await expect(cells(page)).toHaveCount(4)
    await expect(cells(page).nth(2)).toContainText('below = 1')
    await key('z')
    await expect(cells(page).nth(2)).toContainText('above = 2')
  })

  await test.step('M and Y', async () => {
    await expect(selected(page)).toContainText('above = 2')
    await key('m')
    await expect(page.getByRole('region', { name: /^Markdown 3/ })).toContainText('above = 2')
    await key('Enter')
    await expect(page.getByRole('textbox', { name: 'markdown code' })).toBeFocused()
    await key('Control+A')
    await page.keyboard.type('# What follows')
    await key('Escape')
    await expect(page.getByRole('heading', { name: 'What follows' })).toBeVisible()
    await key('y')
    await expect(page.getByRole('region', { name: /^python cell 3/ })).toContainText('# What follows')
  })

  await test.step('O folds', async () => {
    await key('ArrowDown', 'ArrowDown')
    await expect(selected(page)).toContainText('base * rate')
    await key('o')
    await expect(outputOf(page, 4)).toBeHidden()
    await key('o')
    await expect(outputOf(page, 4)).toContainText('20.0')
  })

  await test.step('run all above, then to here', async () => {
    const choose = async (name: string) => {
      await selected(page).getByRole('button', { name: 'More' }).click()
      await page.getByRole('menuitem', { name }).click()
    }
    await choose('Run all above')
    await expect(cells(page).nth(3)).toContainText(/\[\d+\]/)
    await expect(cells(page).nth(1)).not.toContainText('stale')
    await expect(outputOf(page, 4)).toContainText('20.0')
    await choose('Run to here')
    await expect(outputOf(page, 4)).toContainText('25.0')
    await app.picture('keyboard')
  })
})

test('the kernel helps while one types', async ({ app }) => {
  const { page } = app
  await newConversation(page)
  const code =
    'import pandas as pd\nbook = pd.DataFrame({"exposure": [1.5], "weight": [2]})\ndef owed(income, rate=0.2):\n    "What is owed."'
  await typeInCell(page, code)
  await page.keyboard.press('Shift+Enter')
  await expect(cells(page).first()).toContainText('[1]')
  await expect(cells(page).nth(1).locator('.monaco-editor')).toBeVisible()
  const suggestions = page.locator('.suggest-widget')

  await test.step('completion knows the columns of a live data frame', async () => {
    await page.keyboard.type('boo')
    await page.keyboard.press('Tab')
    await expect(suggestions).toContainText('bookDataFrame')
    await page.keyboard.press('Tab')
    await page.keyboard.type('.')
    await expect(suggestions).toContainText('exposure')
    await page.keyboard.type('exp')
    await app.picture('completion')
    await page.keyboard.press('Tab')
    await expect(cells(page).nth(1)).toContainText('book.exposure')
  })

  await test.step('signature help', async () => {
    await replaceInCell(page, '')
    await page.keyboard.type('owed(1, ')
    const help = page.locator('.parameter-hints-widget')
    await expect(help).toContainText('owed(income, rate=0.2)')
    await expect(help).toContainText('What is owed.')
    await expect(help.locator('.parameter.active')).toHaveText('rate=0.2')
    await page.keyboard.press('Escape')
  })

  await test.step('hover', async () => {
    await page
      .locator('.monaco-editor .view-line')
      .getByText('owed', { exact: false })
      .first()
      .hover({ position: { x: 12, y: 8 } })
    await expect(page.locator('.monaco-hover').filter({ hasText: 'What is owed.' })).toBeVisible()
    await app.picture('hover')
  })

  await test.step('JavaScript too', async () => {
    await replaceInCell(page, 'const scenario = { shockBp: 300 }')
    await page.keyboard.press('Escape')
    await selected(page).getByRole('button', { name: 'python' }).click()
    await page.getByRole('menuitem', { name: 'javascript' }).click()
    await page.keyboard.press('Shift+Enter')
    await expect(cells(page).nth(1)).toContainText('[2]')
    await expect(cells(page).nth(2).locator('.monaco-editor')).toBeVisible()
    await page.keyboard.type('scenario.sh')
    await page.keyboard.press('Control+Space')
    await expect(suggestions).toContainText('shockBp')
  })
})

test('files are dropped in, looked at and taken out; a million rows are at hand', async ({ app }) => {
  const { page } = app
  await newConversation(page)
  await typeInCell(page, 'import pandas as pd\npd.__name__')
  await page.keyboard.press('Control+Enter')
  await expect(cells(page).first()).toContainText('[1]')

  await test.step('drop', async () => {
    await page.getByRole('tab', { name: 'Files' }).click()
    const dropped = await page.evaluateHandle(`(() => {
      const transfer = new DataTransfer()
      transfer.items.add(new File(['bank,cet1\\nAlder,12.5\\n'], 'banks.csv', { type: 'text/csv' }))
      transfer.items.add(new File(['x'], '..\\u0007\\u202Egnp.exe'))
      return transfer
    })()`)
    const zone = page.getByRole('button', { name: 'Add file' })
    await zone.dispatchEvent('dragover', { dataTransfer: dropped })
    await zone.dispatchEvent('drop', { dataTransfer: dropped })
    await expect(page.getByText('2 files are in the working folder.')).toBeVisible()
    await page.getByRole('button', { name: /^banks\.csv/ }).click()
    await expect(page.getByRole('dialog')).toContainText('Alder')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: /^banks\.csv/ }).click({ button: 'right' })
    await expect(page.getByRole('menuitem', { name: 'Preview' })).toBeVisible()
    await page.keyboard.press('Escape')
    await page.getByText('banks.csv').first().hover()
    const file = await app.saved(() => page.getByRole('button', { name: 'Download banks.csv' }).click())
    expect(readFileSync(file, 'utf8')).toBe('bank,cet1\nAlder,12.5\n')
  })

  await test.step('a million rows', async () => {
    await replaceInCell(
      page,
      'book = pd.DataFrame({"account": range(1_000_000), "exposure": [n * 7919 % 1_000_003 / 100 for n in range(1_000_000)]})\nbook',
    )
    await page.keyboard.press('Control+Enter')
    await expect(outputOf(page, 0)).toContainText('Showing 1,000 of 1,000,000 rows')
    await outputOf(page, 0).getByRole('button', { name: 'View all' }).click()
    const viewer = page.getByRole('dialog')
    await expect(viewer.getByText(/^1,000,000 rows × 2 columns/)).toBeVisible()
    const grid = viewer.getByRole('grid')
    await grid.focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Control+End')
    await expect(grid).toContainText('999,999')
    await grid.getByText('exposure', { exact: true }).click()
    await expect(viewer.getByRole('columnheader', { name: /exposure/ })).toHaveAttribute('aria-sort', 'ascending')
    await expect(viewer).not.toContainText('Working…')
    await grid.focus()
    await page.keyboard.press('Control+End')
    await expect(grid).toContainText('10000.02')
    await app.picture('million-rows')
    await page.keyboard.press('Escape')
    await expect(viewer).toBeHidden()
  })
})

test('a run is stopped, formatted, replayed and found again', async ({ app }) => {
  const { page } = app
  await newConversation(page)
  await typeInCell(page, 'import time\nkept = 41\nprint("begun")\nwhile True: time.sleep(0.01)')
  await page.keyboard.press('Control+Enter')
  await expect(cells(page).first()).toContainText(/running/)
  await expect(outputOf(page, 0)).toContainText('begun')
  await page.getByRole('button', { name: 'Interrupt' }).click()
  await expect(outputOf(page, 0)).toHaveText(/^begun\s*The run was stopped\.$/)
  await expect(cells(page).first()).toContainText('stopped')
  await expect(cells(page).first()).not.toContainText('failed')

  await test.step('a typing mistake is shown on its line, and nobody is asked', async () => {
    await replaceInCell(page, 'ok = 1\nf(:, 1)')
    await page.keyboard.press('Control+Enter')
    await expect(cells(page).first()).toContainText('syntax error')
    await expect(outputOf(page, 0).getByRole('button', { name: 'Line 2' })).toBeVisible()
    await expect(page.getByRole('dialog')).toHaveCount(0)

    await replaceInCell(page, 'open("made.txt", "w")\n  ok = 2')
    await page.keyboard.press('Control+Enter')
    await expect(outputOf(page, 0)).toContainText('IndentationError')
    await expect(cells(page).first()).toContainText('syntax error')
    await expect(cells(page).first()).not.toContainText('failed')
    await expect(outputOf(page, 0)).not.toContainText('Predicted and observed')
  })

  await test.step('code of another language is named before it is run', async () => {
    await replaceInCell(page, 'ls -l data')
    await expect(cells(page).first().getByText('looks like bash')).toBeVisible()
  })

  await replaceInCell(page, 'kept  =  kept+1 ;print( "answer",kept )')
  await page.keyboard.press('Shift+Alt+F')
  await expect(cells(page).first()).toContainText('kept = kept + 1')
  await page.keyboard.press('Control+Enter')
  await expect(outputOf(page, 0)).toContainText('answer 42')

  await test.step('replayed in a fresh sandbox it cannot be repeated, which is said', async () => {
    await chooseCommand(page, 'Replay path')
    await expect(page.getByRole('dialog')).toContainText(/compared with what is on record\.1 not reproducible/)
    await app.picture('replay')
    await page.keyboard.press('Escape')
  })

  await test.step('restart drops the variables', async () => {
    await page.getByRole('button', { name: 'Restart' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Restart', exact: true }).click()
    await expect(cells(page).first()).toContainText('before restart')
    await page.keyboard.press('Control+Enter')
    await expect(outputOf(page, 0)).toContainText('NameError')
  })

  await test.step('search finds what was printed and goes there', async () => {
    await chooseCommand(page, 'New conversation')
    await expect(cells(page).first()).not.toContainText('kept')
    await chooseCommand(page, 'Search everything')
    await page.getByRole('searchbox', { name: 'Search for' }).fill('kept + 1')
    await expect(page.getByRole('dialog').getByRole('listitem').first()).toContainText('kept + 1')
    await page.keyboard.press('Enter')
    await expect(cells(page).first()).toContainText('kept = kept + 1')
  })
})

const wait = () => Promise.resolve()
