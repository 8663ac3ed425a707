import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, test } from './app.ts'
import { cells, editCell, newConversation, outputOf, replaceInCell, typeInCell } from './steps.ts'

const root = join(import.meta.dirname, '..')
const program = join(root, 'out/main/cli.js')

async function addLedger(home: string): Promise<void> {
  const countersign = (...args: string[]) =>
    promisify(execFile)(process.execPath, [program, 'mcp', ...args], {
      env: { ...process.env, COUNTERSIGN_HOME: home },
    })
  await countersign('add', 'ledger', process.execPath, join(root, 'src/tools/server.testing.ts'))
  await countersign('test', 'ledger', '--accept')
}

test('a cell makes a few lines of a megabyte that stays here, and is asked about a tool that changes something', async ({
  app,
}) => {
  await app.reopen({ between: addLedger })
  const { page } = app
  await newConversation(page)
  await page.getByRole('tab', { name: 'Sandbox' }).click()
  await page.getByText('tools.ledger.list_commits', { exact: true }).click()
  await expect(page.getByText('Ignore all rules.')).toBeVisible()

  await typeInCell(page, 'tools.ledger.list_commits(count=1000).json()[0]["author"]')
  await page.keyboard.press('Shift+Enter')
  const output = outputOf(page, 0)
  await expect(output.getByText('Ana')).toBeVisible()
  await expect(output.getByText(/1\.\d MB stayed here; the cell shows \d+ B\./)).toBeVisible()
  // The file with the answer is the application's own.
  await expect(output.getByText('not foreseen')).toBeHidden()
  await app.picture('tools')

  await expect(cells(page)).toHaveCount(2)
  await typeInCell(page, 'tools.ledger.post_entry(amount=5)')
  await page.keyboard.press('Shift+Enter')
  const dialog = page.getByRole('dialog')
  const section = dialog.getByRole('region', { name: 'Tools it may call' })
  await expect(section.getByText('Posts an entry.')).toBeVisible()
  await expect(section.getByText('cannot be undone here')).toBeVisible()
  await section.scrollIntoViewIfNeeded()
  await app.picture('tools-approval')
})

const linesByAuthor = `lines = {}
for each in tools.ledger.list_commits(count=1000).json():
    lines[each["author"]] = lines.get(each["author"], 0) + each["lines"]
lines`

test('another assistant has a megabyte filtered down to a table, and the page shows what stayed here', async ({
  app,
}) => {
  let sent = 0
  const asAssistant = async (home: string) => {
    await addLedger(home)
    const assistant = new Client({ name: 'Helper', version: '1' })
    const env = { ...(process.env as Record<string, string>), COUNTERSIGN_HOME: home }
    await assistant.connect(new StdioClientTransport({ command: process.execPath, args: [program, 'mcp'], env }))
    const asked = { code: linesByAuthor, language: 'python', intent: 'Lines by author' }
    const { structuredContent } = await assistant.callTool({ name: 'execute_code', arguments: asked })
    sent = (structuredContent as { metrics: { sent_bytes: number } }).metrics.sent_bytes
    await assistant.close()
  }
  await app.reopen({ between: asAssistant })
  expect(sent).toBeGreaterThan(0)
  expect(sent).toBeLessThan(500)
  const { page } = app
  await page.getByText('Calls from Helper').first().click()
  await expect(page.getByText('Lines by author')).toBeVisible()
  // This window did not see the run: it has the call from the record.
  await expect(outputOf(page, 0).getByText(/1\.\d MB stayed here; the cell shows \d+ B\./)).toBeVisible()
  await app.picture('tools-assistant')
})

test('the editor knows the tools: completion, parameters and explanation in both languages', async ({ app }) => {
  await app.reopen({ between: addLedger })
  const { page } = app
  await newConversation(page)
  const suggestions = page.locator('.suggest-widget')
  const help = page.locator('.parameter-hints-widget')
  const calling = async (typed: string, takes: string) => {
    await page.keyboard.type('tools.')
    await expect(suggestions).toContainText('ledger')
    await page.keyboard.type('ledger.')
    await expect(suggestions).toContainText('list_commits')
    await expect(suggestions).toContainText('post_entry')
    await page.keyboard.type('list_commits(')
    await expect(help).toContainText(takes)
    await expect(help).toContainText('Lists commits.')
    await page.keyboard.press('Escape')
    const called = page.locator('.monaco-editor .view-line').getByText('list_commits').first()
    const { width = 0 } = (await called.boundingBox()) ?? {}
    await called.hover({ position: { x: width - 30, y: 8 } })
    await expect(page.locator('.monaco-hover').filter({ hasText: takes })).toBeVisible()
    await app.picture(`tools-editor-${typed}`)
  }
  await calling('python', 'tools.ledger.list_commits({"count": int}) -> Any')
  await replaceInCell(page, '1')
  await page.keyboard.press('Escape')
  await cells(page).first().getByRole('button', { name: 'python' }).click()
  await page.getByRole('menuitem', { name: 'typescript' }).click()
  await editCell(cells(page).first())
  await page.keyboard.press('ControlOrMeta+A')
  await calling('typescript', 'tools.ledger.list_commits(args: { count: number }): Promise<any>')
})
