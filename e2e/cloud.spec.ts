import { join } from 'node:path'
import { startPeer } from '../src/sandbox/e2b/testing/peer.testing.ts'
import { expect, listening, screenshots, test } from './app.ts'
import { openOwnEngine } from './own-engine.ts'
import { newConversation, outputOf, typeInCell } from './steps.ts'

/** The application with the service on loopback, and a policy that lets code go there. */
const withCloud = test.extend<{ cloud: { url: string; key: string; sent(): string } }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads from the braces what is needed.
  cloud: async ({}, use) => {
    const peer = await startPeer()
    const { E2B_API_KEY: key = '', ...env } = peer.env
    const { engine, url, close } = await openOwnEngine(() => ({ env }))
    const { version } = await engine.approval.policy.current()
    await engine.approval.policy.save({ cloud: true }, engine.caller.user, version)
    await use({ url, key, sent: () => JSON.stringify(peer.requests) })
    await close()
    await peer.close()
  },
})

withCloud(
  'from the key to the ledger: a path goes to the cloud when a person has seen what would leave, and comes back',
  async ({ browserOnce, cloud }, info) => {
    test.skip(info.project.name !== 'browser', 'the same window, whatever the door')
    const context = await (await browserOnce()).newContext({ viewport: { width: 1280, height: 800 } })
    const page = await context.newPage()
    const picture = (name: string) => page.screenshot({ path: join(screenshots, `${name}.png`) })
    const go = (place: string) => page.getByRole('button', { name: place, exact: true }).click()
    await page.goto(cloud.url)
    await listening(page)

    await test.step('the key is kept and tested', async () => {
      await page.keyboard.press('Control+,')
      await page.getByRole('navigation', { name: 'Settings' }).getByRole('button', { name: 'Cloud' }).click()
      await page.getByLabel('Key of the service').fill(cloud.key)
      await page.getByRole('button', { name: 'Save and test' }).click()
      await expect(page.getByRole('status').filter({ hasText: 'E2B at e2b.app' })).toBeVisible()
      await picture('cloud-settings')
    })

    await go('Notebook')
    await newConversation(page)
    await typeInCell(page, 'owner = "jane.doe@bank.example.ie"; print("written to", owner)')
    await page.keyboard.press('Shift+Enter')
    await expect(outputOf(page, 0)).toContainText('written to jane.doe')

    await test.step('what would leave is shown before anything does', async () => {
      await page.getByRole('button', { name: /jail · ready/ }).click()
      await page.getByRole('menuitem', { name: /cloud/ }).click()
      const dialog = page.getByRole('dialog', { name: 'Let this path go to the cloud?' })
      await expect(dialog).toContainText('e2b.app')
      await expect(dialog).toContainText('[EMAIL_1]')
      await picture('cloud-consent')
      expect(cloud.sent()).not.toContain('POST')
      await dialog.getByRole('button', { name: 'Allow and move' }).click()
      await expect(page.getByRole('button', { name: /cloud · (ready|running)/ })).toBeVisible()
    })

    await test.step('the cell ran there with a token, and the value came back', async () => {
      await expect(outputOf(page, 0)).toContainText('written to jane.doe')
      await expect.poll(() => cloud.sent()).toContain('[EMAIL_1]')
      expect(cloud.sent()).not.toContain('jane.doe')
    })

    await test.step('the ledger tells what left', async () => {
      await go('Privacy')
      await page.getByRole('tab', { name: 'What was sent' }).click()
      await expect(page.getByText('Cloud sandbox').last()).toBeVisible()
      await expect(page.getByText(/E-?mail/i).first()).toBeVisible()
      await picture('cloud-ledger')
    })

    await test.step('the figures, and taking it back', async () => {
      await go('Sandboxes')
      await expect(page.getByText(/1 of 200, 1 awake now/)).toBeVisible()
      await picture('cloud-figures')
      await page.getByRole('button', { name: 'Take back' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Take back' }).click()
      await expect(page.getByText('No path may go to the cloud')).toBeVisible()
    })
    await context.close()
  },
)
