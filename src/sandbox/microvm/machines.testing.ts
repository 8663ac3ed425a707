import { systemClock } from '../../clock.ts'
import type { Ids } from '../../ids.ts'
import type { SandboxProvider } from '../sandbox.ts'
import { testIds } from '../testing.ts'
import { microvmProvider } from './microvm.ts'

/** Machines from the image that `npm test -- microvm` has made. */
export const testMachines = (home: string, ids: Ids = testIds): SandboxProvider =>
  microvmProvider({
    home,
    machines: process.env.COUNTERSIGN_TEST_MACHINES ?? '/nowhere',
    env: process.env,
    clock: systemClock,
    ids,
  })
