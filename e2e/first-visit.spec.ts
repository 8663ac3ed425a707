import { expect, test } from './app.ts'
import { cells, chooseCommand } from './steps.ts'

const steps = ['Paths, not copies', 'Run a cell', 'Pin what counts', 'The record', 'Every command has a name']

test('a first visit is shown round in five steps, which can be left at any time', async ({ app }) => {
  const { page } = app
  await page.getByRole('button', { name: 'New here? A tour in five steps' }).click()
  for (const [at, title] of steps.entries()) {
    const step = page.getByRole('dialog', { name: `Tour, step ${at + 1} of 5` })
    await expect(step).toContainText(title)
    await expect(step.getByRole('button', { name: 'Leave the tour' })).toBeVisible()
    if (at === 1) {
      await step.getByRole('button', { name: 'Back' }).click()
      await expect(page.getByRole('dialog', { name: 'Tour, step 1 of 5' })).toContainText(steps[0] ?? '')
      await page.keyboard.press('Enter')
    }
    if (at === 0) await app.picture('tour')
    await step.getByRole('button', { name: at < 4 ? 'Next' : 'Done' }).click()
  }
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(cells(page).first()).toBeVisible()

  await chooseCommand(page, 'Tour in five steps')
  await page.getByRole('button', { name: 'Next' }).click()
  await page.getByRole('button', { name: 'Leave the tour' }).click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await chooseCommand(page, 'Tour in five steps')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
})

test('the page of keys begins with those that count where one is', async ({ app }) => {
  const { page } = app
  await page.getByRole('button', { name: 'New conversation' }).click()
  await expect(cells(page)).toHaveCount(1)
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+/')
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await expect(help).toContainText('Insert cell above')
  await expect(help.getByRole('heading', { name: 'In other places' })).toHaveCount(0)
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+3')
  await page.keyboard.press('Control+/')
  await expect(help).toContainText(/Where you are[\s\S]*In other places[\s\S]*Insert cell above/)
  await app.picture('keys')
})
