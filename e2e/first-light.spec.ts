import { expect, test } from './app.ts'
import { newConversation, outputOf, typeInCell } from './steps.ts'

test('a person writes a cell, runs it, closes the application and finds it all again', async ({ app }) => {
  await expect(app.page.getByRole('heading', { name: 'Countersign' })).toBeVisible()
  await app.picture('home')
  await newConversation(app.page)
  await typeInCell(app.page, 'for number in range(3):\nprint("light", number)')
  await app.page.keyboard.press('Shift+Enter')
  await expect(outputOf(app.page, 0)).toContainText('light 2')

  await app.reopen()
  await expect(outputOf(app.page, 0)).toContainText('light 2')
  await expect(app.page.getByRole('region', { name: /python cell/ }).first()).toContainText('for number in range(3)')
})

test('JavaScript streams its output while it runs', async ({ app }) => {
  await newConversation(app.page)
  await app.page.getByRole('button', { name: 'python', exact: true }).click()
  await app.page.getByRole('menuitem', { name: 'javascript' }).click()
  await typeInCell(
    app.page,
    'await new Promise(done => setTimeout(done, 1))\nconsole.log("first")\nawait new Promise(done => setTimeout(done, 600_000))',
  )
  await app.page.keyboard.press('Control+Enter')
  await expect(outputOf(app.page, 0)).toContainText('first')
  await expect(app.page.getByText(/^running/)).toBeVisible()
  await app.page.getByRole('button', { name: 'Interrupt' }).click()
  await expect(outputOf(app.page, 0)).toContainText('The run was stopped.')
  await expect(outputOf(app.page, 0)).toContainText('first')
})
