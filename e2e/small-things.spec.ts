import { readFileSync } from 'node:fs'
import { expect, test } from './app.ts'
import { addCell, cells, chooseCommand, newConversation, outputOf, typeInCell } from './steps.ts'

test('how long the record is kept is asked at first use, and nothing goes before somebody has chosen', async ({
  app,
}) => {
  const { page } = app
  const question = page.getByRole('region', { name: 'How long should the record be kept?' })
  await expect(question).toContainText('Until you choose, everything is kept.')
  await app.picture('retention')
  await question.getByRole('button', { name: '7 years' }).click()
  await expect(question).toBeHidden()
  await page.getByRole('button', { name: 'Audit', exact: true }).click()
  await page.getByRole('tab', { name: 'Retention and keys' }).click()
  await expect(page.getByRole('region', { name: 'Retention' })).toContainText(/2.?557 days/)
})

test('a path is renamed with F2 and from the palette, and its export holds no other path', async ({ app }) => {
  const { page } = app
  await newConversation(page)
  await page.keyboard.press('Escape')
  await page.keyboard.press('F2')
  const name = page.getByLabel('Name of the path')
  await expect(name).toBeFocused()
  await name.fill('baseline')
  await name.press('Enter')
  const rows = page.getByRole('tree', { name: 'Paths of this conversation' }).getByRole('treeitem')
  await expect(rows.first()).toContainText('baseline')

  await chooseCommand(page, 'Rename path…')
  await expect(name).toBeFocused()
  await name.press('Escape')
  await cells(page).first().locator('pre').first().click()
  await typeInCell(page, 'print("on the trunk")')
  await page.keyboard.press('Control+Enter')
  await expect(outputOf(page, 0)).toContainText('on the trunk')
  await cells(page).last().getByRole('button', { name: 'Branch from here' }).click()
  await expect(rows).toHaveCount(2)
  await chooseCommand(page, 'Rename path…')
  await name.fill('of no concern')
  await name.press('Enter')
  await expect(rows.last()).toContainText('of no concern')

  await rows.first().getByRole('button', { name: 'baseline' }).first().click()
  const file = await app.saved(() => chooseCommand(page, 'Export path as Jupyter notebook'))
  expect(readFileSync(file, 'utf8')).not.toContain('of no concern')
  const all = await app.saved(() => chooseCommand(page, 'Export conversation with all its paths'))
  expect(readFileSync(all, 'utf8')).toContain('of no concern')

  const switcher = page.locator('header').getByRole('button', { name: /^Untitled/ })
  await switcher.click()
  await page.getByRole('option', { name: 'Rename this conversation…' }).click()
  const title = page.getByRole('dialog').getByRole('textbox')
  await title.fill('Stress test')
  await title.press('Enter')
  await expect(page.locator('header').getByRole('button', { name: 'Stress test' })).toBeVisible()
})

test('what a reviewer wrote before saving for later is there in the queue', async ({ app }) => {
  const { page } = app
  await newConversation(page)
  await typeInCell(page, 'import shutil\nshutil.rmtree("out")')
  await page.keyboard.press('Control+Enter')
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByRole('button', { name: 'Hold to approve' })).toHaveAttribute('aria-disabled', 'false')
  await dialog.getByRole('textbox', { name: /comment/i }).fill('is the folder empty?')
  await dialog.getByRole('button', { name: 'Save for later' }).first().click()
  await expect(dialog).toBeHidden()
  await page
    .getByRole('navigation', { name: 'Places' })
    .getByRole('button', { name: /Review queue/ })
    .click()
  await expect(page.getByText('is the folder empty?')).toBeVisible()
})

test('a right click on a variable offers what its three dots do, and a message covers no button', async ({ app }) => {
  const { page } = app
  await newConversation(page)
  await typeInCell(page, 'rate = 0.25')
  await page.keyboard.press('Control+Enter')
  await page.getByRole('tab', { name: 'Variables' }).click()
  const variable = page.getByRole('listitem').filter({ hasText: 'rate' })
  await variable.click({ button: 'right' })
  await expect(page.getByRole('menuitem', { name: 'View as table' })).toBeDisabled()
  await expect(page.getByRole('menuitem', { name: 'Copy its name' })).toBeVisible()
  await page.keyboard.press('Escape')

  // So many that the buttons of some stand where messages do.
  for (let more = 2; more <= 9; more++) {
    await addCell(page)
    await expect(page.getByRole('region', { name: `python cell ${more}, selected` })).toBeVisible()
  }
  await page.keyboard.press('Escape')
  await chooseCommand(page, 'Delete cell')
  await expect(page.getByText('Cell deleted.')).toBeVisible()
  await page.getByTestId('items').evaluate(list => list.scrollTo(0, 0))
  const covered = await page.evaluate(`(() => {
    const list = document.querySelector('[data-testid="items"]')
    const toast = [...document.querySelectorAll('[role="status"]')].find(each => each.textContent.includes('Cell deleted.'))
    const isUnder = button => {
      const { left, right, top, bottom: end } = button.getBoundingClientRect()
      // What is scrolled out of sight is not covered.
      const bottom = list.contains(button) ? Math.min(end, list.getBoundingClientRect().bottom) : end
      if (top >= bottom) return false
      return [left + 1, (left + right) / 2, right - 1].some(x =>
        [top + 1, (top + bottom) / 2, bottom - 1].some(y => toast.contains(document.elementFromPoint(x, y))),
      )
    }
    const others = [...document.querySelectorAll('button')].filter(button => !toast.contains(button))
    return others.filter(isUnder).map(button => button.getAttribute('aria-label') ?? button.textContent)
  })()`)
  expect(covered).toEqual([])
  await app.picture('message')
})
