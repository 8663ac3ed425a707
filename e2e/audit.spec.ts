import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import { expect, test } from './app.ts'
import { newConversation, outputOf, typeInCell } from './steps.ts'

const verifier = join(import.meta.dirname, '../resources/verify.mjs')

test('an auditor finds a run, reads it, verifies the record and takes a bundle away', async ({ app }) => {
  const { page } = app
  await newConversation(page)
  await typeInCell(page, 'print("CET1", 11.84)')
  await page.keyboard.press('Control+Enter')
  await expect(outputOf(page, 0)).toContainText('CET1 11.84')

  await page.getByRole('button', { name: 'Audit', exact: true }).click()
  const entries = page.getByRole('list', { name: 'Entries, newest first' })
  const ran = entries.getByRole('button').filter({ hasText: 'Python code succeeded' })
  await expect(ran).toContainText('print("CET1", 11.84)')
  await expect(ran).toContainText(/Untitled.* › main/)
  await app.picture('audit-timeline')
  await entries.getByText('Countersign 0.1.0 started').click({ button: 'right' })
  await expect(page.getByRole('menuitem', { name: 'Open the entry' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(entries.getByText('Countersign 0.1.0 started')).toBeVisible()

  await page.getByRole('searchbox', { name: 'Search the record' }).fill('CET1')
  await expect(entries.getByText('Countersign 0.1.0 started')).toBeHidden()
  await page.getByRole('button', { name: 'Result' }).click()
  await page.getByRole('menuitemcheckbox', { name: 'succeeded' }).click()
  await page.keyboard.press('Escape')
  await expect(page.getByText('1 entry', { exact: true })).toBeVisible()

  await entries.getByText('Python code succeeded').click()
  const entry = page.getByRole('article')
  await expect(entry.getByText('print("CET1", 11.84)')).toBeVisible()
  await expect(entry.getByRole('group', { name: 'Output' })).toContainText('CET1 11.84')
  await expect(entry.getByText('The policy let it run by itself.')).toBeVisible()
  await expect(entry.getByText('it is on the record, unchanged')).toBeVisible()
  await app.picture('audit-entry')

  await page.getByRole('button', { name: 'Verify', exact: true }).click()
  await expect(page.getByText('The record is intact.')).toBeVisible()

  await page.getByRole('tab', { name: 'Reports' }).click()
  await page.getByRole('combobox', { name: 'About what' }).selectOption('Everything')
  const bundle = await app.saved(() => page.getByRole('button', { name: 'Save bundle' }).click())
  expect(basename(bundle)).toBe('countersign-bundle-all.zip')
  const said = execFileSync(process.execPath, [verifier, bundle], { encoding: 'utf8' })
  expect(said).toMatch(/intact/i)
})

test('from the keyboard: an entry is opened, closed and followed to its cell', async ({ app }) => {
  const { page } = app
  await newConversation(page)
  await typeInCell(page, 'print(6 * 7)')
  await page.keyboard.press('Control+Enter')
  await expect(outputOf(page, 0)).toContainText('42')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+3')
  const entries = page.getByRole('list', { name: 'Entries, newest first' })
  await entries.getByRole('button').first().focus()
  for (let step = 0; step < 10 && !(await isFocused('succeeded')); step++) await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('article').getByText('print(6 * 7)')).toBeVisible()
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().include('main').analyze()
  expect(violations.map(({ id, nodes }) => [id, nodes[0]?.target])).toEqual([])
  await page.getByRole('button', { name: 'Go to the cell' }).press('Enter')
  await expect(outputOf(page, 0)).toContainText('42')

  async function isFocused(text: string): Promise<boolean> {
    // The row is focused in the frame after the key: it may have to be made first.
    await page.evaluate('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))')
    return ((await page.locator(':focus').textContent()) ?? '').includes(text)
  }
})

test('a report is shown as it will look, and printed', async ({ app }) => {
  const { page } = app
  await newConversation(page)
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+3')
  await page.getByRole('tab', { name: 'Reports' }).click()
  await page.getByRole('button', { name: 'Preview' }).click()
  const paper = page.frameLocator('iframe[title="Preview of the report"]')
  await expect(paper.getByRole('heading', { name: 'Compliance report' })).toBeVisible()
  await app.picture('audit-report')
  const report = await app.saved(() => page.getByRole('button', { name: 'Save report' }).click())
  expect(basename(report)).toMatch(/^countersign-report-.*\.pdf$/)
  expect(readFileSync(report).subarray(0, 5).toString()).toBe('%PDF-')
})
