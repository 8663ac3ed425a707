import { AxeBuilder } from '@axe-core/playwright'
import { expect, test } from './app.ts'

test('a setting says what does not fit, is kept over a restart, and goes back to what it was', async ({ app }) => {
  await app.page.keyboard.press('Control+,')
  const limit = app.page.getByRole('spinbutton', { name: 'Time limit' })
  await limit.fill('900')
  await limit.press('Enter')
  await expect(app.page.getByRole('alert')).toHaveText('At most 600. Still 60.')
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
  await page.getByLabel('Webhook').fill('ftp://example.com')
  await expect(page.getByRole('alert')).toContainText('begins with http:// or https://')
  await page.getByLabel('Search settings').press('Escape')
  await page.getByRole('radiogroup', { name: 'Theme' }).getByRole('radio', { checked: true }).focus()
  // Held as a finger holds it: the choice follows the focus only while the key is down.
  await page.keyboard.press('ArrowRight', { delay: 100 })
  await page.keyboard.press('ArrowRight', { delay: 100 })
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
  const { violations } = await new AxeBuilder({ page }).include('main').analyze()
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([])
  await app.picture('settings-dark')
})
