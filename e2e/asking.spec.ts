import type { Browser } from '@playwright/test'
import { type Asked, fakeProvider, type Reply, type Script } from '../src/chat/fake-provider.testing.ts'
import type { ChatModel } from '../src/contract/chat.ts'
import type { Engine } from '../src/engine/engine.ts'
import { expect, listening, test } from './app.ts'
import { openOwnEngine } from './own-engine.ts'
import { cells, chooseCommand, newConversation } from './steps.ts'

/** A window on an engine of its own, which has a provider near by with two models that say what the scenario wants. */
async function openWindow(
  browser: Browser,
  script: Script,
  { price = null, before }: { price?: ChatModel['price']; before?(engine: Engine): Promise<unknown> } = {},
) {
  const fake = await fakeProvider('compatible', script)
  const { engine, url, close } = await openOwnEngine(() => ({}))
  await engine.chat.providers.save(engine.caller, {
    ...{ kind: 'compatible', name: 'Near', baseUrl: fake.baseUrl },
    models: ['near-1', 'near-2'].map(id => ({ id, windowTokens: 32_000, price })),
  })
  await before?.(engine)
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  const page = await context.newPage()
  await page.goto(url)
  await listening(page)
  return {
    ...{ fake, engine, page },
    box: page.getByLabel('Write a question or a note'),
    bar: page.locator('[role=status][data-state]'),
    async close() {
      await context.close()
      await close()
      await fake.close()
    },
  }
}

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
  const { fake, page, box, bar, close } = await openWindow(await browserOnce(), answer, {
    before: engine =>
      engine.chat.providers.save(engine.caller, {
        ...{ kind: 'compatible', name: 'Elsewhere', baseUrl: 'https://models.invalid/v1' },
        models: [{ id: 'far-1', windowTokens: 32_000, price: null }],
      }),
  })
  try {
    await newConversation(page)
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
  } finally {
    await close()
  }
})

test('a provider that asks to wait is waited for, with the seconds in sight, until the person stops it', async ({
  browserOnce,
}) => {
  const { fake, page, box, bar, close } = await openWindow(await browserOnce(), [
    { status: 429, headers: { 'retry-after': '100' } },
  ])
  try {
    await newConversation(page)
    const seconds = async () => Number(/Asked again in (\d+) s\./.exec((await bar.textContent()) ?? '')?.[1])
    await box.fill('Anybody there?')
    await box.press('Enter')
    await expect(bar).toHaveAttribute('data-state', 'pausing')
    await expect(bar).toContainText('The provider lets no more requests through for now.')
    const first = await seconds()
    expect(first).toBeGreaterThan(0)
    expect(first).toBeLessThanOrEqual(100)
    await expect.poll(seconds).toBeLessThan(first)
    await page.getByRole('button', { name: 'Stop', exact: true }).click()
    await expect(bar).toContainText('Stopped.')
    expect(fake.asked).toHaveLength(1)
  } finally {
    await close()
  }
})

test('what is written stays in sight until it stands on the path, however long that is', async ({ browserOnce }) => {
  const gate = Promise.withResolvers<void>()
  const before = async ({ conversations, caller }: Engine) => {
    const made = await conversations.create(caller, { title: 'A long one' })
    if (!made.ok) throw new Error(made.problem.message)
    const notes = Array.from({ length: 3000 }, (_, at) => ({
      ...{ kind: 'message' as const, author: 'analyst' as const, text: `Note ${at}` },
    }))
    await conversations.insert(caller, { path: made.value.conversation.main, items: notes })
  }
  const replies = [{ text: 'It has come to its end.', gate: gate.promise }]
  const { page, box, close } = await openWindow(await browserOnce(), replies, { before })
  try {
    await expect(page.getByText('Note 0', { exact: true })).toBeVisible()
    await box.fill('Is it over?')
    await box.press('Enter')
    await expect(page.getByTestId('live-turn')).toContainText('It has')
    // How often the answer stands on the page, after each change of the page.
    const counts = await page.evaluateHandle<number[]>(`(() => {
      const list = []
      const look = () => void list.push(document.querySelector('main').textContent.split('It has').length - 1)
      new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true })
      return list
    })()`)
    gate.resolve()
    const answer = page.getByRole('article', { name: /by the assistant$/ })
    await expect(answer).toContainText('It has come to its end.')
    await expect(answer).toBeInViewport()
    await expect(page.getByTestId('live-turn')).toHaveCount(0)
    expect([...new Set(await counts.jsonValue())]).toEqual([1])
  } finally {
    await close()
  }
})

test('a question of before is answered again in its own place, while the words come and after', async ({
  browserOnce,
}) => {
  const gate = Promise.withResolvers<void>()
  const long = Array.from({ length: 40 }, (_, at) => `Paragraph ${at + 1} of the second answer.`).join('\n\n')
  const replies: Reply[] = [
    { text: 'The first answer.' },
    { text: long, chunk: 400 },
    { text: 'Answered anew.', gate: gate.promise },
  ]
  const { page, engine, box, close } = await openWindow(await browserOnce(), replies)
  await engine.changeSettings(engine.caller, { chat: { titles: false } })
  try {
    await newConversation(page)
    for (const [question, answer] of [
      ['First?', 'The first answer.'],
      ['Second?', 'Paragraph 40'],
    ] as const) {
      await box.fill(question)
      await box.press('Enter')
      await expect(page.getByText(answer)).toBeInViewport()
    }
    await page.getByTestId('items').evaluate(items => items.scrollTo(0, 0))
    const first = page.getByRole('article', { name: /by the analyst$/ }).first()
    await first.getByRole('button', { name: 'Ask again' }).click()
    const isInPlace = async () => {
      const [above, answer, below] = await Promise.all(
        ['First?', 'Answere', 'Second?'].map(text => page.getByText(text).first().boundingBox()),
      )
      return above && answer && below && above.y < answer.y && answer.y < below.y
    }
    await expect(page.getByTestId('live-turn')).toContainText('Answere')
    await expect(page.getByTestId('live-turn')).toBeInViewport({ ratio: 1 })
    await expect.poll(isInPlace).toBe(true)
    gate.resolve()
    await expect(page.getByText('Answered anew.')).toBeInViewport({ ratio: 1 })
    await expect(page.getByTestId('live-turn')).toHaveCount(0)
    await expect.poll(isInPlace).toBe(true)
  } finally {
    await close()
  }
})

