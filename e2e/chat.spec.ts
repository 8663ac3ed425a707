import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { AxeBuilder } from '@axe-core/playwright'
import type { Locator, Page } from '@playwright/test'
import Sqlite from 'better-sqlite3'
import { fakeProvider } from '../src/chat/fake-provider.testing.ts'
import { type App, expect, test } from './app.ts'
import { cells, newConversation } from './steps.ts'

const decision = (page: Page): Locator => page.getByRole('region', { name: 'Decision' })
const box = (page: Page): Locator => page.getByLabel('Write a question or a note')
const bar = (page: Page): Locator => page.locator('[role=status][data-state]')

async function connect(page: Page, address: string): Promise<void> {
  await expect(page.getByText('No model is connected')).toBeVisible()
  await page.getByRole('button', { name: 'Connect a model…' }).click()
  await page.getByRole('button', { name: 'OpenAI-compatible' }).click()
  await page.getByLabel('Address').fill(address)
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await expect(page.getByText('1 model')).toBeVisible()
}

async function notebook(page: Page): Promise<void> {
  await page.getByRole('navigation', { name: 'Places' }).getByRole('button', { name: 'Notebook' }).click()
}

async function failPower(app: App): Promise<void> {
  await app.reopen({ killed: true })
  // Where a window was a moment before is nothing that is kept at once.
  await notebook(app.page)
}

