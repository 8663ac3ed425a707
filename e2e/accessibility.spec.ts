import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { expect, test } from './app.ts'
import { cells, chooseCommand } from './steps.ts'

/** Elements that would move, though the person asked for stillness. */
const moving = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`[...document.querySelectorAll('body *')].flatMap(element => {
    const { animationName, transitionDuration } = getComputedStyle(element)
    return animationName === 'none' && /^0s(, 0s)*$/.test(transitionDuration) ? [] : [element.outerHTML.slice(0, 160)]
  })`)

/** What axe has against the window as it is now, in words that tell where. */
async function violations(page: Page): Promise<string[]> {
  // Outputs with foreign HTML lie in frames of their own origin, which no tool can look into; the handles between panes
  // and floating menus belong to no landmark.
  const { violations: found } = await new AxeBuilder({ page })
    .exclude('iframe')
    .exclude('[role="separator"]')
    .exclude('[data-radix-popper-content-wrapper]')
    .setLegacyMode(true)
    .analyze()
  return found.flatMap(({ id, nodes }) => nodes.map(node => `${id}: ${node.html.slice(0, 160)}`))
}

const themes = ['light', 'dark'] as const

test('every main view is free of axe violations and of unwanted movement, in both themes', async ({ app }) => {
  test.skip(app.door === 'electron', 'the page is the same as in the browser, where axe has looked at it')
  const { page } = app
  await page.emulateMedia({ reducedMotion: 'reduce' })
  const looks: Record<string, string[]> = {}
  const look = async (view: string) => {
    looks[`${view}, moving`] = await moving(page)
    for (const theme of themes) {
      await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
      looks[`${view}, ${theme}`] = await violations(page)
      await app.picture(`view-${view}-${theme}`)
    }
  }
  await expect(page.getByRole('button', { name: 'Open the sample' })).toBeVisible()
  await look('home')
  await page.getByRole('button', { name: 'Open the sample' }).click()
  await expect(cells(page).first()).toBeVisible()
  await look('notebook')
  await page.keyboard.press('ControlOrMeta+K')
  await expect(page.getByPlaceholder('What would you like to do?')).toBeVisible()
  await look('palette')
  await page.keyboard.press('Escape')
  await chooseCommand(page, 'Compare with')
  await expect(page.getByRole('heading', { name: 'Compare paths' })).toBeVisible()
  await look('compare')
  for (const place of ['Review queue', 'Audit', 'Privacy', 'Settings']) {
    await page.getByRole('navigation', { name: 'Places' }).getByRole('button', { name: place }).click()
    await expect(page.getByRole('heading', { level: 1 }).first()).toBeVisible()
    await look(place.toLowerCase().replace(' ', '-'))
  }
  await chooseCommand(page, 'Keyboard shortcuts')
  await expect(page.getByRole('dialog')).toBeVisible()
  await look('keys')
  expect(looks).toEqual(Object.fromEntries(Object.keys(looks).map(view => [view, []])))
})
