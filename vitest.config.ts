import { defineConfig } from 'vitest/config'

/** Tests that hold what a process has only once: children, signals, a native library, a grammar not yet loaded. */
const ownProcess = [
  'src/sandbox/**/*.test.ts',
  'src/runs/*.test.ts',
  'src/privacy/names/*.test.ts',
  'src/guard/here.test.ts',
  'src/audit/faults.test.ts',
]

/** Tests that a part of their own in `npm test` has, with the engine or machine that it makes; without it they are not there. */
const ofParts = {
  COUNTERSIGN_TEST_ENGINE_DATA: ['src/sandbox/docker/engines.test.ts', 'src/sandbox/docker/registry.test.ts'],
  COUNTERSIGN_TEST_MACHINES: ['src/sandbox/microvm/machines.test.ts'],
  COUNTERSIGN_TEST_CONFORMANCE: ['src/mcp/conformance.test.ts'],
}
const elsewhere = Object.entries(ofParts).flatMap(([name, files]) => (process.env[name] ? [] : files))

/** Only what hangs may run into it: a machine that does other work beside is slow, not wrong, and emulation is slow by itself. */
const limitMs = process.env.COUNTERSIGN_TEST_MACHINES ? 1_200_000 : 600_000

/** Tests that put something else in the place of a module: one that another file has loaded already stays as it is. */
const withMocks = {
  engine: ['src/privacy/scanner/sieve.test.ts'],
  renderer: [
    'renderer/review/answering.test.tsx',
    'renderer/inspector/files.test.ts',
    'renderer/output/markdown/parser.test.ts',
    'renderer/notebook/path-data.test.ts',
    'renderer/notebook/typing.test.ts',
  ],
}

export default defineConfig({
  test: {
    // Left to itself it keeps a core free, which on a machine with two leaves one.
    maxWorkers: 2,
    // Another seed each time, unless `scripts/soak-random.mjs` or somebody who looks for a failure gives one.
    ...(process.env.COUNTERSIGN_TEST_SEED ? { runner: './scripts/random-runner.mjs' } : {}),
    testTimeout: limitMs,
    hookTimeout: limitMs,
    expect: { poll: { timeout: 120_000 } },
    // As `guard/tree/reader.ts` does for the application: many threads of one process load the same grammars here.
    execArgv: ['--no-wasm-code-gc'],
    projects: [
      {
        extends: true,
        test: {
          name: 'engine',
          environment: 'node',
          include: ['src/**/*.test.ts', 'electron/**/*.test.ts', 'resources/**/*.test.ts', 'scripts/**/*.test.ts'],
          exclude: [...ownProcess, ...withMocks.engine, ...elsewhere],
          // One process for many files: starting one and loading the engine into it takes half a second each time.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'process',
          environment: 'node',
          include: [...ownProcess, ...withMocks.engine],
          exclude: elsewhere,
        },
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
