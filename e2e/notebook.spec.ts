import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { openEngine } from '../src/engine/engine.ts'
import { expect, test } from './app.ts'
import { cells, chooseCommand, editCell, newConversation, outputOf, replaceInCell, typeInCell } from './steps.ts'

test('two windows that edit one cell are both heard', async ({ app }) => {
  const { page } = app
  await newConversation(page)
  await typeInCell(page, 'rate = 0.21')
  await page.keyboard.press('Control+Enter')
  await expect(cells(page).first()).toContainText('[1]')
  // A browser of its own with the same view, since a clock holds for all windows of one.
  const context = page.context()
  const other = await context
    .browser()
    ?.newContext({ storageState: await context.storageState() })
    .then(it => it.newPage())
  if (!other) throw new Error('a second window needs a browser')
  await other.goto(await app.link())
  await editCell(cells(other).first())

  // Time stands still in the other window from here on: what is typed there is saved after what is typed here.
  await other.clock.install()
  await other.clock.pauseAt(Date.now() + 10_000)
  await replaceInCell(other, 'rate = 0.19')
  await replaceInCell(page, 'rate = 0.25')
  await page.keyboard.press('Control+Enter')
  await expect(cells(page).first()).toContainText('[2]')
  await other.clock.resume()
  const dialog = other.getByRole('dialog')
  await expect(dialog.getByRole('heading', { name: 'This was changed in another window' })).toBeVisible()
  await expect(dialog).toContainText('rate = 0.25')
  await expect(dialog).toContainText('rate = 0.19')
  await dialog.getByRole('button', { name: 'Keep both' }).click()
  for (const each of [page, other]) {
    await expect(cells(each)).toHaveCount(2)
    await expect(each.getByTestId('items')).toContainText('rate = 0.25')
    await expect(each.getByTestId('items')).toContainText('rate = 0.19')
  }
})

test('text that was typed a moment before a crash is offered again', async ({ app }) => {
  await newConversation(app.page)
  await app.page.clock.install()
  await app.page.clock.pauseAt(Date.now() + 10_000)
  await typeInCell(app.page, 'capital = 1_000_000')
  // Past the moment when a draft is kept, short of the one when it becomes an edit.
  await app.page.clock.runFor(300)
  await expect.poll(() => draftsIn(app.home)).toEqual(['capital = 1_000_000'])
  await app.reopen({ killed: true })
  await expect(app.page.getByText('There is text that was never saved')).toBeVisible()
  await app.page.getByRole('button', { name: 'Restore' }).click()
  await expect(cells(app.page).first()).toContainText('capital = 1_000_000')
})

function draftsIn(home: string): unknown[] {
  const db = new Database(join(home, 'countersign.db'), { readonly: true })
  const texts = db.prepare('select text from drafts').pluck().all()
  db.close()
  return texts
}

test('cells and paths are moved with the mouse', async ({ app }) => {
  const { page } = app
  await newConversation(page)
  await typeInCell(page, 'first = 1')
  await page.keyboard.press('Alt+Enter')
  await expect(cells(page).nth(1).locator('.monaco-editor')).toBeVisible()
  await typeInCell(page, 'second = 2')
  await page.keyboard.press('Escape')
  await expect(cells(page)).toHaveCount(2)

  await test.step('a cell above the first', async () => {
    const handle = cells(page).nth(1).getByTitle('Drag to reorder')
    await handle.dragTo(cells(page).first(), { targetPosition: { x: 200, y: 3 } })
    await expect(cells(page).first()).toContainText('second')
    await page.keyboard.press('Escape')
    await page.keyboard.press('z')
    await expect(cells(page).first()).toContainText('first')
  })

  await test.step('a path onto another', async () => {
    await cells(page).last().hover()
    await cells(page).last().getByRole('button', { name: 'Branch from here' }).click()
    const rows = page.getByRole('tree').getByRole('treeitem')
    await expect(rows).toHaveCount(2)
    await chooseCommand(page, 'Insert cell below')
    await expect(cells(page).nth(2).locator('.monaco-editor')).toBeVisible()
    await typeInCell(page, 'third = 3')
    await rows.nth(1).dragTo(rows.nth(0))
    await expect(page.getByRole('dialog')).toContainText('Merge')
    await page.getByRole('dialog').getByRole('button', { name: 'Merge', exact: true }).click()
    await expect(page.getByText(/^Merged:/)).toBeVisible()
    await expect(page.getByTestId('items')).toContainText('third = 3')
  })
})

