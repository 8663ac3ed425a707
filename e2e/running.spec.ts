import type { Page } from '@playwright/test'
import { expect, test } from './app.ts'
import { addCell, cells, editCell, newConversation, outputOf, replaceInCell, typeInCell } from './steps.ts'

async function fill(page: Page, ...texts: string[]): Promise<void> {
  await newConversation(page)
  for (const [index, text] of texts.entries()) {
    if (index > 0) await addCell(page)
    await typeInCell(page, text)
  }
  await page.keyboard.press('Escape')
}

test('running all cells stops at the first that fails and says how many were not run', async ({ app }) => {
  const { page } = app
  await fill(page, 'print("first")', 'print(1 / 0)', 'print("third")', 'print("fourth")')
  await page.getByRole('button', { name: 'Run all' }).click()
  const stopped = page.getByText('Stopped at a cell that failed: 2 cells after it were not run.')
  await expect(stopped).toBeVisible()
  await expect(outputOf(page, 0)).toContainText('first')
  await expect(outputOf(page, 2)).toBeHidden()
  await expect(outputOf(page, 3)).toBeHidden()
  await app.picture('stopped-series')

  await page.getByRole('button', { name: 'Show the cell' }).click()
  await editCell(cells(page).nth(1))
  await replaceInCell(page, 'print("mended")')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Run all' }).click()
  await expect(outputOf(page, 3)).toContainText('fourth')
  await expect(stopped).toBeHidden()

  await test.step('a new cell and what its run printed are in sight', async () => {
    await page.setViewportSize({ width: 1280, height: 640 })
    await cells(page).nth(3).click()
    await page.getByTestId('items').evaluate(list => list.scrollTo(0, 0))
    await addCell(page)
    await expect(cells(page).nth(4)).toBeInViewport({ ratio: 0.9 })
    await typeInCell(page, 'for n in range(8): print("line", n)')
    await page.keyboard.press('Control+Enter')
    await expect(outputOf(page, 4)).toContainText('line 7')
    await expect(outputOf(page, 4)).toBeInViewport({ ratio: 0.9 })
  })
})

test('a cell that waits for a reviewer holds up those below it; when it is withdrawn they are not run', async ({
  app,
}) => {
  const { page } = app
  await fill(page, 'import shutil\nshutil.rmtree("out", ignore_errors=True)', 'print("after it")')
  await page.getByRole('button', { name: 'Run all' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toBeVisible()
  await dialog.getByRole('button', { name: 'Save for later' }).last().click()
  await expect(page.getByText('Cell 1 of 2 waits for a reviewer; those below run after it.')).toBeVisible()
  await expect(cells(page).nth(1)).toContainText('in line…')
  await app.picture('waiting-series')
  await cells(page).first().getByRole('button', { name: 'Withdraw the request' }).click()
  await expect(page.getByText('Stopped at a cell that was withdrawn: 1 cell after it was not run.')).toBeVisible()
  await expect(outputOf(page, 1)).toBeHidden()
})

test('cells go on when the page is loaded anew, another window sees and ends them, and a new start offers the rest', async ({
  app,
}) => {
  const { page } = app
  await fill(page, 'import time\nprint("under way")\ntime.sleep(600)', 'print("after it")')
  await page.getByRole('button', { name: 'Run all' }).click()
  await expect(outputOf(page, 0)).toContainText('under way')
  await page.reload()
  const running = page.getByText('Running cell 1 of 2')
  await expect(running).toBeVisible()
  await expect(cells(page).nth(1)).toContainText('in line…')
  await test.step('what is asked for in the meantime comes after it', async () => {
    await page.getByRole('button', { name: 'Run all' }).click()
    await expect(page.getByText('Running cell 1 of 4')).toBeVisible()
  })
  await page.getByRole('button', { name: 'Interrupt' }).click()
  await expect(page.getByText('Stopped at a cell that was stopped: 3 cells after it were not run.')).toBeVisible()

  await test.step('another window ends it', async () => {
    await page.getByRole('button', { name: 'Run all' }).click()
    await expect(running).toBeVisible()
    const other = await page.context().newPage()
    await other.goto(page.url())
    await other.getByRole('button', { name: 'Stop after this one' }).click()
    await expect(running).toBeHidden()
    await other.close()
    await page.getByRole('button', { name: 'Interrupt' }).click()
    await expect(cells(page).first()).toContainText('The run was stopped.')
    await expect(outputOf(page, 1)).toBeHidden()
  })

  await test.step('a new start after a crash says where it stood', async () => {
    await page.getByRole('button', { name: 'Run all' }).click()
    await expect(running).toBeVisible()
    await expect(outputOf(page, 0)).toContainText('under way')
    await app.reopen({ killed: true })
    const left = app.page.getByText('Countersign ended at cell 1 of 2. The cells below it were not run.')
    await expect(left).toBeVisible()
    await app.picture('left-series')
    await editCell(cells(app.page).first())
    await replaceInCell(app.page, 'import shutil\nshutil.rmtree("out", ignore_errors=True)')
    await app.page.keyboard.press('Escape')
    await app.page.getByRole('button', { name: 'Run the rest' }).click()
    const dialog = app.page.getByRole('dialog')
    const hold = dialog.getByRole('button', { name: 'Hold to approve' })
    await expect(hold).toHaveAttribute('aria-disabled', 'false')
    await hold.hover()
    await app.page.mouse.down()
    await expect(dialog).toBeHidden()
    await app.page.mouse.up()
    await expect(outputOf(app.page, 1)).toContainText('after it')
    await expect(left).toBeHidden()
  })
})

test('a cell clears and updates what it has shown, while it runs and on the record', async ({ app }) => {
  const { page } = app
  await fill(
    page,
    'from IPython.display import *\nimport time\nprint("zero")\nclear_output(wait=True)\nh = display("begun", display_id=True)\nprint("line")\nh.update("under way")\ntime.sleep(600)',
  )
  await page.getByRole('button', { name: 'Run all' }).click()
  const asItIs = async () => {
    await expect(outputOf(page, 0)).toContainText('under way')
    await expect(outputOf(page, 0)).toContainText('line')
    await expect(outputOf(page, 0)).not.toContainText(/zero|begun/)
  }
  await asItIs()
  await page.getByRole('button', { name: 'Interrupt' }).click()
  await expect(outputOf(page, 0)).toContainText('The run was stopped.')
  await asItIs()
  await page.reload()
  await expect(outputOf(page, 0)).toContainText('The run was stopped.')
  await asItIs()
})
