/**
 * From the click on an analysis of the catalogue to the frame that shows its form, each opened for the first time in
 * that process. Under 200 ms is wanted of all. Prints one line of JSON.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serve, summary } from './app.ts'

const home = mkdtempSync(join(tmpdir(), 'countersign-bench-'))
const app = await serve(home)
const { page } = app
try {
  await page.getByRole('button', { name: 'New conversation' }).first().click()
  await page.getByRole('button', { name: 'Run analysis' }).click()
  await page.getByRole('region', { name: 'Catalogue of analyses' }).waitFor()
  const opened = await page.evaluate(async () => {
    const times: { title: string; ms: number }[] = []
    const buttons = document.querySelectorAll<HTMLButtonElement>(
      'section[aria-label="Catalogue of analyses"] li button',
    )
    for (const button of buttons) {
      const title = button.querySelector('strong')?.textContent ?? ''
      const begun = performance.now()
      button.click()
      // The heading names the analysis, and its form can be sent off.
      const isShown = () => {
        const calculate = document.querySelector('[role="tabpanel"] button[type="submit"]')
        return calculate !== null && document.querySelector('main h2')?.textContent === title
      }
      while (!isShown()) {
        if (performance.now() - begun > 5000) throw new Error(`the form of ${title} did not open`)
        await new Promise(requestAnimationFrame)
      }
      times.push({ title, ms: performance.now() - begun })
    }
    return times
  })
  const { median, p95 } = summary(opened.map(each => each.ms))
  const slowest = opened.reduce((a, b) => (b.ms > a.ms ? b : a))
  process.stdout.write(
    `${JSON.stringify({ forms: opened.length, median, p95, slowest: { ...slowest, ms: Math.round(slowest.ms) }, under200: opened.every(each => each.ms < 200) })}\n`,
  )
} finally {
  await app.close()
  rmSync(home, { recursive: true, force: true })
}
