import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import type { Locator, Page } from '@playwright/test'
import { expect, test } from './app.ts'
import { newConversation, typeInCell } from './steps.ts'

/** In both themes; the words and colours of every state are on one of the pages that are looked at. */
async function isAccessible(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    const { violations } = await new AxeBuilder({ page }).include('main').analyze()
    expect(violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${colorScheme} ${id}: ${html}`))).toEqual([])
  }
}

test('a graph is written, drawn, run to its end, and its files are on the path', async ({ app }) => {
  const { page } = app
  await newConversation(page)
  await page.getByRole('button', { name: 'Workflows' }).click()
  await expect(page.getByText('No workflow yet')).toBeVisible()
  await page.getByRole('button', { name: 'New workflow' }).click()

  const text = page.getByRole('textbox', { name: 'Graph as text' })
  await text.fill('name: x\ntasks:\n  a: { type: approval, question: q, needs: [b] }\n')
  await page.getByRole('button', { name: 'Line 3: a needs b' }).click()
  await expect
    .poll(() => text.evaluate(area => String(area.ownerDocument.getSelection())))
    .toBe('  a: { type: approval, question: q, needs: [b] }')
  await expect(page.getByRole('button', { name: 'Start' })).toBeDisabled()

  // What only the catalogue and this machine tell is told at the start, on its line too.
  await text.fill('name: x\ntasks:\n  a: { type: analysis, analysis: hhi, inputs: { shares: { value: 1 } } }\n')
  await page.getByRole('button', { name: 'Start' }).click()
  await expect(page.getByRole('button', { name: 'Line 3: a: There is no input called shares' })).toBeVisible()
  await isAccessible(page)

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
  // The text waits for whoever looks something up elsewhere.
  await page.getByRole('button', { name: 'Audit' }).click()
  await expect(text).toBeHidden()
  await page.getByRole('button', { name: 'Workflows' }).click()
  await expect(text).toHaveValue(/^name: Totals/)
  await page.getByRole('button', { name: 'Start' }).click()
  await expect(page.getByRole('status').filter({ hasText: 'completed · 2 of 2 tasks' })).toBeVisible()
  await page.getByLabel('load, completed').press('ArrowRight')
  await expect(page.getByLabel('report, completed')).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('region', { name: 'Task report' })).toContainText('writes report.txt')
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('Enter')
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
  await expect(log).toContainText('first word')
  await expect(log).toContainText('a warning')
  await expect(page.getByRole('region', { name: 'Task wait' })).toContainText('running')

  await page.reload()
  await page.getByRole('button', { name: 'Workflows' }).click()
  await page.getByRole('button', { name: /^Slow/ }).click()
  await page.getByText('wait', { exact: true }).first().click()
  await expect(log).toContainText('first word')
  await page.getByRole('button', { name: 'Abort…' }).click()
  await expect(page.getByRole('alert')).toContainText('The files of the path stay as they were.')
  await page.getByRole('button', { name: 'Abort', exact: true }).click()
  await expect(page.getByRole('status').filter({ hasText: 'aborted' })).toBeVisible()
})

test('a question is shown with its words, and somebody else signs the answer', async ({ app }) => {
  const { page } = app
  await newConversation(page)
  await page.keyboard.press('Control+,')
  await page.getByRole('button', { name: 'People' }).click()
  const add = async (name: string) => {
    await page.getByRole('button', { name: /You sign as/ }).click()
    await page.getByRole('menuitem', { name: 'New reviewer…' }).click()
    await page.getByLabel('Name').fill(name)
    await page.getByLabel(/^Passphrase, at least/).fill(`passphrase of ${name}`)
    await page.getByLabel('Passphrase again').fill(`passphrase of ${name}`)
    await page.getByRole('button', { name: 'Make and sign as them' }).click()
    await expect(page.getByRole('button', { name: /You sign as/ })).toContainText(name)
  }
  await add('Bea')
  await add('Vera')
  await page.getByRole('button', { name: 'Vouch for Bea' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Vouch', exact: true }).click()
  await expect(page.getByText('Vouched for by Vera')).toBeVisible()
  await add('Zoe')
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
    question: "Are the figures \\u202eplausible?"
`)
  await page.getByRole('button', { name: 'Start' }).click()
  await expect(page.getByText('Choose a task to see its results.')).toBeVisible()
  await page.getByText('best', { exact: true }).first().click()
  await page.getByRole('radio', { name: 'Candidate 1' }).check()
  await expect(page.getByText('You started this workflow: somebody else has to answer.')).toBeVisible()
  const decision = page.getByRole('region', { name: 'Decision' })
  const keep = decision.getByRole('button', { name: 'Hold to keep candidate 1' })
  await expect(keep).toHaveAttribute('aria-disabled', 'true')

  const signAs = async (name: string) => {
    await page.getByRole('button', { name: /^You sign as/ }).click()
    await page.getByRole('menuitem', { name }).click()
    await page.getByRole('dialog').getByLabel('Passphrase').fill('passphrase of Bea')
    await page.getByRole('button', { name: 'Sign this answer' }).click()
  }
  /** Keeps the button pressed until `then` is there. */
  const hold = async (button: Locator, then: Locator) => {
    await expect(button).toHaveAttribute('aria-disabled', 'false')
    await button.hover()
    await page.mouse.down()
    await expect(then).toBeVisible()
    await page.mouse.up()
  }
  await signAs('Sign once as Bea')
  await expect(keep).toHaveAttribute('aria-disabled', 'false')
  // Neither a click nor Enter answers, nor a no without a reason.
  await keep.click()
  await keep.press('Enter')
  await decision.getByRole('button', { name: 'Keep none of them' }).click()
  await expect(decision.getByRole('alert')).toContainText('Say why')
  await expect(page.getByRole('region', { name: 'Task best' })).toContainText('waiting for a person')
  await hold(keep, page.getByLabel('best, completed'))
  await expect(page.getByRole('region', { name: 'Task best' })).toContainText('loss 11')

  await page.getByText('ask', { exact: true }).first().click()
  await expect(page.getByText('Are the figures ⟨U+202E⟩plausible?')).toBeVisible()
  await signAs('Sign once as Bea')
  await isAccessible(page)
  await app.picture('workflow-question')
  await hold(
    decision.getByRole('button', { name: 'Hold to approve' }),
    page.getByRole('status').filter({ hasText: 'completed · 2 of 2 tasks' }),
  )
})

