import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    // Left to itself it keeps a core free, which on a machine with two leaves one.
    maxWorkers: 2,
    projects: [
      {
        test: {
          name: 'engine',
          environment: 'node',
          include: ['src/**/*.test.ts', 'electron/**/*.test.ts', 'resources/**/*.test.ts', 'scripts/**/*.test.ts'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'renderer',
          environment: 'happy-dom',
          include: ['renderer/**/*.test.ts', 'renderer/**/*.test.tsx'],
          testTimeout: 30_000,
        },
      },
    ],
  },
})
