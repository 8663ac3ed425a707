import { systemClock } from '../../clock.ts'
import type { SandboxProvider } from '../sandbox.ts'
import { testIds } from '../testing.ts'
import { dockerProvider } from './docker.ts'

/** Containers in the engine that `npm test -- docker` starts with the image in it; none elsewhere. */
export function testContainers(): Record<string, (home: string) => SandboxProvider> {
  const host = process.env.COUNTERSIGN_TEST_ENGINE
  if (!host) return {}
  const made = { clock: systemClock, ids: testIds, env: { DOCKER_HOST: host } }
  return { docker: home => dockerProvider({ ...made, home }) }
}

/** The same behind gVisor, where the tests found it installed. */
export function testUserSpaceKernels(): Record<string, (home: string) => SandboxProvider> {
  const host = process.env.COUNTERSIGN_TEST_GVISOR
  if (!host) return {}
  const made = { clock: systemClock, ids: testIds, env: { DOCKER_HOST: host }, runtime: 'runsc' as const }
  return { gvisor: home => dockerProvider({ ...made, home }) }
}
