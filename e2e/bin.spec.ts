import { expect, test } from './app.ts'
import { cells, chooseCommand } from './steps.ts'

test('a person begins from a template, copies it, deletes the copy and has it back from the bin', async ({ app }) => {
  const { page } = app
  await page.getByRole('button', { name: 'From a template' }).click()
  await page.getByRole('option', { name: /Stress test/ }).click()
  await expect(cells(page).filter({ hasText: 'shock_bp = 0' }).first()).toBeVisible()

  await chooseCommand(page, 'Duplicate conversation')
  await expect(page.getByText('“Stress test (copy)” was made.')).toBeVisible()
  await chooseCommand(page, 'Delete conversation')
  await expect(page.getByText('“Stress test (copy)” was deleted.')).toBeVisible()

  await chooseCommand(page, 'Bin')
  const bin = page.getByRole('dialog', { name: 'Bin' })
  await expect(bin).toContainText('gone in 30 days')
  await app.picture('bin')
  await bin.getByRole('button', { name: 'Restore' }).click()
  await expect(page.getByText('“Stress test (copy)” is back.')).toBeVisible()
})

test('a path that was deleted is back by undo, and later from the bin', async ({ app }) => {
  const { page } = app
  await page.getByRole('button', { name: 'Open the sample' }).click()
  const rows = page.getByRole('tree', { name: 'Paths of this conversation' }).getByRole('treeitem')
  const remove = async () => {
    await rows.last().click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await expect(rows).toHaveCount(1)
  }
  await remove()
  await page.getByRole('status').getByRole('button', { name: 'Undo' }).click()
  await expect(rows).toHaveCount(2)
  await remove()
  await chooseCommand(page, 'Bin')
  const bin = page.getByRole('dialog', { name: 'Bin' })
  await expect(bin).toContainText('stress +200bp (path of Capital review Q3)')
  await bin.getByRole('button', { name: 'Restore' }).click()
  await expect(page.getByText('“stress +200bp” is back.')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(rows).toHaveCount(2)
})
