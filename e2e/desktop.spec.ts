import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { protectedServer, visit } from '../src/mcp/oauth/server.testing.ts'
import { writeTinyModel } from '../src/privacy/names/tiny-model.testing.ts'
import { expect, test } from './app.ts'

test('the window leads nowhere and gives its page nothing of Node', async ({ app }) => {
  const { page } = app
  await expect(page.getByRole('button', { name: 'New conversation' })).toBeVisible()
  const reach = await page.evaluate(async () => ({
    node: [typeof Reflect.get(globalThis, 'require'), typeof Reflect.get(globalThis, 'process')],
    opened: globalThis.open('https://example.com/') === null,
    fetched: await fetch('https://example.com/').then(
      () => 'reached',
      () => 'refused',
    ),
  }))
  expect(reach).toEqual({ node: ['undefined', 'undefined'], opened: true, fetched: 'refused' })
  expect(page.url()).toBe('app://countersign/')
})

test('the window cannot be led away, and its place and size are kept', async ({ app }) => {
  const url = await app.desktop?.evaluate(async ({ BrowserWindow }) => {
    const contents = BrowserWindow.getAllWindows()[0]?.webContents
    await contents?.executeJavaScript("location.href = 'https://example.com/'; 1")
    return contents?.getURL()
  })
  expect(url).toBe('app://countersign/')

  const bounds = { x: 11, y: 12, width: 900, height: 600 }
  await app.desktop?.evaluate(({ BrowserWindow }, to) => BrowserWindow.getAllWindows()[0]?.setBounds(to), bounds)
  await app.desktop?.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close())
  await expect.poll(() => existsSync(join(app.home, 'window.json'))).toBe(true)
  expect(JSON.parse(readFileSync(join(app.home, 'window.json'), 'utf8'))).toMatchObject({ ...bounds, maximized: false })
})

test('a second start shows the first window instead of opening another', async ({ app }) => {
  const first = app.desktop?.process()
  if (!first) throw new Error('no desktop')
  const second = spawn(
    first.spawnfile,
    first.spawnargs.slice(1).filter(each => !/inspect|remote-debugging|-r$|loader/.test(each)),
    {
      env: {
        ...process.env,
        COUNTERSIGN_HOME: app.home,
        DISPLAY: await app.desktop?.evaluate(() => process.env.DISPLAY),
      },
      stdio: 'ignore',
    },
  )
  expect(await new Promise(resolve => second.once('exit', code => resolve(code)))).toBe(0)
  expect(await app.desktop?.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)).toBe(1)
})

test('the menu does what the palette does', async ({ app }) => {
  const choose = (menu: string, item: string) =>
    app.desktop?.evaluate(
      ({ Menu, BrowserWindow }, [menu, item]) => {
        const items = Menu.getApplicationMenu()?.items.find(({ label }) => label === menu)?.submenu?.items
        const found = items?.find(({ label }) => label === item)
        if (!found) throw new Error(`no ${item} in ${menu}`)
        found.click({}, BrowserWindow.getAllWindows()[0])
      },
      [menu, item] as const,
    )
  await choose('File', 'New conversation')
  await expect(app.page.locator('.monaco-editor[role="code"]').first()).toBeVisible()
  await choose('Cell', 'Insert cell below')
  await expect(app.page.getByRole('region', { name: /python cell/ })).toHaveCount(2)
  await choose('View', 'Show audit record')
  await expect(app.page.getByRole('heading', { name: 'Audit record' })).toBeVisible()
})

test('the folder of the names model is chosen in the dialog of the system, and its model is loaded', async ({
  app,
}) => {
  const { page } = app
  const folder = writeTinyModel(join(app.home, 'models', 'tiny'))
  /** Nobody is there to answer the dialog; what it was asked is kept. */
  const answer = (filePaths: string[]) =>
    app.desktop?.evaluate(({ dialog }, chosen) => {
      dialog.showOpenDialog = async (...asked: unknown[]) => {
        Reflect.set(globalThis, 'asked', asked.at(-1))
        return { canceled: chosen.length === 0, filePaths: chosen }
      }
    }, filePaths)
  await page.keyboard.press('Control+,')
  await page.getByLabel('Search settings').fill('names model')
  const choose = page.getByRole('button', { name: 'Choose…' })
  const typed = page.getByRole('textbox', { name: 'Names model' })
  await answer([])
  await choose.click()
  await expect(choose).toBeEnabled()
  await expect(typed).toHaveValue('')
  await answer([folder])
  await choose.click()
  await expect(typed).toHaveValue(folder)
  expect(await app.desktop?.evaluate(() => Reflect.get(globalThis, 'asked'))).toMatchObject({
    title: 'Folder of the names model',
    properties: expect.arrayContaining(['openDirectory']),
  })
  await expect(page.getByRole('region', { name: 'Names model' }).getByRole('status')).toHaveText('Ready')
  await app.picture('names-ready')
})

/** A machine whose opener of pages only writes down what it was to open. */
const withOpener = test.extend<{ opener: { folder: string; opened: string } }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads from the braces what is needed.
  opener: async ({}, use) => {
    const folder = mkdtempSync(join(tmpdir(), 'countersign-opener-'))
    // Whole or not at all: whoever looks must not read half an address.
    const script = '#!/bin/sh\nprintf %s "$1" > "$OPENED.part"\nmv "$OPENED.part" "$OPENED"\n'
    writeFileSync(join(folder, 'xdg-open'), script, { mode: 0o755 })
    await use({ folder, opened: join(folder, 'opened') })
    rmSync(folder, { recursive: true, force: true })
  },
  env: async ({ opener: { folder, opened } }, use) =>
    use({ PATH: `${folder}${delimiter}${process.env.PATH}`, OPENED: opened }),
})

withOpener(
  'the page of a log-in is opened by the system, and the window goes on when the person has logged in there',
  async ({ app, opener: { opened } }) => {
    test.skip(process.platform !== 'linux', 'the opener of Linux is found by its name')
    const { page } = app
    const server = await protectedServer()
    try {
      await page.keyboard.press('Control+8')
      await page.getByRole('button', { name: 'Add a server' }).click()
      await page.getByRole('radio', { name: 'An address' }).click()
      await page.getByLabel('Name').fill('ledger')
      await page.getByLabel('Address').fill(server.url)
      await page.getByRole('button', { name: 'Add', exact: true }).click()
      await page.getByRole('button', { name: 'Log in', exact: true }).click()
      await expect.poll(() => existsSync(opened)).toBe(true)
      const address = readFileSync(opened, 'utf8')
      expect(new URL(address).origin).toBe(server.origin)
      expect(await visit(address)).toBe(200)
      await expect(page.getByText('Tells the balance.')).toBeVisible()
    } finally {
      server.close()
    }
  },
)
