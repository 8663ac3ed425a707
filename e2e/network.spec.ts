import type { Locator, Page } from '@playwright/test'
import { expect, test } from './app.ts'
import { cells, chooseCommand, newConversation, outputOf, typeInCell } from './steps.ts'

/** A name that no resolver knows (RFC 2606): nothing leaves the machine that the scenario runs on. */
const host = 'api.example.invalid'
const reaching = `import urllib.request as u\nu.urlopen("https://${host}/rates")`

const hold = (page: Page): Locator => page.getByRole('button', { name: 'Hold to approve' })
const grants = (page: Page): Locator => page.getByRole('region', { name: 'What it may reach' })

async function holdToApprove(page: Page): Promise<void> {
  await expect(hold(page)).toHaveAttribute('aria-disabled', 'false')
  await hold(page).hover()
  await page.mouse.down()
  await expect(page.getByRole('dialog')).toBeHidden()
  await page.mouse.up()
}

test('a host is asked for, granted in words, signed, and every attempt stands at the cell', async ({ app }) => {
  const { page } = app
  await newConversation(page)
  await typeInCell(page, reaching)
  await page.keyboard.press('Control+Enter')

  // Approved without the host: the code may run, and is told in a sentence what it was not given.
  await expect(grants(page)).toContainText(`Not granted: read from and send to ${host}, port 443, encrypted (https).`)
  await expect(grants(page)).toContainText('Approving does not open the network')
  await expect(page.getByRole('dialog')).not.toContainText('Can be undone')
  await app.picture('network-offered')
  await holdToApprove(page)
  const output = outputOf(page, 0)
  await expect(output).toContainText(`${host} is not granted; ask for it`)
  await expect(output.getByRole('list', { name: 'Network' })).toContainText(`denied ${host}:443`)
  // What the guard foresaw and what was observed stand beside each other.
  await output.getByText('Predicted and observed').click()
  await expect(output.getByText(`reaches ${host}`)).toBeVisible()
  await expect(output.getByText(`was denied ${host}:443`)).toBeVisible()
  await app.picture('network-refused')

  // A page that did not see the run has it from the record.
  await page.reload()
  await expect(output.getByRole('list', { name: 'Network' })).toContainText(`denied ${host}:443`)
  await output.getByText('Predicted and observed').click()
  await expect(output.getByText(`was denied ${host}:443`)).toBeVisible()

  // One click asks for it; the dialog says what would be given, and another choice changes what is signed.
  await output.getByRole('button', { name: 'Ask for it' }).click()
  await expect(grants(page)).toContainText(`It may read from and send to ${host}, port 443, encrypted (https).`)
  await grants(page).getByRole('checkbox').uncheck()
  await grants(page).getByRole('button', { name: 'Grant exactly this' }).click()
  await expect(grants(page)).toContainText(`Not granted: read from and send to ${host}`)
  await expect(grants(page).getByRole('button', { name: 'Grant exactly this' })).toBeHidden()
  // The request as it stands now comes a moment after the old one has gone, and shows its own choice.
  await expect(async () => {
    await grants(page).getByRole('checkbox').check()
  }).toPass()
  await grants(page)
    .getByRole('combobox', { name: /^How long/ })
    .selectOption('path')
  await grants(page).getByRole('button', { name: 'Grant exactly this' }).click()
  await expect(grants(page).getByRole('button', { name: 'Grant exactly this' })).toBeHidden()
  await expect(grants(page)).toContainText(`It may read from and send to ${host}, port 443, encrypted (https), and so`)
  await app.picture('network-granted')
  await holdToApprove(page)
  await expect(output).toContainText(`${host} has no address`)

  // The path keeps it, the badge shows it at rest, and whoever takes it back ends it.
  const badge = page.getByRole('button', { name: host, exact: true })
  await expect(badge).toBeVisible()
  await badge.click()
  await expect(page.getByRole('menuitem', { name: /^Take back \(this path, until/ })).toBeVisible()
  await app.picture('network-path')
  await page.getByRole('menuitem', { name: /^Take back/ }).click()
  await expect(badge).toBeHidden()
})

test('official data comes from a list that says what is granted, and an address that carries something private stays here', async ({
  app,
}) => {
  const { page } = app
  await newConversation(page)
  await chooseCommand(page, 'Fetch official data')
  const dialog = page.getByRole('dialog', { name: 'Fetch official data' })
  const fetchIt = dialog.getByRole('button', { name: 'Fetch', exact: true })
  await dialog.getByRole('button', { name: /^Eurostat/ }).click()
  await expect(dialog.getByRole('button', { name: /^Eurostat/ })).toContainText('GET from ec.europa.eu')
  await expect(dialog.getByRole('status')).toContainText('Only this address is sent, to ec.europa.eu.')
  await app.picture('feeds')

  const address = dialog.getByRole('textbox', { name: 'Address' })
  await address.fill('https://ec.europa.eu.example.invalid/eurostat')
  await expect(dialog.getByRole('status')).toContainText('This address belongs to none of the sources above.')
  await expect(fetchIt).toBeDisabled()
  await address.fill('https://ec.europa.eu/eurostat/api?for=jane.doe@bank.ie')
  await fetchIt.click()
  await expect(dialog.getByRole('status')).toContainText('would carry it out')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(cells(page)).toHaveCount(1)
})
