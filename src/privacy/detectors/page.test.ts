import { expect, it } from 'vitest'
import { detectorsPage } from './page.ts'

it('docs/privacy-detectors.md is what the detectors say', async () => {
  // After a change: `npx vitest run --project engine src/privacy/detectors/page.test.ts -u`.
  await expect(detectorsPage()).toMatchFileSnapshot('../../../docs/privacy-detectors.md')
})
