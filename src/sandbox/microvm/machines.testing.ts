import { systemClock } from '../../clock.ts'
import type { SandboxProvider } from '../sandbox.ts'
import { testIds } from '../testing.ts'
import { type MicrovmOptions, microvmProvider } from './microvm.ts'

/** Machines from the image that `npm test -- microvm` has made. */
export const testMachines = (home: string, own: Partial<MicrovmOptions> = {}): SandboxProvider =>
  microvmProvider({
    home,
    machines: process.env.COUNTERSIGN_TEST_MACHINES ?? '/nowhere',
    env: process.env,
    clock: systemClock,
    ids: testIds,
    ...own,
  })
