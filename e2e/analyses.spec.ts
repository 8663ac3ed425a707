import { AxeBuilder } from '@axe-core/playwright'
import { expect, test } from './app.ts'
import { cells, editCell, newConversation, outputOf, typeInCell } from './steps.ts'

test('a person finds an analysis, calculates, compares, and puts it into the notebook', async ({ app }) => {
  const { page } = app
  await newConversation(page)
  await page.getByRole('button', { name: 'Run analysis' }).click()
  await page.getByLabel('Search analyses').fill('prsi week')
  await page.getByRole('button', { name: /PRSI for one week/ }).click()

  const form = page.getByRole('tabpanel', { name: 'Calculate' })
  await expect(form.getByText('Weekly earnings EUR')).toBeVisible()
  await form.getByLabel('Weekly earnings').fill('six hundred')
  await expect(form.getByText('Weekly earnings must be a decimal number')).toBeVisible()
  await form.getByLabel('Weekly earnings').fill('600')
  await form.getByLabel('Pay date').fill('2025-09-30')
  await form.getByRole('button', { name: 'Calculate' }).click()
  const result = page.getByRole('region', { name: 'Result of ie-prsi' })
  await expect(result).toContainText('24.60 EUR')

  await form.getByLabel('Pay date').fill('2025-10-01')
  await form.getByRole('button', { name: 'Calculate' }).click()
  await expect(result).toContainText('25.20 EUR')
  await expect(result).toContainText('+0.6')
  await expect(form.getByText('Pay date 2025-09-30 → 2025-10-01')).toBeVisible()
  const chart = form.getByRole('figure').filter({ hasText: 'PRSI by weekly earnings' })
  await expect(chart.locator('canvas, svg').first()).toBeVisible()
  await result.getByRole('button', { name: 'SWCA 2005 s. 13(2)(b)' }).click()
  await expect(result).toContainText('Social Welfare (Miscellaneous Provisions) Act 2024')
  const found = await new AxeBuilder({ page }).include('main').analyze()
  expect(found.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([])
  await app.picture('analyses')

  await form.getByRole('button', { name: 'Run in the notebook' }).click()
  await expect(cells(page)).toHaveCount(2)
  await expect(outputOf(page, 1)).toContainText('25.20')
  await expect(outputOf(page, 1)).toContainText('ie-prsi 1.0.1')
  await app.picture('analyses-cell')
})

test('a reviewer sees what somebody changed in the code of the catalogue', async ({ app }) => {
  const { page } = app
  await newConversation(page)
  await page.getByRole('button', { name: 'Run analysis' }).click()
  await page.getByRole('button', { name: /PRSI for one week/ }).click()
  const form = page.getByRole('tabpanel', { name: 'Calculate' })
  await form.getByLabel('Pay date').fill('2025-10-01')
  await form.getByLabel('Weekly earnings').fill('600')
  await form.getByRole('button', { name: 'Run in the notebook' }).click()
  await expect(outputOf(page, 1)).toContainText('25.20')

  const cell = cells(page).nth(1)
  await cell.getByText('Countersign analysis ie-prsi 1.0.1', { exact: true }).click()
  await editCell(cell)
  await page.keyboard.press('ControlOrMeta+End')
  await page.keyboard.insertText('import shutil; shutil.rmtree("out")')
  await page.keyboard.press('Control+Enter')
  await expect(page.getByRole('dialog')).toContainText('high risk')
  await page.getByRole('tab', { name: 'Changes against the catalogue' }).click()
  await expect(page.getByTestId('review-diff')).toContainText(/import\sshutil/)
  await app.picture('analyses-changed')
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

test('a batch over a file shows how far it is, and what was done stays when it is cancelled', async ({ app }) => {
  const { page } = app
  await newConversation(page)
  await typeInCell(
    page,
    'with open("year.csv", "w") as f: f.write("pay_date,weekly_earnings\\n" + "2025-10-01,600\\n" * 60000)',
  )
  await page.keyboard.press('Shift+Enter')
  await expect(page.getByText('[1]')).toBeVisible()
  await page.getByRole('button', { name: 'Analyses' }).click()
  await page.getByRole('button', { name: /PRSI for one week/ }).click()
  await page.getByRole('tab', { name: 'Batch' }).click()
  await page.getByRole('button', { name: 'Columns from the path…' }).click()
  await page.getByRole('button', { name: /year\.csv file/ }).click()
  await page.getByRole('button', { name: 'Use 60,000 rows' }).click()
  const calculate = page.getByRole('button', { name: 'Calculate 60,000 rows' })
  await calculate.click()
  await expect(page.getByText(/^[1-9][\d,]* of 60,000$/)).toBeVisible()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await expect(calculate).toBeEnabled()
  await expect(page.getByRole('status').filter({ hasText: /^[1-5]?\d,000 rows calculated$/ })).toBeVisible()
})

const written = `import csv
with open("weeks.csv", "w", newline="") as file:
    csv.writer(file).writerows([("Pay date", "Weekly earnings")] + [("2025-10-01", 500 + k) for k in range(40)])
import zipfile
book = zipfile.ZipFile("weeks.xlsx", "w")
book.writestr("xl/workbook.xml", '<workbook><sheets><sheet name="Weeks" r:id="a"/></sheets></workbook>')
book.writestr("xl/_rels/workbook.xml.rels", '<Relationships><Relationship Id="a" Target="worksheets/sheet1.xml"/></Relationships>')
book.writestr("xl/styles.xml", '<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>')
names = '<row><c t="inlineStr"><is><t>Pay date</t></is></c><c t="inlineStr"><is><t>Weekly earnings</t></is></c></row>'
weeks = '<row><c s="1"><v>45931</v></c><c><v>600</v></c></row>' * 3
book.writestr("xl/worksheets/sheet1.xml", '<worksheet><sheetData>' + names + weeks + '</sheetData></worksheet>')
book.close()
import pandas
weeks = pandas.DataFrame({"pay_date": ["2025-10-01", "2025-10-02"], "weekly_earnings": ["600.00", "700.00"]})
print("written")`

test('the list is filtered, a table is pasted, and columns come from a data frame and a file of the path', async ({
  app,
}) => {
  const { page } = app
  await newConversation(page)
  await typeInCell(page, written)
  await page.keyboard.press('Shift+Enter')
  await expect(outputOf(page, 0)).toContainText('written')
  await page.getByRole('button', { name: 'Analyses' }).click()

  const list = page.getByRole('region', { name: 'Catalogue of analyses' })
  const entries = list.getByRole('listitem')
  await expect(entries).toHaveCount(25)
  await list.getByLabel('Type').selectOption('tax_calculation')
  await list.getByLabel('Law known on').fill('2014-06-30')
  await expect(entries).toHaveText([/Capital gains tax for a year \(Ireland\)/])
  await list.getByLabel('Law known on').fill('')
  await list.getByLabel('Type').selectOption('')

  await list.getByRole('button', { name: /Liquidity coverage ratio/ }).click()
  const form = page.getByRole('tabpanel', { name: 'Calculate' })
  // The record of assets has to be there, though each of its fields has a default.
  await expect(form.getByText(/^HQLA/).first()).toHaveText('HQLA')
  await form.getByLabel('Level 1', { exact: false }).first().fill('600')
  await form.getByRole('button', { name: 'Row' }).first().click()
  await form
    .getByRole('textbox', { name: /category/i })
    .first()
    .focus()
  await page.evaluate(
    `const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', 'retail_stable\\t4000\\nwholesale_financial\\t300')
    document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))`,
  )
  await form.getByRole('button', { name: 'Calculate' }).click()
  const result = page.getByRole('region', { name: 'Result of lcr' })
  await expect(result).toContainText('500.00 EUR')
  await expect(form.getByRole('list', { name: 'Ratios against requirements' })).toBeVisible()
  // Only the panel scrolls to the result, not the window with its bar.
  await result.evaluate(region => region.scrollIntoView())
  expect((await page.getByRole('banner').boundingBox())?.y).toBe(0)

  await list.getByRole('button', { name: /PRSI for one week/ }).click()
  await page.getByRole('tab', { name: 'Batch' }).click()
  await page.getByRole('button', { name: 'Columns from the path…' }).click()
  const columns = page.getByRole('dialog', { name: 'Columns of this path' })
  await columns.getByRole('button', { name: /weeks data frame/ }).click()
  await columns.getByRole('button', { name: 'Use 2 rows' }).click()
  await page.getByRole('button', { name: 'Calculate 2 rows' }).click()
  await expect(page.getByRole('status').filter({ hasText: '2 rows calculated' })).toBeVisible()

  await page.getByRole('button', { name: 'Columns from the path…' }).click()
  await columns.getByRole('button', { name: /weeks\.csv file/ }).click()
  await columns.getByRole('button', { name: 'Use 40 rows' }).click()
  await page.getByRole('button', { name: 'Calculate 40 rows' }).click()
  await expect(page.getByRole('status').filter({ hasText: '40 rows calculated' })).toBeVisible()

  // Dates of a workbook are numbers in its file.
  await page.getByRole('button', { name: 'Columns from the path…' }).click()
  await columns.getByRole('button', { name: /weeks\.xlsx file/ }).click()
  await columns.getByRole('button', { name: 'Use 3 rows' }).click()
  await page.getByRole('button', { name: 'Calculate 3 rows' }).click()
  await expect(page.getByRole('status').filter({ hasText: /^3 rows calculated$/ })).toBeVisible()
})