test('a cell that waits for a reviewer says so after a restart, and its request can be withdrawn', async ({ app }) => {
  await newConversation(app.page)
  await typeInCell(app.page, 'import shutil\nshutil.rmtree("old")')
  await app.page.keyboard.press('Control+Enter')
  await expect(app.page.getByRole('dialog')).toBeVisible()

  await app.reopen()
  await expect(cells(app.page).first()).toContainText('waits for review')
  await cells(app.page).first().getByRole('button', { name: 'Withdraw the request' }).click()
  await expect(cells(app.page).first()).not.toContainText('waits for review')
})

test('cleared output comes back with undo', async ({ app }) => {
  const { page } = app
  await newConversation(page)
  await typeInCell(page, 'print("a figure")')
  await page.keyboard.press('Control+Enter')
  await expect(outputOf(page, 0)).toContainText('a figure')
  await chooseCommand(page, 'Clear output')
  await expect(outputOf(page, 0)).toBeHidden()
  await page.getByRole('button', { name: 'Undo', exact: true }).last().click()
  await expect(outputOf(page, 0)).toContainText('a figure')
})

test('of a long output the start is kept, and all of it can be saved', async ({ app }) => {
  const { page } = app
  await newConversation(page)
  await typeInCell(page, 'for n in range(300_000): print(n)')
  await page.keyboard.press('Control+Enter')
  await expect(cells(page).first()).toContainText('[1]')
  await expect(page.getByText('The record keeps the first 50,000 characters of this output.')).toBeVisible()
  await expect(page.getByText('More is printed than can be shown while it runs.')).toBeHidden()
  await expect(page.getByRole('button', { name: /^Show the first [\d,]+ lines$/ })).toBeVisible()
  const file = await app.saved(() => page.getByRole('button', { name: 'Save all of it' }).click())
  expect(readFileSync(file, 'utf8')).toMatch(/^0\n1\n[\d\n]*\n299999\n$/)
  await app.picture('long-output')
})

test('five hundred paths can be walked with the keyboard, and only those in sight are drawn', async ({ app }) => {
  await app.reopen({ between: manyPaths })
  const { page } = app
  // The latest conversation opens by itself.
  const tree = page.getByRole('tree')
  const rows = tree.getByRole('treeitem')
  await expect(rows.first()).toHaveAccessibleName(/^main/)
  expect(await rows.count()).toBeLessThan(80)
  await tree.focus()
  await page.keyboard.press('End')
  await expect(tree.getByRole('treeitem', { selected: true })).toHaveAccessibleName(/^path 363/)
  await page.keyboard.press('Home')
  await expect(tree.getByRole('treeitem', { selected: true })).toHaveAccessibleName(/^main/)
  await expect(page.getByRole('button', { name: /^Add a cell/ })).toBeVisible()
  await app.picture('five-hundred-paths')
})

async function manyPaths(home: string): Promise<void> {
  const engine = await openEngine({ home, env: process.env, pool: 0 })
  const { caller, conversations } = engine
  const made = await conversations.create(caller, { title: 'Five hundred' })
  if (!made.ok) throw new Error(made.problem.message)
  const paths = [made.value.conversation.main]
  for (let n = 1; n < 500; n++) {
    const from = paths[Math.floor((n - 1) / 3)]
    if (!from) continue
    const branch = await conversations.branch(caller, { path: from, after: null, name: `path ${n}` })
    if (branch.ok) paths.push(branch.value.id)
  }
  await engine.close()
}

test.describe('on a large screen', () => {
  test.use({ size: { width: 1920, height: 1080 } })
  test('the sample is at home in both themes', async ({ app }) => {
    const { page } = app
    await page.getByRole('button', { name: 'Open the sample' }).click()
    await page.getByRole('button', { name: 'Run all' }).click()
    await expect(page.getByRole('button', { name: /jail · ready|unconfined · ready/ })).toBeVisible()
    for (const theme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: theme })
      await app.picture(`large-${theme}`)
      const width = await page.locator('html').evaluate(page => page.scrollWidth)
      expect(width, `sideways scrolling in the ${theme} theme`).toBe(1920)
    }
  })
})
