import { describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../clock.ts'
import { attack } from './attack.testing.ts'
import { testContainers, testUserSpaceKernels } from './docker/engine.testing.ts'
import { localProvider } from './local/local.ts'
import { testMachines } from './microvm/machines.testing.ts'
import type { SandboxProvider } from './sandbox.ts'
import { temporaryHome, testIds } from './testing.ts'

/** Every back end that confines code is attacked by the same programs. A new one adds a line here. */
const providers: Record<string, (home: string) => SandboxProvider> = {
  local: home => localProvider({ home, clock: systemClock, ids: testIds }),
  ...testContainers(),
  ...testUserSpaceKernels(),
  ...(process.env.COUNTERSIGN_TEST_MACHINES ? { microvm: testMachines } : {}),
}

/**
 * What gVisor shows or accepts without any effect: where memory lies but not what is in it, a number that it ignores, and
 * descriptors of the supervisor that lead nowhere. Its link to the host is not among them; gvisor.test.ts sees to that.
 */
const harmless: Record<string, readonly string[]> = {
  gvisor: [
    'reads and writes the memory of the first process: BREACH /proc/1/maps',
    'opens the descriptors of the first process: BREACH 0',
    'protects itself from being chosen when memory is short: BREACH',
    // Counts for the container and not for the run: gvisor.test.ts sees to the container's limit.
    'takes memory that is shared and gives its pages back: BREACH 1 GB',
  ],
}

describe.each(Object.entries(providers))('a hundred hostile programs in the %s sandbox', (kind, makeProvider) => {
  it(
    'get nothing, harm nothing and leave nothing',
    async () => {
      const { home, remove } = await temporaryHome()
      onTestFinished(remove)
      const provider = makeProvider(home)
      const { programs, failures, replaced } = await attack(async limits => {
        const opened = await provider.open({ limits }, new AbortController().signal)
        if (!opened.ok) throw new Error(opened.problem.message)
        return opened.value
      })
      await provider.close()
      expect(failures.filter(failure => !harmless[kind]?.includes(failure))).toEqual([])
      expect(programs).toBeGreaterThanOrEqual(100)
      // Behind gVisor, programs that kill or take memory without end were seen to end their own sandbox.
      if (kind !== 'gvisor') expect(replaced).toEqual([])
      await expect.poll(() => makeProvider(home).endOrphans()).toBe(0)
      // Emulated machines need minutes for it, and more on a busy machine.
    },
    kind === 'docker' || kind === 'local' ? 300_000 : 1_200_000,
  )
})
