import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { type Clock, systemClock } from '../src/clock.ts'
import { expect, screenshots, test } from './app.ts'
import { openOwnEngine } from './own-engine.ts'
import { addCell, cells, newConversation, outputOf, typeInCell } from './steps.ts'

/** Runs with the machine's clock, and jumps ahead when the scenario says so; what was due by then is called. */
class JumpingClock implements Clock {
  readonly #due = new Map<() => void, number>()
  #ahead = 0

  now = () => Date.now() + this.#ahead

  after(ms: number, call: () => void): () => void {
    const once = () => {
      cancel()
      call()
    }
    const stop = systemClock.after(ms, once)
    const cancel = () => {
      stop()
      this.#due.delete(once)
    }
    this.#due.set(once, this.now() + ms)
    return cancel
  }

  jump(ms: number): void {
    this.#ahead += ms
    for (const [call, due] of [...this.#due]) if (due <= this.now()) call()
  }
}

const expiring = test.extend<{ own: { page: Page; clock: JumpingClock } }>({
  own: async ({ browserOnce }, use) => {
    const clock = new JumpingClock()
    const app = await openOwnEngine(() => ({ clock }))
    const context = await (await browserOnce()).newContext({ viewport: { width: 1280, height: 800 } })
    const page = await context.newPage()
    await page.goto(app.url)
    await use({ page, clock })
    await context.close()
    await app.close()
  },
})

expiring(
  'a sandbox that expired says so, keeps its files, and its cells are run again at one click',
  async ({ own }) => {
    const { page, clock } = own
    await newConversation(page)
    await typeInCell(page, 'rate = 0.25\nopen("runs.txt", "a").write("x")')
    await page.keyboard.press('Control+Enter')
    await expect(cells(page).first()).toContainText('[1]')
    await addCell(page)
    await typeInCell(page, 'import time\nbefore = len(open("runs.txt").read())\ntime.sleep(600 if before > 1 else 0)')
    await page.keyboard.press('Control+Enter')
    await expect(cells(page).nth(1)).toContainText('[2]')
    await page.keyboard.press('Escape')

    clock.jump(60 * 60_000)
    await expect(page.getByText(/expired after 30 minutes without use/)).toBeVisible()
    await expect(page.locator('[data-rotation]')).toContainText('expired')
    const restore = page.getByRole('button', { name: 'Restore: run the 2 cells that ran' })
    await page.screenshot({ path: join(screenshots, 'expired.png') })
    await restore.click()
    // The file is there in the new sandbox, so the second cell knows that it runs again, and takes its time.
    await expect(page.getByText('Running cell 2 of 2')).toBeVisible()
    await expect(page.getByRole('progressbar', { name: 'Cells that have run' })).toHaveAttribute('value', '1')
    await page.screenshot({ path: join(screenshots, 'restoring.png') })
    await page.getByRole('button', { name: 'Interrupt' }).click()
    await expect(outputOf(page, 1)).toContainText('The run was stopped.')
    await page.getByRole('tab', { name: 'Variables' }).click()
    await expect(page.getByRole('listitem').filter({ hasText: 'rate' })).toContainText('0.25')
  },
)
