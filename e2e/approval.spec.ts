import { join } from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import type { Locator, Page } from '@playwright/test'
import Database from 'better-sqlite3'
import { expect, test } from './app.ts'
import { cells, newConversation, outputOf, typeInCell } from './steps.ts'

const deleting = [
  'import os, shutil',
  'os.makedirs("out", exist_ok=True)',
  'shutil.rmtree("out")',
  'print("out is there:", os.path.exists("out"))',
].join('\n')

const dialog = (page: Page): Locator => page.getByRole('dialog')
const decision = (page: Page): Locator => page.getByRole('region', { name: 'Decision' })
const hold = (page: Page): Locator => decision(page).getByRole('button', { name: 'Hold to approve' })

/** Monaco keeps empty ones for itself. */
const alert = (page: Page, text: string): Locator => page.getByRole('alert').filter({ hasText: text })

/** Buttons that answer are there at once and count after half a second. */
const armed = (page: Page) => expect(hold(page)).toHaveAttribute('aria-disabled', 'false')

async function ask(page: Page): Promise<void> {
  await newConversation(page)
  await typeInCell(page, deleting)
  await page.keyboard.press('Control+Enter')
  await expect(dialog(page)).toBeVisible()
  await armed(page)
}

async function openQueue(page: Page): Promise<void> {
  await page
    .getByRole('navigation', { name: 'Places' })
    .getByRole('button', { name: /Review queue/ })
    .click()
  await expect(page.getByRole('heading', { name: 'Review queue' })).toBeVisible()
}

async function signAs(page: Page, name: string, passphrase: string): Promise<void> {
  await page
    .getByRole('region', { name: 'Review queue' })
    .getByRole('button', { name: /You sign as/ })
    .click()
  await page.getByRole('menuitem', { name: 'New reviewer…' }).click()
  await page.getByLabel('Name', { exact: true }).fill(name)
  await page.getByLabel(/^Passphrase, at least/).fill(passphrase)
  await page.getByLabel('Passphrase again').fill(passphrase)
  await page.getByRole('button', { name: 'Make and sign as them' }).click()
  await expect(decision(page)).toContainText(`You sign as ${name}`)
}

async function holdToApprove(page: Page): Promise<void> {
  await armed(page)
  await hold(page).hover()
  await page.mouse.down()
  await expect(
    page
      .getByText(/^Approved and signed by/)
      .or(page.getByRole('alert'))
      .first(),
  ).toBeVisible()
  await page.mouse.up()
}

