import fc from 'fast-check'

/** The seed for tests that draw their samples themselves. They name it when they fail. */
export const testSeed = (): number => fc.readConfigureGlobal()?.seed ?? Math.floor(Math.random() * 2 ** 31)
