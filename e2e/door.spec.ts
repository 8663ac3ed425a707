import { expect, test } from './app.ts'
import { chooseCommand } from './steps.ts'

test('a page says nothing in the console but what is ours', async ({ app }) => {
  const { page } = app
  const errors: string[] = []
  page.on(
    'console',
    message => message.type() === 'error' && errors.push(`${message.text()} ${message.location().url}`),
  )
  page.on('response', response => response.status() >= 400 && errors.push(`${response.status()} ${response.url()}`))
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Countersign' })).toBeVisible()
  // A headless browser asks for no icon; one with a window asks for the one that the page names, or for a usual name.
  const icon = await page.locator('link[rel=icon]').getAttribute('href')
  expect((await page.request.get(new URL(icon ?? 'favicon.ico', page.url()).href)).status()).toBe(200)
  expect(errors).toEqual([])
})

test('a link that was used explains itself and takes a new one', async ({ app }) => {
  const { page } = app
  const link = await app.link()
  const browser = page.context().browser()
  if (!browser) throw new Error('this needs a browser')
  const first = await (await browser.newContext()).newPage()
  await first.goto(link)
  await expect(first.getByRole('heading', { name: 'Countersign' })).toBeVisible()
  expect(first.url()).not.toContain('link=')

  const second = await (await browser.newContext()).newPage()
  await second.goto(link)
  await expect(second.getByRole('heading', { name: 'This link has been used' })).toBeVisible()
  await expect(second.getByText('countersign link')).toBeVisible()
  await second.screenshot({ path: 'e2e/screenshots/link-used-browser.png' })
  await second.getByLabel('New link').fill(await app.link())
  await second.getByRole('button', { name: 'Open' }).click()
  await expect(second.getByRole('heading', { name: 'Countersign' })).toBeVisible()
  await first.context().close()
  await second.context().close()
})

test('a window of the same browser is let in by one that is in, and sessions can be ended', async ({ app }) => {
  const { page } = app
  const other = await page.context().newPage()
  await other.goto(new URL(page.url()).origin)
  await expect(other.getByRole('heading', { name: 'Countersign' })).toBeVisible()
  await other.reload()
  await expect(other.getByRole('heading', { name: 'Countersign' })).toBeVisible()

  await chooseCommand(page, 'End all other sessions')
  await expect(page.getByText('Ended 1 session.')).toBeVisible()
  await expect(other.getByRole('heading', { name: 'This window is not signed in' })).toBeVisible()
  await other.reload()
  await expect(other.getByRole('heading', { name: 'This window is not signed in' })).toBeVisible()
  await chooseCommand(page, 'End the session of this window')
  await expect(page.getByRole('heading', { name: 'This window is not signed in' })).toBeVisible()
})
