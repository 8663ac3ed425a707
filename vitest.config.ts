import { defineConfig } from 'vitest/config'

/** Tests that hold what a process has only once: children, signals, a native library, a grammar not yet loaded. */
const ownProcess = [
  'src/sandbox/**/*.test.ts',
  'src/runs/*.test.ts',
  'src/privacy/names/*.test.ts',
  'src/guard/here.test.ts',
  'src/audit/faults.test.ts',
]

/** Tests that put something else in the place of a module: one that another file has loaded already stays as it is. */
const withMocks = {
  engine: ['src/privacy/scanner/sieve.test.ts'],
  renderer: [
    'renderer/review/answering.test.tsx',
    'renderer/inspector/files.test.ts',
    'renderer/output/markdown/parser.test.ts',
    'renderer/notebook/typing.test.ts',
  ],
}

export default defineConfig({
  test: {
    // Left to itself it keeps a core free, which on a machine with two leaves one.
    maxWorkers: 2,
    // Only what hangs may run into these: a machine that does other work beside is slow, not wrong.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    // As `guard/tree/reader.ts` does for the application: many threads of one process load the same grammars here.
    execArgv: ['--no-wasm-code-gc'],
    projects: [
      {
        extends: true,
        test: {
          name: 'engine',
          environment: 'node',
          include: ['src/**/*.test.ts', 'electron/**/*.test.ts', 'resources/**/*.test.ts', 'scripts/**/*.test.ts'],
          exclude: [...ownProcess, ...withMocks.engine],
          // One process for many files: starting one and loading the engine into it takes half a second each time.
          isolate: false,
        },
      },
      {
        extends: true,
        test: { name: 'process', environment: 'node', include: [...ownProcess, ...withMocks.engine] },
      },
      {
        extends: true,
        test: {
          name: 'renderer',
          environment: 'happy-dom',
          include: ['renderer/**/*.test.ts', 'renderer/**/*.test.tsx'],
          exclude: withMocks.renderer,
          isolate: false,
        },
      },
      {
        extends: true,
        test: { name: 'renderer-mocks', environment: 'happy-dom', include: withMocks.renderer },
      },
    ],
  },
})
