import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from './app.ts'
import { cells, chooseCommand, newConversation, outputOf, typeInCell } from './steps.ts'

test('a workbook is written by code and shown with its sheets; a range from a spreadsheet becomes a file and a cell', async ({
  app,
}) => {
  const { page } = app
  await newConversation(page)
  await typeInCell(
    page,
    'import openpyxl\nw = openpyxl.Workbook()\nw.active.title = "Rates"\nw.active.append(["account", "rate"])\nw.active.append(["007", 0.25])\nw.create_sheet("Notes").append(["checked", True])\nw.save("rates.xlsx")',
  )
  await page.keyboard.press('Control+Enter')
  await page.getByRole('tab', { name: 'Files' }).click()
  await page.getByRole('button', { name: 'rates.xlsx', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'rates.xlsx' })
  await expect(dialog.getByRole('gridcell', { name: '007' })).toBeVisible()
  await app.picture('workbook')
  await dialog.getByRole('tab', { name: 'Notes' }).click()
  await expect(dialog.getByRole('gridcell', { name: 'checked' })).toBeVisible()
  await page.keyboard.press('Escape')

  await cells(page).first().getByRole('button', { name: 'More' }).focus()
  await page.evaluate(
    `const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', 'account\\tamount\\n007\\t1,250.50\\n008\\t12')
    document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }))`,
  )
  const paste = page.getByRole('dialog', { name: 'Paste a table' })
  await expect(paste).toContainText('account (text), amount (number)')
  await paste.getByRole('button', { name: 'Save and insert a cell' }).click()
  await expect(cells(page)).toHaveCount(2)
  await page.keyboard.press('Control+Enter')
  await expect(outputOf(page, 1)).toContainText('1250.5')
  await expect(outputOf(page, 1)).toContainText('007')
})

test('a module that is missing names the environment that has it; after a restart the cells are run again', async ({
  app,
}) => {
  const { page } = app
  // Not below /tmp: a sandbox has a folder of its own by that name.
  const prefix = join(mkdtempSync('/var/tmp/countersign-venv-'), 'risk models')
  try {
    execFileSync('/usr/bin/python3', ['-m', 'venv', '--without-pip', prefix])
    const find = 'import sysconfig; print(sysconfig.get_path("purelib"))'
    const site = execFileSync(join(prefix, 'bin', 'python'), ['-c', find], { encoding: 'utf8' }).trim()
    mkdirSync(join(site, 'shocks-1.2.dist-info'))
    writeFileSync(join(site, 'shocks.py'), 'bp = 200\n')

    await newConversation(page)
    await chooseCommand(page, 'Settings')
    await page.getByRole('button', { name: 'Environments' }).click()
    await page.getByLabel('Another one').fill(prefix)
    await page.getByRole('button', { name: 'Add…' }).last().click()
    await expect(page.getByRole('dialog')).toContainText('SHA-256')
    await app.picture('environment-confirm')
    await page.getByRole('button', { name: 'Add it' }).click()
    await expect(page.getByRole('list', { name: 'Python environments' })).toContainText('risk models')
    await app.picture('environments')

    await chooseCommand(page, 'Show notebook')
    await typeInCell(page, 'import shocks\nprint("shock", shocks.bp)')
    await page.keyboard.press('Control+Enter')
    await page.getByRole('button', { name: 'Use risk models…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Use it' }).click()
    await expect(outputOf(page, 0)).toContainText('shock 200')

    await page.keyboard.press('Escape')
    await chooseCommand(page, 'Restart sandbox (drops variables)')
    await page.getByRole('button', { name: 'Restart', exact: true }).last().click()
    await app.picture('restore')
    await page.getByRole('button', { name: /^Restore: run the cell/ }).click()
    await expect(page.getByRole('button', { name: /^Restore: run the cell/ })).toBeHidden()

    await page.getByRole('button', { name: 'Cell', exact: true }).click()
    await typeInCell(page, 'total = sum([1, 2])\nprint(total)')
    const cell = cells(page).nth(1)
    await cell.click({ button: 'right', position: { x: 320, y: 16 } })
    await page.getByRole('menuitem', { name: 'Keep its result while nothing changes' }).click()
    for (const mark of [/^\[\d+\]$/, /^kept from /]) {
      await cell.getByRole('button', { name: 'Run', exact: true }).click()
      await expect(cell.getByText(mark)).toBeVisible()
    }
    await app.picture('kept-result')
  } finally {
    rmSync(join(prefix, '..'), { recursive: true, force: true })
  }
})
