import { describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../clock.ts'
import { attack } from './attack.testing.ts'
import { dockerProvider } from './docker/docker.ts'
import { localProvider } from './local/local.ts'
import { testMachines } from './microvm/machines.testing.ts'
import type { SandboxProvider } from './sandbox.ts'
import { temporaryHome, testIds } from './testing.ts'

/** Every back end that confines code is attacked by the same programs. A new one adds a line here. */
const providers: Record<string, (home: string) => SandboxProvider> = {
  local: home => localProvider({ home, clock: systemClock, ids: testIds }),
  ...(process.env.COUNTERSIGN_TEST_ENGINE
    ? {
        docker: home =>
          dockerProvider({
            home,
            clock: systemClock,
            ids: testIds,
            env: { DOCKER_HOST: process.env.COUNTERSIGN_TEST_ENGINE },
          }),
      }
    : {}),
  ...(process.env.COUNTERSIGN_TEST_MACHINES ? { microvm: testMachines } : {}),
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
      expect(failures).toEqual([])
      expect(programs).toBeGreaterThanOrEqual(100)
      expect(replaced).toEqual([])
      await expect.poll(() => makeProvider(home).endOrphans(), { timeout: 10_000 }).toBe(0)
      // Emulated machines need minutes for it, and more on a busy machine.
    },
    kind === 'microvm' ? 1_200_000 : 300_000,
  )
})
