import { readFileSync } from 'node:fs'
import { expect, test } from './app.ts'
import { cells, chooseCommand, editCell, outputOf, replaceInCell } from './steps.ts'

test('an analyst branches, changes a parameter, compares, merges and takes the notebook along', async ({ app }) => {
  const { page } = app
  await page.getByRole('button', { name: 'Open the sample' }).click()
  await expect(page.getByText('What is our CET1 ratio today')).toBeVisible()
  await app.picture('1-sample')

  await page.getByRole('button', { name: 'Run all' }).click()
  await expect(page.getByTestId('outputs').last()).toBeVisible()
  await expect(page.getByRole('button', { name: /jail · ready|unconfined · ready/ })).toBeVisible()
  await app.picture('2-ran')

  await test.step('branch at the last cell, so that the branch has them all', async () => {
    await page.getByTestId('items').evaluate(list => list.scrollTo(0, list.scrollHeight))
    await cells(page).last().getByRole('button', { name: 'Branch from here' }).click()
    await expect(page.getByText(/starts with an empty sandbox/)).toBeVisible()
    await expect(page.getByRole('tree').getByRole('treeitem')).toHaveCount(3)
  })

  await test.step('change it and run', async () => {
    const parameter = cells(page).filter({ hasText: 'shock_bp = 0' }).first()
    await page.getByTestId('items').evaluate(list => list.scrollTo(0, 800))
    await editCell(parameter)
    await replaceInCell(page, 'shock_bp = 300')
    await page.keyboard.press('Escape')
    // The branch has no sandbox yet: with what is stale, what that needs runs too.
    const stale = page.getByRole('button', { name: /^Run stale/ })
    await stale.click()
    await expect(stale).toBeHidden({ timeout: 60_000 })
    await expect(page.getByRole('button', { name: /ready/ })).toBeVisible()
    await app.picture('3-branch')
  })

  await test.step('a right click on a path offers what its three dots do', async () => {
    await page.getByRole('treeitem').last().click({ button: 'right' })
    await expect(page.getByRole('menuitem', { name: 'Merge into another…' })).toBeVisible()
    await page.keyboard.press('Escape')
  })

  await test.step('compare it with where it came from', async () => {
    await chooseCommand(page, 'Compare with')
    await expect(page.getByRole('heading', { name: 'Compare paths' })).toBeVisible()
    await expect(page.getByText('1 code change, 2 results changed')).toBeVisible()
    await expect(page.getByRole('row', { name: /CET1/ }).first()).toContainText('pp')
    await app.picture('4-compare')
    await page.getByRole('button', { name: 'Back to the notebook' }).click()
  })

  await test.step('merge it back', async () => {
    await chooseCommand(page, 'Merge path')
    await app.picture('5-merge')
    await page.getByRole('dialog').getByRole('button', { name: 'Merge', exact: true }).click()
    await expect(page.getByText('Merged: 1 changed.')).toBeVisible()
    const merged = cells(page).filter({ hasText: 'shock_bp = 300' }).first()
    await expect(merged).toBeInViewport()
    await expect(merged).toHaveAccessibleName(/selected/)
    await expect(page.getByRole('button', { name: /^Run stale/ })).toBeVisible()
    await app.picture('6-merged')
  })

  await test.step('take the merge back, and do it again', async () => {
    await page.getByRole('button', { name: 'Undo merge' }).click()
    await expect(page.getByText(/^The merge of .* is undone\.$/)).toBeVisible()
    await expect(page.getByText(/sandbox of that path stays ended/)).toBeVisible()
    await expect(cells(page).filter({ hasText: 'shock_bp = 0' }).first()).toBeVisible()
    await expect(page.getByRole('button', { name: /^Run stale/ })).toBeHidden()
    await chooseCommand(page, 'Redo')
    await expect(cells(page).filter({ hasText: 'shock_bp = 300' }).first()).toBeVisible()
  })

  await test.step('export, and open what was exported', async () => {
    const file = await app.saved(() => chooseCommand(page, 'Export path as Jupyter'))
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ nbformat: 4 })
    const paper = await app.saved(() => chooseCommand(page, 'Export path as PDF'))
    expect(readFileSync(paper).subarray(0, 5).toString()).toBe('%PDF-')

    const chooser = page.waitForEvent('filechooser')
    await chooseCommand(page, 'Import notebook')
    await (await chooser).setFiles(file)
    await expect(page.getByText('this is another copy')).toBeVisible()
    await expect(cells(page).filter({ hasText: 'shock_bp = 300' }).first()).toBeVisible()
    await app.picture('7-imported')
  })
  await expect(outputOf(page, 0)).toBeVisible()
})

test('the path that is open stays in sight of a tree that is longer than the window', async ({ app }) => {
  const { page } = app
  await page.setViewportSize({ width: 1280, height: 480 })
  await page.getByRole('button', { name: 'New conversation' }).click()
  await expect(cells(page)).toHaveCount(1)
  const current = page.getByRole('treeitem', { selected: true })
  for (let branch = 1; branch <= 8; branch++) {
    await page.getByRole('button', { name: 'Branch from the selected item' }).click()
    await expect(current).toContainText(`branch ${branch}`)
  }
  await expect(current).toBeInViewport()
})
