import { type Asked, fakeProvider, type Reply } from '../src/chat/fake-provider.testing.ts'
import { expect, listening, test } from './app.ts'
import { openOwnEngine } from './own-engine.ts'
import { newConversation } from './steps.ts'

test('a file goes along, an answer is stopped, a question is changed and asked again, and a new provider sees nothing unseen', async ({
  browserOnce,
}) => {
  const never = new Promise(() => {})
  const replies: Reply[] = [
    { text: 'Slow words that never come to an end.', chunk: 5, gate: never },
    { text: 'It is hers.' },
    { text: 'Hers.' },
  ]
  const answer = ({ body }: Asked): Reply =>
    JSON.stringify(body).includes('a title of two to six words') ? { text: 'Mail' } : (replies.shift() ?? {})
  const fake = await fakeProvider('compatible', answer)
  const { engine, url, close } = await openOwnEngine(() => ({}))
  const save = (name: string, model: string, baseUrl: string) =>
    engine.chat.providers.save(engine.caller, {
      ...{ kind: 'compatible', name, baseUrl },
      models: [{ id: model, windowTokens: 32_000, price: null }],
    })
  await save('Near', 'near-1', fake.baseUrl)
  await save('Elsewhere', 'far-1', 'https://models.invalid/v1')
  try {
    const context = await (await browserOnce()).newContext({ viewport: { width: 1280, height: 800 } })
    const page = await context.newPage()
    await page.goto(url)
    await listening(page)
    await newConversation(page)
    const box = page.getByLabel('Write a question or a note')
    const bar = page.locator('[role=status][data-state]')
    const question = page.getByRole('article', { name: /by the analyst$/ })

    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'Attach' }).click(),
    ])
    await chooser.setFiles({ name: 'clients.csv', mimeType: 'text/csv', buffer: Buffer.from('mail\nann@bank.ie\n') })
    await expect(page.getByRole('button', { name: 'Do not attach clients.csv' })).toBeVisible()
    await box.fill('Whose mail is jane.doe@bank.ie?')
    await box.press('Enter')
    await expect(page.getByTestId('live-turn')).toContainText('Slow')
    await page.getByRole('button', { name: 'Stop', exact: true }).click()
    await expect(bar).toContainText('Stopped.')
    await expect(page.getByText(/^Slow/).first()).toBeVisible()
    await bar.getByRole('button', { name: 'Ask again' }).click()
    await expect(page.getByText('It is hers.')).toBeVisible()
    await expect(page.getByText(/^Slow/)).toHaveCount(0)
    expect(fake.received()).toContain('Attached: clients.csv')
    expect(fake.received()).not.toMatch(/jane\.doe|ann@bank/)

    await question.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Message', { exact: true }).fill('Whose is jane.doe@bank.ie, in one word?')
    await page.getByRole('button', { name: 'Done' }).click()
    await question.getByRole('button', { name: 'Ask again' }).click()
    await expect(page.getByText('Hers.', { exact: true })).toBeVisible()
    await expect(page.getByText('It is hers.')).toHaveCount(0)

    // The old question would go to a provider that has seen nothing yet: it does not, before the person has.
    await page.getByTitle('The model that is asked').click()
    await page.getByRole('menuitem', { name: /far-1/ }).click()
    await question.getByRole('button', { name: 'Ask again' }).click()
    const dialog = page.getByRole('dialog', { name: 'What would leave this machine' })
    await expect(dialog).toContainText('To Elsewhere (models.invalid), far-1.')
    await expect(dialog).toContainText(/Whose is \[EMAIL_\d\], in one word/)
    await expect(dialog).toContainText('Attached: clients.csv')
    await dialog.getByRole('button', { name: 'Do not send' }).click()
    await expect(page.getByText('Hers.', { exact: true })).toBeVisible()
    await box.fill('And now?')
    await box.press('Enter')
    await expect(dialog).toContainText('And now?')
    await dialog.getByRole('button', { name: 'Do not send' }).click()
    await expect(box).toHaveValue('And now?')
    await context.close()
  } finally {
    await close()
    await fake.close()
  }
})

