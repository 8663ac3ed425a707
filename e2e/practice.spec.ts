import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from './app.ts'
import { addCell, cells, chooseCommand, newConversation, outputOf, replaceInCell, typeInCell } from './steps.ts'

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

    const cell = await addCell(page)
    await typeInCell(page, 'total = sum([1, 2])\nprint(total)')
    // The end of a run that is still under way moves the cell, and the menu closes.
    await expect(async () => {
      await cell.click({ button: 'right', position: { x: 320, y: 16 } })
      await page.getByRole('menuitem', { name: 'Keep its result while nothing changes' }).click({ timeout: 5000 })
    }).toPass()
    for (const mark of [/^\[\d+\]$/, /^kept from /]) {
      await cell.getByRole('button', { name: 'Run', exact: true }).click()
      await expect(cell.getByText(mark)).toBeVisible()
    }
    await app.picture('kept-result')
    await cell.getByRole('button', { name: 'Run anew' }).click()
    await expect(cell.getByText(/^kept from /)).toBeHidden()
    await expect(cell.getByText(/^\[\d+\]$/)).toBeVisible()
  } finally {
    rmSync(join(prefix, '..'), { recursive: true, force: true })
  }
})

test('magics, shell lines and help do what they do in Jupyter, and say so where a sandbox does not have it', async ({
  app,
}) => {
  const { page } = app
  await newConversation(page)
  const cases: readonly (readonly [string, string])[] = [
    ['%matplotlib inline\nlines = !printf "one\\ntwo"\nprint("lines:", len(lines), lines[1])', 'lines: 2 two'],
    ['%env GREETING=hello\n!echo "shell says $GREETING"', 'shell says hello'],
    ['%%bash\necho "bash $((40 + 2))"', 'bash 42'],
    ['%%capture kept\nprint("unseen")', ''],
    ['print("captured:", kept.stdout)', 'captured: unseen'],
    ['%%writefile rates.py\nrate = 0.25', 'Writing rates.py'],
    ['import rates\nrates.rate', '0.25'],
    ['%timeit -n 1 -r 1 sum(range(10))', '1 loop'],
    ['%cd /tmp\n%pwd', "'/tmp'"],
    ['%who', 'lines'],
    ['len?', 'Return the number of items in a container'],
  ]
  for (const [at, [code, shown]] of cases.entries()) {
    await replaceInCell(page, code)
    await page.keyboard.press('Control+Enter')
    await expect(cells(page).first()).toContainText(`[${at + 1}]`)
    if (shown) await expect(outputOf(page, 0)).toContainText(shown)
    else await expect(outputOf(page, 0)).toBeHidden()
  }
  await app.picture('magics')

  // Where it would run, it would reach the network: that is asked about before a local sandbox says that it has none.
  await replaceInCell(page, '%pip install somewhere')
  await page.keyboard.press('Control+Enter')
  const dialog = page.getByRole('dialog')
  const hold = dialog.getByRole('button', { name: 'Hold to approve' })
  await expect(hold).toHaveAttribute('aria-disabled', 'false')
  await hold.hover()
  await page.mouse.down()
  await expect(dialog).toBeHidden()
  await page.mouse.up()
  await expect(outputOf(page, 0)).toContainText('Choose an environment that has them, on the Environments page.')
})
