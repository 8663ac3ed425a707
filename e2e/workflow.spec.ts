import { expect, test } from './app.ts'
import { newConversation } from './steps.ts'

test('a graph is written, drawn, run to its end, and its files are on the path', async ({ app }) => {
  const { page } = app
  await newConversation(page)
  await page.getByRole('button', { name: 'Workflows' }).click()
  await expect(page.getByText('No workflow yet')).toBeVisible()
  await page.getByRole('button', { name: 'New workflow' }).click()

  const text = page.getByRole('textbox', { name: 'Graph as text' })
  await text.fill('name: x\ntasks:\n  a: { type: approval, question: q, needs: [b] }\n')
  await expect(page.getByText('Line 3: a needs b')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Start' })).toBeDisabled()

  await text.fill(`name: Totals
tasks:
  load:
    type: code_execution
    language: python
    code: |
      import json
      print("three and a half")
      json.dump({"total": 3.5}, open("outputs.json", "w"))
    outputs: { total: number }
  report:
    type: code_execution
    language: python
    inputs: { total: { from: load.total, type: number } }
    code: |
      import json
      open("report.txt", "w").write(str(json.load(open("inputs.json"))["total"]))
`)
  await expect(page.getByRole('figure', { name: 'Graph of 2 tasks' })).toBeVisible()
  await page.getByRole('button', { name: 'Start' }).click()
  await expect(page.getByRole('status').filter({ hasText: 'completed · 2 of 2 tasks' })).toBeVisible({
    timeout: 60_000,
  })
  await page.getByText('load', { exact: true }).first().click()
  await expect(page.getByText('"total": 3.5')).toBeVisible()
  await expect(page.getByText('three and a half')).toBeVisible()
  await app.picture('workflow')

  await page.getByRole('button', { name: 'Open its path' }).click()
  await page.getByRole('tab', { name: 'Files' }).click()
  await expect(page.getByText('report.txt')).toBeVisible()
})
