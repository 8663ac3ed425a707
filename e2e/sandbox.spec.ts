import { join } from 'node:path'
import { secondProvider } from '../src/sandbox/second.testing.ts'
import { expect, screenshots, test } from './app.ts'
import { openOwnEngine } from './own-engine.ts'
import { cells, newConversation, outputOf, typeInCell } from './steps.ts'

/** The application on a machine that can make jails and something stronger. */
const withSecond = test.extend<{ second: Awaited<ReturnType<typeof openOwnEngine>> }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads from the braces what is needed.
  second: async ({}, use) => {
    const app = await openOwnEngine(folder => ({ backEnds: [secondProvider(join(folder, 'second'))] }))
    await use(app)
    await app.close()
  },
})

withSecond(
  'code that needs a stronger sandbox waits; a person moves the path, or goes back by hand',
  async ({ browserOnce, second }) => {
    const context = await (await browserOnce()).newContext({ viewport: { width: 1280, height: 800 } })
    const page = await context.newPage()
    const picture = (name: string) => page.screenshot({ path: join(screenshots, `${name}.png`) })
    await page.goto(second.url)
    await newConversation(page)
    await typeInCell(page, 'open("kept.txt", "w").write("here"); print("in a", "jail")')
    await page.keyboard.press('Shift+Enter')
    await expect(outputOf(page, 0)).toContainText('in a jail')
    const badge = (text: RegExp) => page.getByRole('button', { name: text })
    await expect(badge(/jail · ready/)).toBeVisible()

    await test.step('what is dangerous is held, and the dialog has two ways on', async () => {
      await expect(cells(page)).toHaveCount(2)
      await typeInCell(page, `exec(input() if False else "print(open('kept.txt').read())")`)
      await page.keyboard.press('Shift+Enter')
      const dialog = page.getByRole('dialog', { name: 'This code needs a stronger sandbox' })
      await expect(dialog).toContainText('strongest sandbox of this machine (microvm)')
      await picture('sandbox-held')
      await page.keyboard.press('Escape')
      await expect(dialog).toBeHidden()
      await expect(cells(page).nth(1)).toContainText('needs a stronger sandbox')
    })

    await test.step('moving takes the files along, and an approval is asked for there', async () => {
      await cells(page).nth(1).getByRole('button', { name: 'Run', exact: true }).click()
      await page.getByRole('button', { name: 'Move the path' }).click()
      await expect(page.getByRole('dialog', { name: /Approval needed/ })).toContainText('microvm')
      await picture('sandbox-moved')
      await page.getByRole('button', { name: 'Save for later' }).last().click()
      await expect(badge(/microvm · ready/)).toBeVisible()
    })

    await test.step('the badge says what each kind gives, and moves back', async () => {
      await badge(/microvm · ready/).click()
      const menu = page.getByRole('menu')
      await expect(menu.getByRole('menuitem', { name: /jail/ })).toContainText('no home folder')
      await expect(menu.getByRole('menuitem', { name: /cloud/ })).toHaveAttribute('data-disabled', '')
      await picture('sandbox-menu')
      await menu.getByRole('menuitem', { name: /jail/ }).click()
      await expect(page.getByRole('dialog')).toContainText('Its files go along')
      await picture('sandbox-move')
      await page.getByRole('button', { name: 'Move the path' }).click()
      await expect(badge(/jail · (ready|running)/)).toBeVisible()
    })
    await context.close()
  },
)

withSecond(
  'the badge announces the hundredth run, and the sandbox is replaced when the person says so',
  async ({ browserOnce, second: { url, engine } }) => {
    const context = await (await browserOnce()).newContext({ viewport: { width: 1280, height: 800 } })
    const page = await context.newPage()
    const picture = (name: string) => page.screenshot({ path: join(screenshots, `${name}.png`) })
    await page.goto(url)
    await newConversation(page)
    await typeInCell(page, 'kept = globals().get("kept", 0) + 1\nprint("run", kept)')
    const badge = page.locator('button[data-rotation]')
    const run = async (count: number) => {
      await page.keyboard.press('Control+Enter')
      await expect(outputOf(page, 0)).toContainText(`run ${count}`)
    }
    await run(1)
    await expect(badge).toHaveAttribute('data-rotation', 'no')

    const [status] = await engine.contexts.active(engine.caller.tenant)
    if (!status) throw new Error('no sandbox')
    for (let count = 2; count <= 90; count++) {
      const code = { path: status.path, cell: null, language: 'python', code: 'kept += 1' } as const
      const started = await engine.runs.start(engine.caller, code)
      expect(started.ok && (await started.value.rest).outcome?.success).toBe(true)
    }
    await expect(badge).toContainText('10 runs left')
    await run(91)
    await expect(badge).toContainText('9 runs left')
    await expect(badge).toHaveAttribute('title', /^91 of 100 runs in this sandbox\. After a set number of runs/)
    await picture('rotation-soon')
    for (let count = 92; count <= 99; count++) await run(count)
    await expect(badge).toContainText('1 run left')
    await run(100)
    await expect(badge).toContainText('to be replaced')
    await expect(badge).toHaveAttribute('data-rotation', 'due')
    await run(101)
    await picture('rotation-due')

    await badge.click()
    await page.getByRole('menuitem', { name: 'Replace the sandbox…' }).click()
    await expect(page.getByRole('dialog')).toContainText('It has done 101 runs.')
    await page.getByRole('checkbox', { name: /again that ran here/ }).uncheck()
    await page.getByRole('button', { name: 'Replace it' }).click()
    await expect(badge).toHaveAttribute('data-rotation', 'no')
    await cells(page).first().getByRole('button', { name: 'Run', exact: true }).click()
    await expect(outputOf(page, 0)).toContainText(/run 1$/m)
    await context.close()
  },
)
