import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { type App, expect, test } from './app.ts'
import { chooseCommand, newConversation, outputOf, typeInCell } from './steps.ts'

const email = 'aoife.murphy@example.ie'
const iban = 'IE29 AIBK 9311 5212 3456 78'

test('a person sees what would be sent, allows one value, and reveals another for a reason', async ({ app }) => {
  const { page } = app
  await newConversation(page)
  await note(page, `Refund ${email} to ${iban}.`)
  await page.getByRole('button', { name: 'What would be sent' }).click()
  const sent = page.getByRole('region', { name: 'Sent to a language model' })
  const original = page.getByRole('region', { name: 'Original' })
  await expect(sent).toHaveText('Refund [EMAIL_1] to [IBAN_1].')
  await expect(original).toHaveText('Refund •••••.••••••@•••••••.•• to •••• •••• •••• •••• •••• ••.')
  await expect(page.locator('main')).not.toContainText(email)
  expect(await accessible(page)).toEqual([])
  await app.picture('privacy-sending')

  await page.getByRole('button', { name: 'Allow [IBAN_1]…' }).click()
  await expect(page.getByText('The value behind [IBAN_1] is no longer found')).toContainText('in this conversation')
  await page.getByRole('button', { name: 'Allow', exact: true }).click()
  await expect(sent).toHaveText(`Refund [EMAIL_1] to ${iban}.`)
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(sent).toHaveText('Refund [EMAIL_1] to [IBAN_1].')

  await page.getByRole('button', { name: 'Reveal [EMAIL_1]…' }).click()
  const reveal = page.getByRole('button', { name: 'Record and reveal' })
  await expect(reveal).toBeDisabled()
  await page.getByLabel('Reason').fill('the client asked which address we hold')
  await reveal.click()
  await expect(original).toContainText(email)
  await expect(sent).not.toContainText(email)

  const { items } = await audit(app, 'query', '--action', 'privacy.revealed')
  expect(items.map(item => item.entry.details)).toEqual([
    { token: '[EMAIL_1]', type: 'EMAIL', reason: 'the client asked which address we hold' },
  ])
  const allowed = await audit(app, 'query', '--action', 'privacy.allowed')
  expect(allowed.items).toHaveLength(2)
  expect(JSON.stringify([items, allowed])).not.toContain(email)
})

test('the screen shows a card number that a run printed; the record does not', async ({ app }) => {
  const { page } = app
  await newConversation(page)
  await typeInCell(page, 'print("card", " ".join(["4242"] * 4))')
  await page.keyboard.press('Control+Enter')
  await expect(outputOf(page, 0)).toContainText('card 4242 4242 4242 4242')

  await expect.poll(async () => (await audit(app, 'query', '--action', 'run.finished')).items.length).toBe(1)
  const { items } = await audit(app, 'query', '--action', 'run.finished')
  const shown = await audit(app, 'show', String(items[0]?.entry.seq))
  expect(shown.bodies.stdout).toBe('card [CREDIT_CARD_1]\n')
  expect(JSON.stringify(shown)).not.toContain('4242 4242')

  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'More' }).first().click()
  await page.getByRole('menuitem', { name: 'What would be sent' }).click()
  await page.getByRole('radio', { name: 'Output' }).click()
  await expect(page.getByRole('region', { name: 'Sent to a language model' })).toHaveText('card [CREDIT_CARD_1]')
})

