import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { writeTinyModel } from '../src/privacy/names/tiny-model.testing.ts'
import { expect, test } from './app.ts'

async function violations(page: Page, within: string): Promise<string[]> {
  const { violations: found } = await new AxeBuilder({ page }).include(within).analyze()
  return found.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)
}

test('a setting says what does not fit, is kept over a restart, and goes back to what it was', async ({ app }) => {
  await app.page.keyboard.press('Control+,')
  const limit = app.page.getByRole('spinbutton', { name: 'Time limit' })
  await limit.fill('900')
  await limit.press('Enter')
  await expect(app.page.getByRole('alert')).toHaveText('Maximum is 600. Kept at 60.')
  await limit.fill('30')
  await limit.press('Enter')
  const field = () => app.page.locator('[data-setting="sandbox.timeoutSeconds"]')
  await expect(field()).toContainText('set here')

  await app.reopen()
  await app.page.getByRole('button', { name: 'Settings', exact: true }).click()
  await expect(app.page.getByRole('spinbutton', { name: 'Time limit' })).toHaveValue('30')
  await field().getByRole('button', { name: 'Reset Time limit to what it was' }).click()
  await expect(app.page.getByRole('spinbutton', { name: 'Time limit' })).toHaveValue('60')
  await expect(field()).toContainText('default')
})

test('a person finds a setting by its words, and changes the theme with the keyboard', async ({ app }) => {
  const { page } = app
  await page.keyboard.press('Control+,')
  await page.getByLabel('Search settings').fill('json message')
  await expect(page.locator('[data-setting]')).toHaveCount(1)
  await expect(page.getByRole('navigation', { name: 'Settings' }).locator('[aria-current]:disabled')).toHaveCount(0)
  await page.getByLabel('Webhook').fill('ftp://example.com')
  await expect(page.getByRole('alert')).toContainText('begins with http:// or https://')
  await page.getByLabel('Search settings').press('Escape')
  const themes = page.getByRole('radiogroup', { name: 'Theme' }).getByRole('radio')
  await themes.first().focus()
  for (const at of [1, 2]) {
    // The choice follows the focus only while the key is down.
    await page.keyboard.down('ArrowRight')
    await expect(themes.nth(at)).toBeChecked()
    await page.keyboard.up('ArrowRight')
  }
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
  expect(await violations(page, 'main')).toEqual([])
  await app.picture('settings-dark')
})

test('a person vouches for another, and both are told apart from those whose yes does not count', async ({ app }) => {
  const { page } = app
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
  await add('Rea')
  await add('Vera')
  await page.getByRole('button', { name: 'Vouch for Rea' }).click()
  await app.picture('vouching')
  await page.getByRole('dialog').getByRole('button', { name: 'Vouch', exact: true }).click()
  const rea = page.getByRole('list', { name: 'People who can sign' }).getByRole('listitem').filter({ hasText: 'Rea' })
  await expect(rea).toContainText('Vouched for by Vera')
  expect(await violations(page, 'main')).toEqual([])
  await app.picture('people')
  await rea.getByRole('button', { name: 'Withdraw vouch for Rea' }).click()
  await app.picture('withdrawing')
  await page.getByRole('dialog').getByRole('button', { name: 'Withdraw', exact: true }).click()
  await expect(rea).toContainText('Nobody has vouched for them.')
  await expect(rea.getByRole('button', { name: 'Vouch for Rea' })).toBeEnabled()
})

