import { protectedServer, visit } from '../src/mcp/oauth/server.testing.ts'
import { expect, test } from './app.ts'

const themes = ['light', 'dark'] as const

test('a person adds a server that wants a log-in, logs in, accepts its tool, and logs out', async ({ app }) => {
  const { page } = app
  const server = await protectedServer()
  const pictures = async (name: string) => {
    for (const theme of themes) {
      await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
      await app.picture(`${name}-${theme}`)
    }
  }
  try {
    await page.keyboard.press('Control+8')
    await page.getByRole('button', { name: 'Connect an assistant' }).click()
    await expect(page.getByRole('listitem', { name: 'Claude Desktop' })).toBeVisible()
    await pictures('servers-connect')

    await page.getByRole('button', { name: 'Add a server' }).click()
    await page.getByRole('radio', { name: 'An address' }).click()
    await page.getByLabel('Name').fill('ledger')
    await page.getByLabel('Address').fill(server.url)
    await page.getByText('A client registered for the log-in').click()
    await pictures('servers-add')
    await page.getByRole('button', { name: 'Add', exact: true }).click()

    await expect(page.getByText('ledger wants you to log in', { exact: true })).toBeVisible()
    await pictures('servers-wanted')
    await page.getByRole('button', { name: 'Log in', exact: true }).click()
    const link = page.getByRole('link', { name: 'Open the page' })
    await expect(link).toBeVisible()
    await pictures('servers-waiting')
    expect(await visit((await link.getAttribute('href')) ?? '')).toBe(200)

    await expect(page.getByText('Tells the balance.')).toBeVisible()
    await expect(page.getByText(`at ${new URL(server.origin).host}`)).toBeVisible()
    await pictures('servers-in')
    await page.getByRole('button', { name: 'Log out', exact: true }).click()
    await expect(page.getByText('ledger wants you to log in', { exact: true })).toBeVisible()
  } finally {
    server.close()
  }
})
