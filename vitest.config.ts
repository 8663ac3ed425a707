import { defineConfig } from 'vitest/config'

/** Tests that hold what a process has only once: children, signals, a native library, a grammar not yet loaded. */
const ownProcess = [
  'src/sandbox/**/*.test.ts',
  'src/runs/*.test.ts',
  'src/privacy/names/*.test.ts',
  'src/guard/here.test.ts',
  'src/audit/faults.test.ts',
]

export default defineConfig({
  test: {
    // Left to itself it keeps a core free, which on a machine with two leaves one.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'engine',
          environment: 'node',
          include: ['src/**/*.test.ts', 'electron/**/*.test.ts', 'resources/**/*.test.ts', 'scripts/**/*.test.ts'],
          exclude: ownProcess,
          // One process for many files: starting one and loading the engine into it takes half a second each time.
          isolate: false,
        },
      },
      {
        extends: true,
        test: { name: 'process', environment: 'node', include: ownProcess },
      },
      {
        extends: true,
        test: {
          name: 'renderer',
          environment: 'happy-dom',
          include: ['renderer/**/*.test.ts', 'renderer/**/*.test.tsx'],
          isolate: false,
        },
      },
    ],
  },
})