test('what answers cost is in sight: warned of at four fifths, ended at the limit, gone on from when it is raised, and listed', async ({
  browserOnce,
}) => {
  // Each answer costs 40 cents.
  const answer = { text: 'It is hers.', usage: { input: 100_000, output: 20_000 } }
  const { page, engine, box, bar, close } = await openWindow(await browserOnce(), [answer], {
    price: { input: 2, output: 10 },
  })
  const shared = { costPerConversation: 1, titles: false }
  await engine.changeSettings(engine.caller, { chat: shared })
  const ask = async (text: string) => {
    await box.fill(text)
    await box.press('Enter')
  }
  const answers = page.getByText('It is hers.')
  try {
    await newConversation(page)
    await ask('Whose is jane.doe@bank.ie?')
    await expect(answers).toHaveCount(1)
    await expect(page.getByText('$0.40 · 120,000 tokens')).toBeVisible()
    await ask('And whose is it now?')
    await expect(answers).toHaveCount(2)
    await expect(page.getByText('$0.80 of $1.00 for this conversation are used.')).toBeVisible()
    await ask('And now?')
    await expect(answers).toHaveCount(3)
    // It was warned of where it was asked too.
    await expect(bar).toContainText('$0.80 of $1.00 for this conversation are used.')
    await ask('Once more?')
    await expect(bar).toHaveAttribute('data-state', 'limited')
    await expect(bar).toContainText(
      'This conversation has cost $1.20; $1.00 is the limit. Raise the limit in the settings',
    )
    await engine.changeSettings(engine.caller, { chat: { ...shared, costPerConversation: 5, costPerDay: 1 } })
    await bar.getByRole('button', { name: 'Go on' }).click()
    await expect(bar).toContainText('Today has cost $1.20; $1.00 is the limit.')
    await engine.changeSettings(engine.caller, { chat: { ...shared, costPerConversation: 5, costPerDay: null } })
    await bar.getByRole('button', { name: 'Go on' }).click()
    await expect(answers).toHaveCount(4)

    await page.keyboard.press('ControlOrMeta+K')
    await page.getByPlaceholder('What would you like to do?').fill('Set up models')
    await page.keyboard.press('Enter')
    const rows = page.getByRole('region', { name: 'Requests to models' }).getByRole('row')
    await expect(rows).toHaveCount(5)
    await expect(rows.last()).toContainText(
      /Near fake-1-20260101 ?[\d,]+ ?E-mail address ?100,000 \+ 20,000 ?\$0\.4000/,
    )
    await expect(rows.last()).toContainText('answered')
  } finally {
    await close()
  }
})

test('an answer is asked for, stopped, gone on with and read by keyboard alone', async ({ browserOnce }) => {
  const never = new Promise(() => {})
  const code = { name: 'run_code', input: { language: 'python', code: 'print(1184 / 100)' } }
  const replies: Reply[] = [
    { text: 'Slow words that never come to an end.', chunk: 5, gate: never },
    { text: 'Now I compute it.', calls: [code] },
    { text: 'It is 11.84 %.' },
  ]
  const { page, engine, bar, close } = await openWindow(await browserOnce(), replies)
  await engine.changeSettings(engine.caller, { chat: { titles: false } })
  try {
    await expect(page.getByRole('button', { name: 'New conversation' })).toBeVisible()
    await page.keyboard.press('Control+K')
    await page.getByPlaceholder('What would you like to do?').fill('New conversation')
    await page.keyboard.press('Enter')
    await expect(page.getByTitle('The model that is asked')).toBeVisible()
    await page.keyboard.press('Control+J')
    await page.keyboard.type('What is it?')
    await page.keyboard.press('Enter')
    await expect(page.getByTestId('live-turn')).toContainText('Slow')
    await page.keyboard.press('Escape')
    await expect(bar).toContainText('Stopped.')
    await chooseCommand(page, 'Go on with the answer')
    const figure = page.getByRole('link', { name: '11.84 %' })
    await expect(figure).toBeVisible()
    // A figure is a link that the keyboard comes to: back from where questions are written.
    await page.keyboard.press('Control+J')
    for (let presses = 0; presses < 10; presses++) {
      await page.keyboard.press('Shift+Tab')
      if (await figure.evaluate(link => link.matches(':focus'))) break
    }
    await expect(figure).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(cells(page).last()).toBeFocused()

    // The model of the next question, the arrows in its menu.
    await page.getByTitle('The model that is asked').focus()
    await page.keyboard.press('Enter')
    await expect(page.getByRole('menuitem', { name: /near-1/ })).toBeFocused()
    await page.keyboard.press('ArrowDown')
    await expect(page.getByRole('menuitem', { name: /near-2/ })).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(page.getByTitle('The model that is asked')).toContainText('near-2')
  } finally {
    await close()
  }
})
