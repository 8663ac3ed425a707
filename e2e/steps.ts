import type { Locator, Page } from '@playwright/test'
import { expect } from './app.ts'

/** What people do, in words that scenarios can use. */

/** The editor that somebody types into; what it draws over the page has the same class, but is no code. */
const openEditor = (page: Page): Locator => page.locator('.monaco-editor[role="code"]').first()

export async function newConversation(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'New conversation' }).click()
  await expect(openEditor(page)).toBeVisible()
}

export const cells = (page: Page): Locator => page.getByRole('region', { name: /cell/ })

export const outputOf = (page: Page, index: number): Locator => cells(page).nth(index).getByTestId('outputs')

/** Adds a cell, and waits until it is the one that is edited: until then another may have its editor open. */
export async function addCell(page: Page): Promise<Locator> {
  const cell = cells(page).nth(await cells(page).count())
  await page.getByRole('button', { name: 'Cell', exact: true }).click()
  await expect(cell.locator('.monaco-editor[role="code"]')).toBeVisible()
  return cell
}

/** Opens a cell's editor by clicking into its code. */
export async function editCell(cell: Locator): Promise<void> {
  await cell.locator('pre').first().click()
  await expect(openEditor(cell.page())).toBeVisible()
}

/** Puts another text in the place of all that the cell being edited holds. */
export async function replaceInCell(page: Page, text: string): Promise<void> {
  await openEditor(page).click()
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.insertText(text)
}

/** Types into the cell being edited as a person does: into the real editor. */
export async function typeInCell(page: Page, text: string): Promise<void> {
  const editor = openEditor(page)
  await expect(editor).toBeVisible()
  await editor.click()
  await page.keyboard.insertText(text)
}

/** Runs a command by its name, through the palette. */
export async function chooseCommand(page: Page, name: string): Promise<void> {
  await page.keyboard.press('ControlOrMeta+K')
  await page.getByPlaceholder('What would you like to do?').fill(name)
  await page.getByRole('option', { name }).first().click()
}
