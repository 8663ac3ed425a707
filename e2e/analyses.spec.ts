import { AxeBuilder } from '@axe-core/playwright'
import { expect, test } from './app.ts'
import { cells, newConversation, outputOf } from './steps.ts'

test('a person finds an analysis, calculates, compares, and puts it into the notebook', async ({ app }) => {
  const { page } = app
  await newConversation(page)
  await page.getByRole('button', { name: 'Run analysis' }).click()
  await page.getByLabel('Search analyses').fill('prsi week')
  await page.getByRole('button', { name: /PRSI for one week/ }).click()

  const form = page.getByRole('tabpanel', { name: 'Calculate' })
  await form.getByLabel('Weekly earnings').fill('six hundred')
  await expect(form.getByText('weekly_earnings must be a decimal number')).toBeVisible()
  await form.getByLabel('Weekly earnings').fill('600')
  await form.getByLabel('Pay date').fill('2025-09-30')
  await form.getByRole('button', { name: 'Calculate' }).click()
  const result = page.getByRole('region', { name: 'Result of ie-prsi' })
  await expect(result).toContainText('24.60 EUR')

  await form.getByLabel('Pay date').fill('2025-10-01')
  await form.getByRole('button', { name: 'Calculate' }).click()
  await expect(result).toContainText('25.20 EUR')
  await expect(result).toContainText('+0.6')
  await result.getByRole('button', { name: 'SWCA 2005 s. 13(2)(b)' }).click()
  await expect(result).toContainText('Social Welfare (Miscellaneous Provisions) Act 2024')
  const found = await new AxeBuilder({ page }).include('main').analyze()
  expect(found.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([])
  await app.picture('analyses')

  await form.getByRole('button', { name: 'Run in the notebook' }).click()
  await expect(cells(page)).toHaveCount(2)
  await expect(outputOf(page, 1)).toContainText('25.20')
  await expect(outputOf(page, 1)).toContainText('ie-prsi 1.0.0')
  await app.picture('analyses-cell')
})

test('a batch over pasted rows answers each row, and refuses what the law does not know', async ({ app }) => {
  const { page } = app
  await newConversation(page)
  await page.getByRole('button', { name: 'Run analysis' }).click()
  await page.getByLabel('Jurisdiction').selectOption('IE')
  await page.getByRole('button', { name: /PRSI for one week/ }).click()
  await page.getByRole('tab', { name: 'Batch' }).click()
  await page
    .getByLabel('Rows of the batch')
    .fill('pay_date\tweekly_earnings\n2025-10-01\t600\n2015-01-01\t600\n2024-10-01\t352.01')
  await page.getByRole('button', { name: 'Calculate 3 rows' }).click()
  await expect(page.getByRole('status').filter({ hasText: '3 rows calculated, 1 refused' })).toBeVisible()
  await expect(page.locator('main')).toContainText('25.2')
  await app.picture('analyses-batch')
})