test.describe('the model for names', () => {
  const home = mkdtempSync(join(tmpdir(), 'countersign-models-'))
  const models = join(home, 'models')
  test.use({ env: { HOME: home } })
  test.beforeAll(() => {
    const known = {
      maria: 1,
      lind: 2,
      '##qvist': 2,
      tom: 1,
      brennan: 2,
      dublin: 3,
      acme: 4,
      insurance: 5,
      of: 0,
      met: 0,
    }
    const labels = ['O', 'B-PER', 'I-PER', 'B-LOC', 'B-ORG', 'I-ORG', 'B-MISC']
    writeTinyModel(join(models, 'names-in-english'), { known, labels })
    writeTinyModel(join(models, 'drugs-and-doses'), { labels: ['O', 'B-DRUG', 'I-DRUG', 'B-DOSE', 'B-FORM'] })
    writeTinyModel(join(models, 'never-done'))
    // Whoever opens it waits for a writer that never comes, as for a disk that has gone to sleep.
    rmSync(join(models, 'never-done', 'onnx', 'model.onnx'))
    execFileSync('mkfifo', [join(models, 'never-done', 'onnx', 'model.onnx')])
    for (const name of ['Documents', 'Downloads', 'Pictures', '.cache']) mkdirSync(join(home, name))
  })
  test.afterAll(() => rmSync(home, { recursive: true, force: true }))

  const showPrivacy = async (page: Page) => {
    await page.keyboard.press('Control+,')
    await page.getByLabel('Search settings').fill('privacy model')
    return page.getByRole('region', { name: 'Names model' })
  }

  test('is chosen from folders by keyboard, says what it can do, and is cleared again', async ({ app }) => {
    const { page } = app
    const card = await showPrivacy(page)
    await expect(card).toContainText('No model')
    await expect(card).toContainText('Names are found by rules alone')
    await expect(card).toContainText('nothing is ever downloaded')
    await app.picture('names-none')

    await page.getByRole('button', { name: 'Choose…' }).click()
    const dialog = page.getByRole('dialog')
    await expect(dialog.getByRole('option')).toHaveText(['Documents', 'Downloads', 'models', 'Pictures'])
    await expect(dialog.getByRole('combobox')).toBeFocused()
    await page.keyboard.type('mod')
    await page.keyboard.press('Enter')
    await expect(dialog.getByRole('option')).toHaveText([
      'drugs-and-doses',
      /^names-in-english\s*usable model$/,
      /^never-done\s*usable model$/,
    ])
    expect(await violations(page, '[role="dialog"]')).toEqual([])
    await page.keyboard.press('ArrowDown')
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await app.picture(`names-folders-${colorScheme}`)
    }
    await page.keyboard.press('Enter')
    await expect(dialog.getByRole('status')).toContainText('holds a usable model')
    await expect(dialog.getByRole('status')).toContainText('PER, LOC, ORG, MISC')
    await page.keyboard.press('Backspace')
    await expect(dialog.getByRole('option', { selected: true })).toContainText('names-in-english')
    await page.keyboard.press('Enter')
    await expect(dialog.getByRole('button', { name: 'Choose “names-in-english”' })).toBeVisible()
    await page.keyboard.press('Control+Enter')
    await expect(dialog).toBeHidden()

    await expect(page.getByRole('textbox', { name: 'Names model' })).toHaveValue(join(models, 'names-in-english'))
    await expect(card.getByRole('status')).toHaveText('Ready')
    await expect(card.locator('mark')).toHaveText([/Maria Lindqvist/, /Acme Insurance/, /Tom Brennan/, /Dublin/])
    await expect(card).toContainText('PER persons')
    await expect(card).toContainText('MISC not used')
    await expect(card).toContainText(/\d KB, loaded in \d+ ms/)
    await expect(card).toContainText(/This sentence took it (?:< )?\d+ ms/)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await app.picture(`names-ready-${colorScheme}`)
      expect(await violations(page, 'main')).toEqual([])
    }

    await page.getByRole('button', { name: 'Clear the folder' }).click()
    await expect(card.getByRole('status')).toHaveText('No model')
    await expect(page.getByRole('textbox', { name: 'Names model' })).toHaveValue('')
  })

  test('that cannot be used says why, one that takes too long is cancelled, and the score moves by twentieths', async ({
    app,
  }) => {
    const { page } = app
    const card = await showPrivacy(page)
    const folder = page.getByRole('textbox', { name: 'Names model' })
    await folder.fill(join(models, 'drugs-and-doses'))
    await folder.press('Enter')
    await expect(card).toContainText('has no label for persons: it gives DRUG, DOSE and FORM.')
    await expect(card).toContainText('names.no-persons')
    await app.picture('names-failed')
    await folder.fill(models)
    await folder.press('Enter')
    await expect(card).toContainText('Choose the folder')
    await expect(card).toContainText('names.incomplete')

    await folder.fill(join(models, 'never-done'))
    await folder.press('Enter')
    await expect(card.locator('[data-step="now"]')).toContainText('Model')
    await expect(card.getByRole('progressbar')).toBeVisible()
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
    await app.picture('names-loading')
    expect(await violations(page, 'main')).toEqual([])
    await card.getByRole('button', { name: 'Cancel' }).click()
    await expect(card.getByRole('status')).toHaveText('Stopped')
    await card.getByRole('button', { name: 'Load it' }).click()
    await expect(card.getByRole('status')).toHaveText('Loading')
    await page.getByRole('switch', { name: 'Ask the model' }).click()
    await expect(card.getByRole('status')).toHaveText('Switched off')

    const least = page.getByRole('spinbutton', { name: 'Minimum score of a name' })
    await least.press('ArrowUp')
    await expect(least).toHaveValue('0.65')
    for (let presses = 0; presses < 8; presses++) await least.press('ArrowUp')
    await expect(least).toHaveValue('0.85')
    await least.press('Enter')
    await expect(page.locator('[data-setting="privacy.namesLeast"]')).toContainText('set here')
  })
})

test('an interpreter is shown before it is used, and one that sandboxed code could have written is refused', async ({
  app,
}) => {
  const { page } = app
  await page.getByRole('navigation', { name: 'Places' }).getByRole('button', { name: 'Settings' }).click()
  const field = page.getByLabel('Python', { exact: true })
  await field.fill(`${app.home}/sandboxes/python3`)
  await field.press('Enter')
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('is in the data folder')
  await expect(dialog.getByRole('button', { name: 'Use it' })).toBeDisabled()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(field).toHaveValue('')

  await field.fill('/usr/bin/python3')
  await field.press('Enter')
  await expect(dialog).toContainText('SHA-256')
  await expect(dialog).toContainText('root')
  await app.picture('interpreter')
  await dialog.getByRole('button', { name: 'Use it' }).click()
  await expect(page.getByText('Interpreter chosen.')).toBeVisible()
  await expect(field).toHaveValue('/usr/bin/python3')
})
