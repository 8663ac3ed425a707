import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from './app.ts'
import { addCell, cells, chooseCommand, newConversation, outputOf, typeInCell } from './steps.ts'

test('a sandbox near its number of runs says so, goes on while it has variables, and is replaced at the person’s word', async ({
  app,
}) => {
  const { page } = app
  const book = join(app.home, 'counting.ipynb')
  const sources = ['total = 0', ...Array.from({ length: 94 }, () => 'total += 1'), 'print("total", total)']
  const made = sources.map((source, at) => ({
    ...{ cell_type: 'code', id: `c${at}`, metadata: {}, execution_count: null, outputs: [], source },
  }))
  writeFileSync(book, JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells: made }))
  const chooser = page.waitForEvent('filechooser')
  await chooseCommand(page, 'Import notebook')
  await (await chooser).setFiles(book)
  await page.getByRole('button', { name: 'Run all' }).click()
  const badge = page.locator('[data-rotation]')
  await expect(badge).toContainText('4 runs left')
  await app.picture('rotation-soon')

  await page.getByTestId('items').evaluate(list => list.scrollTo(0, list.scrollHeight))
  const last = cells(page).last()
  for (const count of [97, 98, 99, 100, 101]) {
    await last.getByRole('button', { name: 'Run', exact: true }).click()
    await expect(last).toContainText(`[${count}]`)
  }
  await expect(badge).toContainText('to be replaced')
  await expect(last).toContainText('total 94')

  await badge.click()
  await page.getByRole('menuitem', { name: 'Replace the sandbox…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Replace the sandbox?' })
  await expect(dialog).toContainText('It has done 101 runs')
  await expect(dialog.getByLabel('Run the 96 cells again that ran here')).toBeChecked()
  await app.picture('rotation')
  await dialog.getByRole('button', { name: 'Replace it' }).click()
  await expect(badge).toContainText('4 runs left')
  await expect(last).toContainText('[197]')
  await expect(last).toContainText('total 94')
})

test('restart and run all asks first, also in the middle of a series, and the last run is told after a reload', async ({
  app,
}) => {
  const { page } = app
  await newConversation(page)
  await typeInCell(
    page,
    'import os, time\nprint("under way")\nopen("runs", "a").write("x")\ntime.sleep(0 if len(open("runs").read()) > 1 else 600)',
  )
  await addCell(page)
  await typeInCell(page, 'rate = 0.25\nopen("made.txt", "w").close()\nprint("after it")')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Run all' }).click()
  await expect(outputOf(page, 0)).toContainText('under way')
  await chooseCommand(page, 'Restart sandbox and run all')
  const dialog = page.getByRole('dialog', { name: 'Restart the sandbox?' })
  await expect(dialog.getByRole('button', { name: 'Restart', exact: true })).toBeHidden()
  await dialog.getByRole('button', { name: 'Restart and run all' }).click()
  await expect(outputOf(page, 1)).toContainText('after it')
  await expect(page.getByText(/^Stopped at a cell/)).toBeHidden()

  const inspector = page.getByRole('complementary', { name: 'Inspector' })
  await test.step('what it touched, by the record', async () => {
    await page.reload()
    await cells(page)
      .nth(1)
      .click({ position: { x: 320, y: 16 } })
    await inspector.getByRole('tab', { name: 'Last run' }).click()
    await expect(inspector).toContainText('created rate')
    await expect(inspector).toContainText('created made.txt')
    await expect(inspector).toContainText('succeeded')
    await app.picture('last-run-recorded')
  })

  await test.step('to delete a file, or to end the sandbox, is asked about', async () => {
    await inspector.getByRole('tab', { name: 'Files' }).click()
    await inspector.getByRole('button', { name: 'Actions for made.txt' }).click()
    await page.getByRole('menuitem', { name: 'Delete…' }).click()
    await page.getByRole('dialog', { name: 'Delete made.txt?' }).getByRole('button', { name: 'Delete' }).click()
    await expect(inspector.getByText('made.txt')).toBeHidden()
    await inspector.getByRole('tab', { name: 'Sandbox' }).click()
    await inspector.getByRole('button', { name: 'End the sandbox…' }).click()
    const ending = page.getByRole('dialog', { name: 'End the sandbox of this path?' })
    await app.picture('end-sandbox')
    await ending.getByRole('button', { name: 'End the sandbox' }).click()
    await expect(page.getByRole('button', { name: /^Restore: run the 2 cells/ })).toBeVisible()
  })

  await test.step('a path that is archived says so, and how to have it back', async () => {
    await cells(page).last().getByRole('button', { name: 'Branch from here' }).click()
    await expect(page.getByRole('treeitem')).toHaveCount(2)
    await chooseCommand(page, 'Archive path')
    await page
      .getByRole('treeitem')
      .last()
      .getByRole('button', { name: /^branch/ })
      .click()
    await expect(page.getByText('This path is archived: it can be read, not changed.')).toBeVisible()
    await app.picture('archived')
    await page.getByRole('button', { name: 'Take out of the archive' }).click()
    await expect(page.getByRole('button', { name: 'Run all' })).toBeVisible()
  })
})