test('a provider that asks to wait is waited for, with the seconds in sight, until the person stops it', async ({
  browserOnce,
}) => {
  const fake = await fakeProvider('compatible', [{ status: 429, headers: { 'retry-after': '100' } }])
  const { engine, url, close } = await openOwnEngine(() => ({}))
  await engine.chat.providers.save(engine.caller, {
    ...{ kind: 'compatible', name: 'Near', baseUrl: fake.baseUrl },
    models: [{ id: 'near-1', windowTokens: 32_000, price: null }],
  })
  try {
    const context = await (await browserOnce()).newContext({ viewport: { width: 1280, height: 800 } })
    const page = await context.newPage()
    await page.goto(url)
    await listening(page)
    await newConversation(page)
    const bar = page.locator('[role=status][data-state]')
    const seconds = async () => Number(/Asked again in (\d+) s\./.exec((await bar.textContent()) ?? '')?.[1])
    await page.getByLabel('Write a question or a note').fill('Anybody there?')
    await page.getByLabel('Write a question or a note').press('Enter')
    await expect(bar).toHaveAttribute('data-state', 'pausing')
    await expect(bar).toContainText('The provider lets no more requests through for now.')
    const first = await seconds()
    expect(first).toBeGreaterThan(0)
    expect(first).toBeLessThanOrEqual(100)
    await expect.poll(seconds).toBeLessThan(first)
    await page.getByRole('button', { name: 'Stop', exact: true }).click()
    await expect(bar).toContainText('Stopped.')
    expect(fake.asked).toHaveLength(1)
    await context.close()
  } finally {
    await close()
    await fake.close()
  }
})

test('what is written stays in sight until it stands on the path, however long that is', async ({ browserOnce }) => {
  const gate = Promise.withResolvers<void>()
  const fake = await fakeProvider('compatible', [{ text: 'It has come to its end.', gate: gate.promise }])
  const { engine, url, close } = await openOwnEngine(() => ({}))
  await engine.chat.providers.save(engine.caller, {
    ...{ kind: 'compatible', name: 'Near', baseUrl: fake.baseUrl },
    models: [{ id: 'near-1', windowTokens: 32_000, price: null }],
  })
  const made = await engine.conversations.create(engine.caller, { title: 'A long one' })
  if (!made.ok) throw new Error(made.problem.message)
  const { main: path } = made.value.conversation
  const notes = Array.from({ length: 3000 }, (_, at) => ({
    ...{ kind: 'message' as const, author: 'analyst' as const, text: `Note ${at}` },
  }))
  await engine.conversations.insert(engine.caller, { path, items: notes })
  try {
    const context = await (await browserOnce()).newContext({ viewport: { width: 1280, height: 800 } })
    const page = await context.newPage()
    await page.goto(url)
    await listening(page)
    await expect(page.getByText('Note 0', { exact: true })).toBeVisible()
    await page.getByLabel('Write a question or a note').fill('Is it over?')
    await page.getByLabel('Write a question or a note').press('Enter')
    await expect(page.getByTestId('live-turn')).toContainText('It has')
    // How often the answer stands on the page, after each change of the page.
    const counts = await page.evaluateHandle(() => {
      const list: number[] = []
      const look = () => void list.push((document.querySelector('main')?.textContent ?? '').split('It has').length - 1)
      new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true })
      return list
    })
    gate.resolve()
    const answer = page.getByRole('article', { name: /by the assistant$/ })
    await expect(answer).toContainText('It has come to its end.')
    await expect(answer).toBeInViewport()
    await expect(page.getByTestId('live-turn')).toHaveCount(0)
    expect([...new Set(await counts.jsonValue())]).toEqual([1])
    await context.close()
  } finally {
    await close()
    await fake.close()
  }
})
