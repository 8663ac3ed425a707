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

  await chooseCommand(page, 'Tour in five steps')
  const tour = page.getByRole('dialog', { name: 'Tour, step 1 of 5' })
  await expect(tour).toContainText('Paths, not copies')
  await app.picture('tour')
  await page.keyboard.press('Escape')
  await expect(tour).toHaveCount(0)
})