test('a form is allowed for what was only tried, never one that lets everything through, and taken back', async ({
  app,
}) => {
  const { page } = app
  await newConversation(page)
  await page.getByRole('button', { name: 'Privacy', exact: true }).click()
  await page.getByRole('tab', { name: 'Try a text' }).click()
  await page.getByLabel('Text to try').fill(`Ask desk@acme.ie or ${email}.`)
  const sent = page.getByRole('region', { name: 'What would be sent' })
  await expect(sent).toHaveText('Ask [EMAIL_1] or [EMAIL_2].')

  await page.getByRole('button', { name: 'Allow [EMAIL_1]…' }).click()
  await page.getByRole('radio', { name: 'A pattern' }).click()
  await expect(page.getByLabel('Pattern')).toHaveValue('*@acme.ie')
  await page.getByLabel('Pattern').fill('*@*')
  await page.getByRole('button', { name: 'Allow', exact: true }).click()
  await expect(page.getByRole('dialog').getByRole('alert')).toContainText(/three|3/)
  await page.getByLabel('Pattern').fill('*@acme.ie')
  await page.getByRole('button', { name: 'Allow', exact: true }).click()
  await expect(sent).toHaveText('Ask desk@acme.ie or [EMAIL_1].')

  await page.getByRole('tab', { name: 'Allowed' }).click()
  const rows = page.getByRole('table').getByRole('row')
  await expect(rows.nth(1)).toContainText('*@acme.ie')
  await expect(rows.nth(1)).toContainText('everything of this form')
  await app.picture('privacy-allowed')
  await page.getByRole('button', { name: 'Take back' }).click()
  await expect(page.getByText('Nothing is allowed through')).toBeVisible()
  await page.getByRole('tab', { name: 'Try a text' }).click()
  await page.getByLabel('Text to try').fill('Ask desk@acme.ie.')
  await expect(sent).toHaveText('Ask [EMAIL_1].')
})

test('what leaves is listed with what was found in it, and a stricter mode replaces it', async ({ app }) => {
  const { page } = app
  await newConversation(page)
  await note(page, `Write to ${email}.`)
  await exportMarkdown(page)
  await page.getByRole('button', { name: 'Privacy', exact: true }).click()
  await page.getByRole('tab', { name: 'What was sent' }).click()
  const rows = page.getByRole('table').getByRole('row')
  await expect(rows.nth(1)).toContainText('Found, and sent as it was')
  await expect(rows.nth(1)).toContainText('E-mail address')

  await page.getByRole('tab', { name: 'How it works' }).click()
  await page.getByRole('button', { name: 'Change in the settings' }).click()
  await page.getByRole('radiogroup', { name: 'Exported files' }).getByRole('radio', { name: 'Enforce' }).click()
  await expect(page.locator('[data-setting="privacy.export"]')).toContainText('set here')
  expect(await accessible(page)).toEqual([])

  await page.getByRole('button', { name: 'Notebook', exact: true }).click()
  await exportMarkdown(page)
  await page.getByRole('button', { name: 'Privacy', exact: true }).click()
  await page.getByRole('tab', { name: 'What was sent' }).click()
  await expect(rows.nth(1)).toContainText('Replaced')
  await expect(page.getByRole('region', { name: 'Found on the way out' })).toContainText(
    /2 values of 1 kind.*E-mail address/s,
  )
  await app.picture('privacy-left')
})

async function note(page: Page, text: string): Promise<void> {
  const box = page.getByLabel('Write a question or a note')
  await box.fill(text)
  await box.press('Enter')
  await expect(page.getByRole('article', { name: /by the analyst$/ })).toBeVisible()
}

async function exportMarkdown(page: Page): Promise<void> {
  await chooseCommand(page, 'Export path as Markdown')
  await expect(page.getByText(/^Saved .*\.md/).first()).toBeVisible()
}

/** What a checker has against the view, by rule. */
async function accessible(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).include('main').analyze()
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)
}

interface Answer {
  items: { entry: { seq: number; details: object } }[]
  bodies: Record<string, string>
}

/** Asks the record from a terminal, as an auditor would, while the application runs. */
async function audit({ home }: App, ...args: string[]): Promise<Answer> {
  const command = join(import.meta.dirname, '../bin/countersign')
  const { stdout } = await promisify(execFile)(process.execPath, [command, 'audit', ...args, '--json'], {
    env: { ...process.env, COUNTERSIGN_HOME: home },
  })
  return JSON.parse(stdout)
}
