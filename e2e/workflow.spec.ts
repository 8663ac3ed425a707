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
    placement: { kind: local }
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
  await expect(page.getByRole('region', { name: 'Task load' })).toContainText('total 3.5')
  await expect(page.getByRole('region', { name: 'Task load' })).toContainText('runs in local')
  await expect(page.getByText('three and a half')).toBeVisible()
  await app.picture('workflow')

  await page.getByRole('button', { name: 'Open its path' }).click()
  await page.getByRole('tab', { name: 'Files' }).click()
  await expect(page.getByText('report.txt')).toBeVisible()
})

test('a task shows what it prints while it runs, also to a page that was opened in the middle of it', async ({
  app,
}) => {
  const { page } = app
  await newConversation(page)
  await page.getByRole('button', { name: 'Workflows' }).click()
  await page.getByRole('button', { name: 'New workflow' }).click()
  await page.getByRole('textbox', { name: 'Graph as text' }).fill(`name: Slow
tasks:
  wait:
    type: code_execution
    language: python
    timeoutSeconds: 600
    code: |
      import sys, time
      print("first word", flush=True)
      print("a warning", file=sys.stderr, flush=True)
      time.sleep(500)
`)
  await page.getByRole('button', { name: 'Start' }).click()
  const log = page.getByRole('log', { name: 'Log' })
  await expect(page.getByText('Choose a task to see its results.')).toBeVisible()
  await page.getByText('wait', { exact: true }).first().click()
  await expect(log).toContainText('first word', { timeout: 60_000 })
  await expect(log).toContainText('a warning')
  await expect(page.getByRole('region', { name: 'Task wait' })).toContainText('running')

  await page.reload()
  await page.getByRole('button', { name: 'Workflows' }).click()
  await page.getByRole('button', { name: /^Slow/ }).click()
  await page.getByText('wait', { exact: true }).first().click()
  await expect(log).toContainText('first word')
  await page.getByRole('button', { name: 'Abort…' }).click()
  await page.getByRole('button', { name: 'Abort', exact: true }).click()
  await expect(page.getByRole('status').filter({ hasText: 'aborted' })).toBeVisible({ timeout: 60_000 })
})

test('a question is shown with its words, and somebody else signs the answer', async ({ app }) => {
  const { page } = app
  await newConversation(page)
  await page.getByRole('button', { name: 'Workflows' }).click()
  await page.getByRole('button', { name: 'New workflow' }).click()
  await page.getByRole('textbox', { name: 'Graph as text' }).fill(`name: Ask
tasks:
  best:
    type: code_execution
    language: python
    candidates: 2
    choose: reviewer
    code: |
      import json
      at = json.load(open("inputs.json"))["candidate"]
      json.dump({"loss": 10 + at}, open("outputs.json", "w"))
    outputs: { loss: number }
  ask:
    type: approval
    needs: [best]
    question: Are the figures plausible?
`)
  await page.getByRole('button', { name: 'Start' }).click()
  await expect(page.getByText('Choose a task to see its results.')).toBeVisible()
  await page.getByText('best', { exact: true }).first().click()
  await page.getByRole('radio', { name: 'Candidate 1' }).check({ timeout: 60_000 })
  const keep = page.getByRole('button', { name: 'Keep candidate 1' })
  await keep.click()
  await expect(page.getByText('Whoever started a workflow does not decide in it.')).toBeVisible()

  const signAs = async (name: string) => {
    await page.getByRole('button', { name: /^You sign as/ }).click()
    await page.getByRole('menuitem', { name }).click()
  }
  await signAs('New reviewer…')
  await page.getByRole('textbox', { name: 'Name' }).fill('Bea')
  await page.getByRole('button', { name: 'Make and sign once as them' }).click()
  await keep.click()
  await expect(page.getByRole('region', { name: 'Task best' })).toContainText('loss 11', { timeout: 60_000 })

  await page.getByText('ask', { exact: true }).first().click()
  await expect(page.getByText('Are the figures plausible?')).toBeVisible()
  await signAs('Sign once as Bea')
  await page.getByRole('button', { name: 'Approve' }).click()
  await expect(page.getByRole('status').filter({ hasText: 'completed · 2 of 2 tasks' })).toBeVisible({
    timeout: 60_000,
  })
})
