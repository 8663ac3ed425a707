import { join } from 'node:path'
import AxeBuilder from '@axe-core/playwright'
import type { BuildStep, ImageInfo } from '../src/contract/images.ts'
import { fail, type Outcome, ok } from '../src/contract/problem.ts'
import type { ImageStore } from '../src/sandbox/sandbox.ts'
import { secondProvider } from '../src/sandbox/second.testing.ts'
import { expect, screenshots, test } from './app.ts'
import { openOwnEngine } from './own-engine.ts'
import { newConversation, outputOf, typeInCell } from './steps.ts'

/** A store whose builds go on when the scenario says so. */
class HeldStore implements ImageStore {
  readonly images: ImageInfo[] = []
  step: (step: BuildStep) => void = () => undefined
  finish: (built: Outcome<ImageInfo>) => void = () => undefined

  list = async () => ok([...this.images])

  build: ImageStore['build'] = ({ template, packages }, progress, signal) =>
    new Promise(resolve => {
      this.step = progress
      this.finish = built => {
        if (built.ok) this.images.unshift({ ...built.value, template, packages: [...packages] })
        resolve(built)
      }
      signal.addEventListener('abort', () => resolve(fail('request.cancelled', 'It was stopped.', 'Build again.')))
    })

  remove = async (name: string) => {
    this.images.splice(0, this.images.length, ...this.images.filter(image => image.name !== name))
    return ok(undefined)
  }
}

const made: ImageInfo = {
  ...{ kind: 'docker', name: 'countersign-guest:credit', template: 'credit', bytes: 412_000_000 },
  ...{ digest: `sha256:${'3fa9c1'.repeat(10)}beef`, createdAt: 1_790_000_000_000, current: true, packages: [] },
  source: 'debian',
}

const withImages = test.extend<{ app2: { url: string; store: HeldStore } }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads from the braces what is needed.
  app2: async ({}, use) => {
    const store = new HeldStore()
    const app = await openOwnEngine(folder => ({
      backEnds: [
        {
          ...secondProvider(join(folder, 'second')),
          kind: 'docker',
          images: store,
          pool: () => ({ ready: 1, wanted: 2 }),
        },
      ],
    }))
    await use({ url: app.url, store })
    await app.close()
  },
})

withImages(
  'all sandboxes are in one place: opened, ended with a question, and their images made',
  async ({ browserOnce, app2 }) => {
    const context = await (await browserOnce()).newContext({ viewport: { width: 1280, height: 800 } })
    const page = await context.newPage()
    const picture = (name: string) => page.screenshot({ path: join(screenshots, `${name}.png`) })
    await page.goto(app2.url)
    await newConversation(page)
    await typeInCell(page, 'x = 42; print("kept", x)')
    await page.keyboard.press('Shift+Enter')
    await expect(outputOf(page, 0)).toContainText('kept 42')

    await page.getByRole('button', { name: 'Sandboxes' }).click()
    const open = page.getByRole('region', { name: 'Open now' })
    const images = page.getByRole('region', { name: 'Images and templates' })
    await expect(open.getByRole('row', { name: /main.*jail.*ready/ })).toBeVisible()
    await expect(page.getByRole('region', { name: 'Kept ready' })).toContainText('1 of 2 ready')

    await test.step('an image is made with a bar and a log, also while another page is open', async () => {
      await images.getByRole('button', { name: 'Build an image' }).click()
      const dialog = page.getByRole('dialog', { name: 'Build an image' })
      await dialog.getByLabel('Kind of sandbox').selectOption('docker')
      await dialog.getByLabel('Name of the template').fill('credit')
      await dialog.getByLabel('More Debian packages').fill('python3-sklearn --hook')
      await expect(dialog.getByRole('button', { name: 'Build' })).toBeDisabled()
      await dialog.getByLabel('More Debian packages').fill('python3-sklearn jq')
      await picture('sandboxes-build')
      await dialog.getByRole('button', { name: 'Build' }).click()
      await expect(images.getByRole('status')).toHaveText('Building credit')
      app2.store.step({ line: 'Unpacking python3-sklearn (1.2.1) …', done: 0.4 })
      await expect(images.getByRole('progressbar')).toHaveAttribute('value', '0.4')
      await expect(images).toContainText('Unpacking python3-sklearn')
      await picture('sandboxes-building')
      await page.getByRole('button', { name: 'Notebook' }).click()
      app2.store.finish(ok(made))
      await page.getByRole('button', { name: 'Sandboxes' }).click()
      await expect(images.getByRole('status')).toHaveText('credit is ready')
      await expect(images.getByRole('row', { name: /credit.*python3-sklearn, jq.*3fa9c13fa9c1/ })).toBeVisible()
    })

    for (const theme of ['light', 'dark'] as const) {
      await page.locator('html').evaluate((root, to) => root.setAttribute('data-theme', to), theme)
      await picture(`sandboxes-${theme}`)
      const { violations } = await new AxeBuilder({ page }).include('main').analyze()
      expect(violations.map(({ id, nodes }) => `${id} ${nodes[0]?.html}`)).toEqual([])
    }

    await test.step('one with variables is ended after a question', async () => {
      await open.getByRole('button', { name: /End the sandbox of/ }).click()
      const dialog = page.getByRole('dialog', { name: /End the sandbox of .* main/ })
      await expect(dialog).toContainText('Its variables are gone: 1 run made them.')
      await dialog.getByRole('button', { name: 'End the sandbox' }).click()
      await expect(open).toContainText('No sandbox is open')
    })

    await test.step('an image is removed', async () => {
      await images.getByRole('button', { name: 'Remove credit' }).click()
      await page.getByRole('button', { name: 'Remove the image' }).click()
      await expect(images).toContainText('No image yet')
    })
    await page.setViewportSize({ width: 1920, height: 1080 })
    await picture('sandboxes-empty')
    await context.close()
  },
)