/** Somebody else reads what the assistant wants to run, and signs it. */
async function countersign(page: Page): Promise<void> {
  await bar(page).getByRole('button', { name: 'Review…' }).click()
  await expect(page.getByText('fake-1, on behalf of')).toBeVisible()
  await page
    .getByRole('region', { name: 'Review queue' })
    .getByRole('button', { name: /You sign as/ })
    .click()
  await page.getByRole('menuitem', { name: 'New reviewer…' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Rita')
  await page.getByLabel(/^Passphrase, at least/).fill('correct horse')
  await page.getByLabel('Passphrase again').fill('correct horse')
  await page.getByRole('button', { name: 'Make and sign as them' }).click()
  const hold = decision(page).getByRole('button', { name: 'Hold to approve' })
  await expect(hold).toHaveAttribute('aria-disabled', 'false')
  await hold.hover()
  await page.mouse.down()
  await expect(page.getByText(/^Approved and signed by/).first()).toBeVisible()
  await page.mouse.up()
}

test('a question is answered by code that streams, waits, is countersigned, runs and is quoted, over restarts', async ({
  app,
}: {
  app: App
}) => {
  let open = () => {}
  const gate = new Promise<void>(resolve => (open = resolve))
  const code =
    'import os, shutil\nos.makedirs("out", exist_ok=True)\nshutil.rmtree("out")\nprint("CET1", 1184 / 100, "%")'
  const fake = await fakeProvider('compatible', [
    {
      text: 'I will compute **CET1** first.',
      gate,
      chunk: 6,
      calls: [{ name: 'run_code', input: { language: 'python', code, description: 'CET1 ratio' } }],
    },
    { text: 'CET1 is 11.84 %, against 12.91 % before.\n\n```python\nprint("more")\n```' },
    { text: 'Capital under stress' },
    { text: 'Again: 11.84 %.' },
  ])
  try {
    await newConversation(app.page)
    await connect(app.page, fake.baseUrl)
    await notebook(app.page)
    await box(app.page).fill('What is CET1 for jane.doe@bank.ie?')
    await box(app.page).press('Enter')
    const live = app.page.getByTestId('live-turn')
    await expect(live).toContainText('I will')
    await app.picture('chat-streaming')
    open()
    await expect(bar(app.page)).toHaveAttribute('data-state', 'resting')

    // The power fails while a reviewer is waited for: the same conversation is there, and still waits.
    await failPower(app)
    await expect(bar(app.page)).toHaveAttribute('data-state', 'resting')
    await expect(app.page.getByText('I will compute CET1 first.')).toBeVisible()
    await countersign(app.page)
    await notebook(app.page)
    const answer = app.page.getByRole('article', { name: /by the assistant$/ }).last()
    await expect(answer).toContainText('CET1 is 11.84 %')
    await expect(answer.locator('a[href^="#figure-"]')).toHaveText('11.84 %')
    await expect(answer.locator('a[href="#not-computed"]')).toHaveText('12.91 %')
    expect(fake.received()).not.toContain('jane.doe@bank.ie')
    expect(fake.received()).toContain('[EMAIL_1]')

    // A figure leads to its cell, which is one line since it went well.
    await answer.locator('a[href^="#figure-"]').click()
    const cell = cells(app.page).last()
    await expect(cell).toHaveAttribute('aria-label', /selected/)
    await expect(cell.getByTestId('outputs')).toHaveCount(0)
    // The checker opens a page of its own, which a desktop does not let it.
    if (app.door === 'browser')
      expect((await new AxeBuilder({ page: app.page }).include('main').analyze()).violations).toEqual([])
    await app.picture('chat-answered')

    // Code out of an answer becomes a cell, and the conversation has a name.
    await answer.getByRole('button', { name: 'Use in a cell' }).click()
    await expect(cells(app.page).last()).toContainText('print("more")')
    await expect(app.page.getByText('Capital under stress').first()).toBeVisible()

    await app.reopen()
    await expect(app.page.getByText('CET1 is 11.84 %')).toBeVisible()
    await expect(app.page.getByText(/\$0\.0|tokens/).last()).toBeVisible()
  } finally {
    await fake.close()
  }
})

test('the power fails while words come, while code is written, while it runs, while it waits and while what was signed runs: nothing is lost, and it goes on', async ({
  app,
}: {
  app: App
}) => {
  const never = new Promise(() => {})
  const risky = 'import os, shutil, time\nos.makedirs("out")\nshutil.rmtree("out")'
  const call = (code: string) => ({ name: 'run_code', input: { language: 'python', code, description: 'A step' } })
  const fake = await fakeProvider('compatible', [
    { text: 'I begin with the words of the question.', chunk: 8, gate: never },
    { text: 'Next the code.', calls: [call('print("never complete")')], gate: never, gateAt: 'arguments' },
    { text: 'Now it runs.', calls: [call('print("it began", flush=True)\nimport time\ntime.sleep(600)')] },
    { text: 'Now with a signature.', calls: [call(`${risky}\nprint("signed", flush=True)\ntime.sleep(600)`)] },
    { text: 'All of it is here.' },
  ])
  const question = () => app.page.getByText('What came of it?').first()
  const goOn = async () => {
    await expect(bar(app.page)).toHaveAttribute('data-state', 'interrupted')
    await expect(question()).toBeVisible()
    await bar(app.page).getByRole('button', { name: 'Go on' }).click()
  }
  try {
    await newConversation(app.page)
    await connect(app.page, fake.baseUrl)
    await notebook(app.page)
    await box(app.page).fill('What came of it?')
    await box(app.page).press('Enter')
    await expect(app.page.getByTestId('live-turn')).toContainText('I begin')
    await expect.poll(() => keptOf(app.home)).toContain('I begin')
    await failPower(app)
    await expect(app.page.getByText('I begin').first()).toBeVisible()
    await goOn()

    await expect(app.page.getByTestId('live-turn')).toContainText('run_code')
    await expect.poll(() => keptOf(app.home)).toContain('run_code')
    await failPower(app)
    await expect(app.page.getByText('was cut off and not run')).toBeVisible()
    // The one that a new conversation begins with, and none for a call that was cut.
    await expect(cells(app.page)).toHaveCount(1)
    await goOn()

    await expect(cells(app.page).last().getByTestId('outputs')).toContainText('it began')
    await failPower(app)
    await expect(cells(app.page)).toHaveCount(2)
    await goOn()

    await expect(bar(app.page)).toHaveAttribute('data-state', 'resting')
    await failPower(app)
    await expect(bar(app.page)).toHaveAttribute('data-state', 'resting')
    await countersign(app.page)
    await notebook(app.page)
    await expect(cells(app.page).last().getByTestId('outputs')).toContainText('signed')
    await failPower(app)
    await expect(cells(app.page)).toHaveCount(3)
    await goOn()
    await expect(app.page.getByText('All of it is here.')).toBeVisible()
    // The model was told what it had said, and that its code had not come to an end.
    expect(fake.received().match(/The application ended before this was over\./g)?.length).toBeGreaterThan(1)
    // Each of its words stands on the path once.
    for (const words of ['I begin', 'Next the code.', 'Now it runs.', 'Now with a signature.'])
      await expect(app.page.getByText(words)).toHaveCount(1)
    const cli = join(import.meta.dirname, '../out/main/cli.js')
    const env = { ...process.env, COUNTERSIGN_HOME: app.home }
    const { stdout } = await promisify(execFile)(process.execPath, [cli, 'audit', 'verify', '--json'], { env })
    expect(JSON.parse(stdout)).toMatchObject({ findings: [] })
  } finally {
    await fake.close()
  }
})

/** What of an answer under way a crash would leave. */
function keptOf(home: string): string {
  const db = new Sqlite(join(home, 'countersign.db'), { readonly: true })
  try {
    const rows = db.prepare('select partial from chat_turns where partial is not null').all()
    return JSON.stringify(rows)
  } finally {
    db.close()
  }
}

test('code is run by hand with no model at all, and a provider that fails is explained', async ({ app }) => {
  const { page } = app
  await newConversation(page)
  await box(page).fill('print(6 * 7)')
  await page.getByRole('button', { name: 'Run code' }).click()
  await page.getByRole('menuitem', { name: 'Run as python' }).click()
  await expect(cells(page).last().getByTestId('outputs')).toContainText('42')

  const fake = await fakeProvider('compatible', [{ status: 401 }, { text: 'Now it works.' }])
  try {
    await connect(page, fake.baseUrl)
    await app.picture('chat-models')
    await notebook(page)
    await box(page).fill('Anybody there?')
    await page.getByRole('button', { name: 'Ask', exact: true }).click()
    await expect(bar(page)).toContainText('The provider refused the key.')
    await bar(page).getByRole('button', { name: 'Ask again' }).click()
    await expect(page.getByText('Now it works.')).toBeVisible()

    // Marked as confidential, it stays so for whoever opens it next.
    const confidential = page.getByRole('button', { name: 'Confidential' })
    await expect(confidential).toHaveAttribute('aria-pressed', 'false')
    await confidential.click()
    await expect(confidential).toHaveAttribute('aria-pressed', 'true')
    await page.reload()
    await expect(confidential).toHaveAttribute('aria-pressed', 'true')
  } finally {
    await fake.close()
  }
})

test('a question at the end of a long page is in sight, and so is its answer, however busy the window is', async ({
  app,
}) => {
  const { page } = app
  const long = Array.from({ length: 60 }, (_, at) => `Paragraph ${at + 1} of the answer.`).join('\n\n')
  const held = Promise.withResolvers<void>()
  const fake = await fakeProvider('compatible', async (_, number) => {
    if (number === 1) return { text: long, chunk: 400 }
    if (number === 2) return { text: 'A title' }
    await held.promise
    return { text: 'Briefly.' }
  })
  try {
    await newConversation(page)
    await connect(page, fake.baseUrl)
    await notebook(page)
    await box(page).fill('What is there to know?')
    await box(page).press('Enter')
    await expect(page.getByText('A title').first()).toBeVisible()
    await page.getByTestId('items').evaluate(items => items.scrollTo(0, 0))
    await box(page).fill('And in one word?')
    await box(page).press('Enter')
    // All of the answer comes at once, as to a window that had no time to draw it while it was written.
    await whileHeld(page, async () => {
      held.resolve()
      await expect.poll(() => unfinishedIn(app.home)).toBe(0)
    })
    await expect(page.getByText('And in one word?')).toBeInViewport({ ratio: 1 })
    await expect(page.getByText('Briefly.')).toBeInViewport({ ratio: 1 })
    // Whoever has looked elsewhere comes back to it, as from a request that was decided on.
    await page.getByRole('navigation', { name: 'Places' }).getByRole('button', { name: 'Audit' }).click()
    await expect(page.getByText('Briefly.')).toHaveCount(0)
    await notebook(page)
    await expect(page.getByText('Briefly.')).toBeInViewport({ ratio: 1 })
  } finally {
    await fake.close()
  }
})

/** Nothing of the page runs meanwhile: what comes for it waits. */
async function whileHeld(page: Page, work: () => Promise<void>): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('Debugger.enable')
  const paused = new Promise(resolve => session.once('Debugger.paused', resolve))
  await session.send('Debugger.pause')
  // It is held at the next statement that it comes to.
  const next = page.evaluate('0')
  await paused
  await work()
  await session.send('Debugger.resume')
  await next
  await session.detach()
}

function unfinishedIn(home: string): number {
  const db = new Sqlite(join(home, 'countersign.db'), { readonly: true })
  try {
    return db.prepare('select id from chat_turns where ended_at is null').all().length
  } finally {
    db.close()
  }
}
