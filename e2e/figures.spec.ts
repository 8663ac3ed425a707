import { copyFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, screenshots, test } from './app.ts'
import { cells, chooseCommand, editCell, replaceInCell } from './steps.ts'

test('an analyst pins a ratio, sees where it comes from and compares it across paths', async ({ app }) => {
  const { page } = app
  await page.getByRole('button', { name: 'Open the sample' }).click()
  const ratio = cells(page).filter({ hasText: 'def cet1' }).first()
  await page.getByRole('button', { name: 'Run all' }).click()
  await expect(page.getByRole('button', { name: /ready/ })).toBeVisible()

  await test.step('pin by key: the cell is selected, P asks what of it', async () => {
    await page.getByTestId('items').evaluate(list => list.scrollTo(0, list.scrollHeight / 2))
    await ratio.getByTestId('outputs').click()
    await page.keyboard.press('Escape')
    await page.keyboard.press('p')
    await page.getByPlaceholder(/Pin a value/).fill('cet1')
    await expect(page.getByRole('option', { name: /CET1 ratio/ })).toContainText('12.91%')
    await app.picture('figures-pin')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('button', { name: 'Where CET1 ratio comes from' })).toContainText('12.91%')
  })

  await test.step('pin by pointing at a number, and a chart by its menu', async () => {
    await ratio.getByText('RWA: 5,000.0').click({ button: 'right', position: { x: 50, y: 8 } })
    await expect(page.getByRole('option', { name: /RWA/ })).toContainText('5,000.0')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('button', { name: 'Where RWA comes from' })).toContainText('5,000.0')
    const chart = cells(page).filter({ hasText: 'points =' }).first()
    await chart.getByRole('button', { name: 'Output menu' }).click()
    await page.getByRole('menuitem', { name: 'Pin a figure' }).click()
    await page.getByRole('option', { name: /CET1 ratio under a parallel shock/ }).click()
    await expect(page.getByLabel('Inspector').locator('svg.marks')).toBeVisible()
    await app.picture('figures-pinned')
  })

  await test.step('where it comes from', async () => {
    await page.getByRole('button', { name: 'Where CET1 ratio comes from' }).click()
    const dialog = page.getByRole('dialog')
    await expect(dialog).toContainText('the same as on the record, by hash')
    await expect(dialog).toContainText('allowed by the policy')
    await app.picture('figures-lineage')
    await page.keyboard.press('Escape')
  })

  await test.step('compare the paths', async () => {
    await chooseCommand(page, 'Compare pinned figures')
    const dialog = page.getByRole('dialog')
    await expect(dialog.getByRole('row', { name: /CET1 ratio 12.91% 11.84%/ })).toBeVisible()
    await expect(dialog.locator('svg.marks')).toBeVisible()
    await app.picture('figures-compare')
    await page.keyboard.press('Escape')
  })

  await test.step('make a report for people who never open a notebook', async () => {
    await page.getByRole('button', { name: 'Report…' }).click()
    const preview = page.getByRole('dialog').frameLocator('iframe')
    await expect(preview.getByRole('heading', { name: 'Capital review Q3' })).toBeVisible()
    await app.picture('figures-report')
    const file = await app.saved(() => page.getByRole('button', { name: 'Save as PDF' }).click())
    expect(readFileSync(file).subarray(0, 5).toString()).toBe('%PDF-')
    copyFileSync(file, join(screenshots, 'report.pdf'))
    await page.keyboard.press('Escape')
  })

  await test.step('a report refuses a figure that no longer holds, and offers to run its cells', async () => {
    await page.getByTestId('items').evaluate(list => list.scrollTo(0, 500))
    await editCell(cells(page).filter({ hasText: 'shock_bp = 0' }).first())
    await replaceInCell(page, 'shock_bp = 50')
    await page.keyboard.press('Escape')
    await expect(page.getByRole('button', { name: /^Run stale/ })).toBeVisible()
    await page.getByRole('button', { name: 'Report…' }).click()
    await expect(page.getByRole('alert').filter({ hasText: 'what no longer holds' })).toBeVisible()
    await app.picture('figures-report-stale')
    await page.getByRole('button', { name: 'Run the stale cells' }).click()
    await expect(page.getByRole('button', { name: /^Run stale/ })).toBeHidden()
    await expect(page.getByRole('button', { name: 'Where CET1 ratio comes from' })).toContainText('12.64%')
  })

  await test.step('take it back', async () => {
    await page.getByRole('button', { name: 'More for CET1 ratio', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Unpin' }).click()
    await expect(page.getByRole('button', { name: 'Where CET1 ratio comes from' })).toHaveCount(0)
    await chooseCommand(page, 'Undo')
    await expect(page.getByRole('button', { name: 'Where CET1 ratio comes from' })).toBeVisible()
  })
})