test('the cells of a path become a workflow, which is run again from a task', async ({ app }) => {
  const { page } = app
  await newConversation(page)
  await typeInCell(page, 'open("a.txt", "w").write("1")')
  await page.getByRole('button', { name: 'Workflows' }).click()
  await page.getByRole('button', { name: 'New workflow' }).click()
  await page.getByRole('button', { name: 'From the cells of this path' }).click()
  await expect(page.getByRole('textbox', { name: 'Graph as text' })).toHaveValue(/cell_1:/)
  await page.getByRole('button', { name: 'Start' }).click()
  const completed = page.getByRole('status').filter({ hasText: 'completed · 1 of 1 tasks' })
  await expect(completed).toBeVisible()
  await page.getByLabel('cell_1, completed').press('Enter')
  await expect(page.getByRole('region', { name: 'Task cell_1' })).toContainText('writes a.txt')
  await page.getByRole('button', { name: 'Run again from here' }).click()
  await expect(page.getByRole('region', { name: 'Workflows' }).getByRole('listitem')).toHaveCount(2)
  await expect(completed).toBeVisible()
})

test('a workflow that failed names its task, and is resumed there when what stopped it is gone', async ({ app }) => {
  const { page } = app
  const policy = join(app.home, 'policy.yaml')
  writeFileSync(policy, 'blocked: { imports: [wave] }\n')
  await newConversation(page)
  await page.getByRole('button', { name: 'Workflows' }).click()
  await page.getByRole('button', { name: 'New workflow' }).click()
  await page.getByRole('textbox', { name: 'Graph as text' }).fill(`name: Sound
tasks:
  first: { type: code_execution, language: python, code: 'open("a.txt", "w").write("1")' }
  sound: { type: code_execution, language: python, code: import wave, needs: [first] }
`)
  await page.getByRole('button', { name: 'Start' }).click()
  await expect(page.getByRole('status').filter({ hasText: 'failed · 1 of 2 tasks' })).toBeVisible()
  await page.getByRole('alert').getByRole('button', { name: 'sound' }).click()
  await expect(page.getByRole('region', { name: 'Task sound' })).toContainText('failed')
  await isAccessible(page)

  writeFileSync(policy, '{}\n')
  await page.getByRole('button', { name: 'Resume' }).click()
  await expect(page.getByRole('status').filter({ hasText: 'completed · 2 of 2 tasks' })).toBeVisible()
})
