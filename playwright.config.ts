import { defineConfig } from '@playwright/test'

/** The same scenarios through both doors: `e2e/app.ts` opens the application, the scenarios cannot tell which it is. */
export default defineConfig({
  testDir: 'e2e',
  outputDir: 'e2e/results',
  timeout: 90_000,
  expect: { timeout: 15_000 },
  // An application, its sandboxes and a browser fill two cores: a second scenario beside the first made both stumble.
  workers: 1,
  // A second try for a machine that stalls; what needed it is named at the end of `npm test`.
  retries: 1,
  projects: [
    { name: 'browser', testIgnore: /desktop\.spec\.ts/ },
    // The page is the same behind both doors; what the door itself does, and the first story, are seen in its window.
    { name: 'electron', testMatch: /(first-light|desktop)\.spec\.ts/ },
  ],
})