test('risky code waits, a reviewer reads, edits and signs it, and only what was signed runs', async ({ app }) => {
  const { page } = app
  await ask(page)

  // Ten seconds: the risk, what it does, on which line, and the safe choice under the finger.
  await expect(dialog(page)).toContainText('high risk')
  await expect(dialog(page)).toContainText('It cannot be undone.')
  await expect(page.getByRole('region', { name: 'What it would do' })).toContainText('out')
  await expect(page.getByTestId('review-code')).toContainText(/high:\sDeletes/)
  await expect(page.getByRole('timer')).toContainText('Moves to the review queue in')
  await expect(page.getByRole('button', { name: 'Save for later' }).last()).toBeFocused()
  expect((await new AxeBuilder({ page }).include('[role=dialog]').analyze()).violations).toEqual([])
  await app.picture('approval-dialog')

  // No key approves, and what is typed into the comment stays there.
  await page.getByLabel('Comment').fill('please look')
  await page.getByLabel('Comment').press('Enter')
  await page.getByLabel('Comment').press('Escape')
  await hold(page).focus()
  await page.keyboard.press('Enter')
  await expect(dialog(page)).toBeVisible()
  await expect(hold(page)).toBeVisible()
  await dialog(page).getByRole('button', { name: 'Save for later' }).last().click()
  await expect(dialog(page)).toBeHidden()
  await expect(cells(page).first()).toContainText('waits for review')

  // Somebody else looks at it, puts it right and signs.
  await openQueue(page)
  await expect(page.getByRole('listbox', { name: 'Requests' }).getByRole('option')).toHaveCount(1)
  await signAs(page, 'Rita', 'correct horse')
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  await page.keyboard.press('Control+End')
  await page.keyboard.insertText('\nprint("checked by Rita")')
  await page.getByRole('button', { name: 'Propose this code' }).click()
  await page.getByRole('tab', { name: 'Changes by the reviewer' }).click()
  await expect(page.getByTestId('review-diff')).toContainText(/checked\sby\sRita/)
  await page.getByLabel('Comment').fill('fine with the last line')
  await app.picture('review-queue')
  await holdToApprove(page)
  const approval = page.getByRole('region', { name: 'Approval', exact: true })
  await expect(approval).toContainText('Approved by Rita')
  await expect(approval).toContainText('fine with the last line')
  await expect(decision(page)).toBeHidden()

  // It runs, as it was signed, and the cell says what ran.
  await page.getByRole('navigation', { name: 'Places' }).getByRole('button', { name: 'Notebook' }).click()
  await expect(outputOf(page, 0)).toContainText('out is there: False')
  await expect(outputOf(page, 0)).toContainText('checked by Rita')
  await expect(
    page.getByRole('treeitem', { name: /^main, high risk, sandbox ready, (jail|unconfined)$/ }),
  ).toBeVisible()
  await expect(cells(page).first().locator('.view-lines')).toContainText(/checked\sby\sRita/)

  // The record shows who, what and when.
  await page.getByRole('navigation', { name: 'Places' }).getByRole('button', { name: 'Audit' }).click()
  const said = recorded(app.home)
  const decided = said.find(entry => entry.action === 'approval.decided')
  await page.getByText('Rita approved a run').first().click()
  const entry = page.getByRole('article', { name: /^Entry \d+$/ })
  await expect(entry.getByRole('heading', { level: 2 })).toContainText('Rita approved a run')
  await expect(entry.getByRole('heading', { level: 2 })).toContainText('fine with the last line')
  await expect(entry.getByRole('group', { name: 'Code' })).toContainText(/checked\sby\sRita/)
  await expect(entry.locator('header time')).toHaveAttribute('datetime', new Date(decided?.at ?? 0).toISOString())
  await expect(entry.locator('header time')).toBeVisible()
  await entry.getByText('Everything the entry says').click()
  await expect(entry).toContainText(String(decided?.details.codeHash))
  expect(decided?.details).toMatchObject({ verdict: 'approve', risk: 'high', comment: 'fine with the last line' })
  expect(decided?.details).toHaveProperty('signature')
  const ran = said.find(entry => entry.action === 'run.finished')
  expect(ran?.details).toMatchObject({ success: true, codeHash: decided?.details.codeHash })
  expect(new Date(ran?.at ?? 0).getTime()).toBeGreaterThanOrEqual(new Date(decided?.at ?? 0).getTime())

  // One byte more is other code: it is asked about anew, with what changed, and does not run.
  await page.getByRole('navigation', { name: 'Places' }).getByRole('button', { name: 'Notebook' }).click()
  await cells(page).first().locator('.monaco-editor').click()
  await page.keyboard.press('Control+End')
  await page.keyboard.insertText('#')
  await page.keyboard.press('Control+Enter')
  await expect(dialog(page)).toBeVisible()
  await dialog(page)
    .getByRole('tab', { name: /Changes since Rita approved it/ })
    .click()
  await expect(page.getByTestId('review-diff')).toContainText(/checked\sby\sRita"\)#/)
  await app.picture('approval-changes')
  expect(recorded(app.home).filter(entry => entry.action === 'run.intended')).toHaveLength(1)
})

test('a request whose code was changed by one byte behind its back is not signed and does not run', async ({ app }) => {
  const { page } = app
  await ask(page)
  await dialog(page).getByRole('button', { name: 'Save for later' }).last().click()
  await openQueue(page)
  await armed(page)
  change(app.home, "update approval_revisions set code = replace(code, 'print', 'prinT')")
  await holdToApprove(page)
  await expect(alert(page, 'is not what was asked')).toBeVisible()
  await expect(page.getByRole('region', { name: 'Approval', exact: true })).toBeHidden()
  expect(recorded(app.home).map(entry => entry.action)).not.toContain('run.intended')
})

test('a request that is withdrawn while somebody looks at it says so and takes no answer', async ({ app }) => {
  const { page } = app
  await ask(page)
  const other = await page.context().newPage()
  test.skip(app.door === 'electron', 'the desktop application has one window')
  await other.goto(page.url())
  await openQueue(other)
  await other.getByRole('button', { name: 'Withdraw' }).click()
  await expect(dialog(page).getByRole('status')).toContainText('withdrew it')
  await expect(decision(page)).toBeHidden()
  await dialog(page).getByRole('button', { name: 'Close' }).last().click()
  await expect(cells(page).first()).toContainText('withdrawn')
})

test('the policy is edited as a form and as text, and a broken text changes nothing', async ({ app }) => {
  const { page } = app
  await page.getByRole('navigation', { name: 'Places' }).getByRole('button', { name: 'Settings' }).click()
  await page.getByRole('button', { name: 'Policy', exact: true }).click()
  await page.getByLabel('Four eyes from').selectOption('high')
  await page.getByRole('button', { name: 'Save policy' }).click()
  await expect(page.getByText(/^Policy saved/)).toBeVisible()
  await page.getByRole('tab', { name: 'YAML' }).click()
  const file = page.getByRole('tabpanel').last()
  await expect(file.locator('.monaco-editor')).toContainText('fourEyes')
  await file.locator('.monaco-editor').click()
  await page.keyboard.press('Control+End')
  await page.keyboard.insertText('\nnonsense: [')
  await page.getByRole('button', { name: 'Save policy' }).click()
  await expect(alert(page, 'The policy cannot be read')).toBeVisible()
  await page.getByRole('button', { name: 'Discard changes' }).click()

  // Whoever wrote the code cannot sign it now.
  await page.getByRole('navigation', { name: 'Places' }).getByRole('button', { name: 'Notebook' }).click()
  await newConversation(page)
  await typeInCell(page, deleting)
  await page.keyboard.press('Control+Enter')
  await expect(dialog(page)).toContainText('somebody else has to approve it')
  await expect(hold(page)).toHaveAttribute('aria-disabled', 'true')

  // Somebody who stands beside signs this answer; the window stays whose it is.
  const header = page.locator('header').getByTitle(/^You act and sign as/)
  const owner = (await header.textContent()) ?? ''
  await decision(page)
    .getByRole('button', { name: /You sign as/ })
    .click()
  await page.getByRole('menuitem', { name: 'New reviewer…' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Vera')
  await page.getByLabel(/^Passphrase, at least/).fill('correct horse')
  await page.getByLabel('Passphrase again').fill('correct horse')
  await page.getByRole('button', { name: 'Make and sign once as them' }).click()
  await expect(decision(page)).toContainText('This answer is signed by Vera')
  await app.picture('sign-once')
  await decision(page).getByRole('button', { name: 'Deny' }).click()
  await expect(decision(page)).toContainText('Say why it is denied, then press Deny again.')
  await page.getByLabel('Comment').fill('out is needed')
  await decision(page).getByRole('button', { name: 'Deny' }).click()
  await expect(dialog(page)).toBeHidden()
  await expect(header).toHaveText(owner)
  expect(recorded(app.home).filter(entry => entry.action === 'approval.decided')).toMatchObject([
    { details: { verdict: 'deny', comment: 'out is needed' } },
  ])
})

interface Recorded {
  readonly action: string
  readonly at: string
  readonly details: Record<string, unknown>
}

/** What stands on the record, oldest first. */
function recorded(home: string): Recorded[] {
  const db = new Database(join(home, 'countersign.db'), { readonly: true })
  try {
    const rows = db.prepare('select entry from audit_entries order by seq').all() as { entry: string }[]
    return rows.map(row => JSON.parse(row.entry) as Recorded)
  } finally {
    db.close()
  }
}

/** What somebody with access to the disk could do. */
function change(home: string, statement: string): void {
  const db = new Database(join(home, 'countersign.db'))
  try {
    expect(db.prepare(statement).run().changes).toBeGreaterThan(0)
  } finally {
    db.close()
  }
}
