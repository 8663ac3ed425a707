import { systemClock } from '../clock.ts'
import { ok } from '../contract/problem.ts'
import { uuidV7 } from '../ids.ts'
import { localProvider } from './local/local.ts'
import type { Sandbox, SandboxProvider } from './sandbox.ts'

/** A second back end for tests: jails of this machine that pass for virtual machines. */
export function secondProvider(home: string): SandboxProvider {
  const real = localProvider({ home, clock: systemClock, ids: uuidV7(systemClock) })
  const claims = { kind: 'microvm', isolation: 'microvm' } as const
  return {
    kind: claims.kind,
    available: async () => claims.isolation,
    probe: async () => ({
      isolation: claims.isolation,
      probes: [{ name: 'microvm', available: true, detail: 'a jail in disguise' }],
    }),
    warm: language => real.warm(language),
    readOutput: (run, range) => real.readOutput(run, range),
    endOrphans: () => real.endOrphans(),
    close: () => real.close(),
    async open(options, signal) {
      const opened = await real.open(options, signal)
      return opened.ok ? ok(disguised(opened.value)) : opened
    },
  }

  function disguised(sandbox: Sandbox): Sandbox {
    const changed: { [Name in keyof Sandbox]?: Sandbox[Name] | undefined } = {
      ...claims,
      // A copy would be a jail again.
      fork: undefined,
      describe: () => ({ ...sandbox.describe(), ...claims }),
      run: async (...args) => {
        const { kind: as, isolation } = claims
        return { ...(await sandbox.run(...args)), sandbox: as, isolation }
      },
    }
    return new Proxy(sandbox, {
      get(target, key) {
        const value = (key in changed ? changed : target)[key as keyof Sandbox]
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
  }
}
