import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type BackEnd, isAtLeast, type SandboxFacts, sandboxTypes, type WantedPlace } from '../contract/placement.ts'
import { Policy, type PolicyInput, tooWeak } from '../contract/policy.ts'
import { fail, ok } from '../contract/problem.ts'
import { isolations, Limits, type RiskLevel, riskLevels, sandboxKinds } from '../contract/run.ts'
import { place, placeForFiles, type Surroundings, unplaceable } from './place.ts'

const backEnd = (change: Partial<BackEnd>): BackEnd => ({
  kind: 'local',
  isolation: 'jail',
  image: null,
  available: true,
  detail: 'here',
  ...change,
})
const system = { name: 'system', version: '3.11.2', digest: 'd' }
const jail = backEnd({})
const open = backEnd({ isolation: 'unconfined' })
const docker = backEnd({ kind: 'docker', isolation: 'container', image: 'sha256:abc' })
const microvm = backEnd({ kind: 'microvm', isolation: 'microvm' })
const emulated = { ...microvm, emulated: true }
const cloud = backEnd({ kind: 'e2b', isolation: 'cloud' })
const missing = (each: BackEnd) => ({ ...each, available: false, detail: 'No daemon answers.', hint: 'Start Docker.' })

const factsOf = ({ kind, isolation, image }: BackEnd): SandboxFacts => ({
  kind,
  isolation,
  image,
  environment: null,
  mounts: [],
})

const around = (
  backEnds: readonly BackEnd[],
  {
    policy = {},
    current = null,
    before = null,
    ...rest
  }: { policy?: PolicyInput; current?: BackEnd | null; before?: BackEnd | null } & Partial<
    Pick<Surroundings, 'type' | 'environment'>
  > = {},
): Surroundings => ({
  policy: Policy.parse(policy),
  type: 'auto',
  granted: [],
  backEnds,
  environment: ok(system),
  current: current && factsOf(current),
  before: before && factsOf(before),
  ...rest,
})
const wishes = (risk: RiskLevel) => ({ risk, limits: Limits.parse({}), network: [] })

describe('a machine that is only emulated', () => {
  it.each(riskLevels)('is not chosen for code of %s risk by itself', risk => {
    const placed = place(wishes(risk), around([jail, docker, emulated]))
    expect(placed.kind === 'placed' && placed.placement.kind).not.toBe('microvm')
    expect(place(wishes(risk), around([jail, emulated], { current: jail }))).toMatchObject({
      kind: 'placed',
      placement: { kind: 'local' },
    })
  })

  it('is given to who asks for it, with a word on how slow it is', () => {
    const placed = place(wishes('low'), around([jail, emulated], { type: 'microvm' }))
    expect(placed).toMatchObject({
      placement: { kind: 'microvm', warnings: [expect.stringContaining('10 to 15 times slower')] },
    })
    const again = place(wishes('low'), around([jail, emulated], { before: emulated }))
    expect(again).toMatchObject({ kind: 'placed', placement: { kind: 'microvm' } })
  })

  it('does for a policy that wants a machine only when it is asked for', () => {
    const policy: PolicyInput = { minimumIsolation: { critical: 'microvm' } }
    expect(place(wishes('critical'), around([jail, emulated], { policy }))).toMatchObject({
      kind: 'refused',
      problem: { code: 'sandbox.unavailable', hint: expect.stringContaining('Choose microvm by name') },
    })
    expect(place(wishes('critical'), around([jail, emulated], { policy, type: 'microvm' }))).toMatchObject({
      kind: 'placed',
      placement: { isolation: 'microvm' },
    })
  })
})

describe('a placement that the author of the code wants', () => {
  const wanting = (placement: WantedPlace) => ({ ...wishes('low'), placement })

  it('takes the quickest sandbox that isolates enough', () => {
    expect(place(wanting({ isolation: 'container' }), around([jail, docker, microvm]))).toMatchObject({
      placement: { kind: 'docker', warnings: [] },
    })
    // Also where the settings ask for less.
    expect(place(wanting({ isolation: 'microvm' }), around([jail, docker, microvm], { type: 'docker' }))).toMatchObject(
      { placement: { kind: 'microvm', warnings: [] } },
    )
  })

  it('takes the one that is named, and no other in its place', () => {
    expect(place(wanting({ kind: 'docker' }), around([jail, docker]))).toMatchObject({ placement: { kind: 'docker' } })
    expect(place(wanting({ kind: 'docker' }), around([jail, missing(docker), microvm]))).toMatchObject({
      kind: 'refused',
      problem: {
        message: 'The placement (docker) cannot be had here: No daemon answers.',
        hint: 'Start Docker.',
      },
    })
  })

  it.each([
    ['that isolates too little', { kind: 'local', isolation: 'microvm' }, [jail, microvm], 'local gives jail here.'],
    ['that is not there', { isolation: 'microvm' }, [jail, missing(microvm)], 'No daemon answers.'],
    ['that is only emulated', { isolation: 'microvm' }, [jail, emulated], 'only where it is asked for by name'],
    ['of a machine without any jail', { isolation: 'jail' }, [open], 'nothing of the kind'],
    ['that the policy forbids', { kind: 'e2b' }, [jail, cloud], 'does not let code and files leave'],
  ] as const)('is refused for a sandbox %s', (_what, placement, backEnds, why) => {
    expect(unplaceable({ placement, risk: 'low', limits: Limits.parse({}) }, around(backEnds))?.message).toContain(why)
  })

  it('moves code on from a sandbox that is less, or of another kind', () => {
    const here = { current: jail }
    expect(place(wanting({ isolation: 'container' }), around([jail, docker], here))).toMatchObject({
      kind: 'short',
      placement: { kind: 'docker' },
      why: 'It is to run in at least a container, and this sandbox (local) is jail.',
    })
    expect(place(wanting({ isolation: 'jail' }), around([jail, docker], here))).toMatchObject({ kind: 'placed' })
    // Stronger ones are here, but this kind was asked for: it stays.
    expect(
      place({ ...wanting({ kind: 'local' }), risk: 'high' }, around([jail, docker], { current: jail })),
    ).toMatchObject({ kind: 'placed', placement: { kind: 'local' } })
  })

  it('is never less than it says, nor less than the policy wants', () => {
    const least = ['jail', 'container', 'user-space kernel', 'microvm'] as const
    const each = fc.constantFrom(...[jail, open, docker, microvm, emulated, cloud].flatMap(one => [one, missing(one)]))
    const wanted = fc.record(
      { isolation: fc.constantFrom(...least), kind: fc.constantFrom(...sandboxKinds) },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(
        ...[wanted, fc.uniqueArray(each, { selector: one => one.kind }), fc.constantFrom(...riskLevels)],
        ...[fc.constantFrom(...least), fc.constantFrom(...sandboxTypes), fc.boolean()],
        (placement, backEnds, risk, minimum, type, allowed) => {
          const policy = Policy.parse({ cloud: allowed, minimumIsolation: { [risk]: minimum } })
          const placed = place({ ...wishes(risk), placement }, around(backEnds, { policy, type }))
          if (placed.kind === 'refused') return
          const { kind, isolation } = placed.placement
          if (placement.kind) expect(kind).toBe(placement.kind)
          if (placement.isolation) expect(isAtLeast(isolation, placement.isolation)).toBe(true)
          expect(tooWeak(policy, risk, isolation)).toBeNull()
          expect(backEnds.find(one => one.kind === kind)?.available).toBe(true)
        },
      ),
    )
  })
})

describe('a user-space kernel', () => {
  const gvisor = { ...docker, kind: 'gvisor', isolation: 'user-space kernel' } as const
  const policy: PolicyInput = { minimumIsolation: { critical: 'microvm' } }

  it('stands between a container and a machine', () => {
    expect(place(wishes('high'), around([jail, docker, gvisor]))).toMatchObject({ placement: { kind: 'gvisor' } })
    expect(place(wishes('high'), around([jail, gvisor, microvm]))).toMatchObject({ placement: { kind: 'microvm' } })
    expect(place(wishes('low'), around([docker, gvisor]))).toMatchObject({ placement: { kind: 'docker' } })
  })

  it('does where a machine is wanted only if the policy says so', () => {
    expect(place(wishes('critical'), around([jail, gvisor], { policy }))).toMatchObject({ kind: 'refused' })
    expect(place(wishes('critical'), around([jail, gvisor], { policy, type: 'gvisor' }))).toMatchObject({
      kind: 'refused',
    })
    const lenient = { ...policy, userSpaceKernelAsMicrovm: true }
    expect(place(wishes('critical'), around([jail, gvisor], { policy: lenient }))).toMatchObject({
      kind: 'placed',
      placement: { kind: 'gvisor', isolation: 'user-space kernel' },
    })
    expect(place(wishes('critical'), around([jail, docker], { policy: lenient }))).toMatchObject({ kind: 'refused' })
  })
})

describe('risk chooses the sandbox', () => {
  it.each([
    ['low', 'local'],
    ['medium', 'local'],
    ['high', 'microvm'],
    ['critical', 'microvm'],
  ] as const)('of code of %s risk: %s', (risk, kind) => {
    const placed = place(wishes(risk), around([jail, docker, microvm]))
    expect(placed).toMatchObject({ kind: 'placed', placement: { kind, warnings: [] } })
    expect(placed.kind === 'placed' && placed.placement.reasons.join()).toContain(risk)
  })

  it('takes the quickest that the policy allows for that risk', () => {
    const policy = { minimumIsolation: { low: 'container' as const } }
    expect(place(wishes('low'), around([jail, docker, microvm], { policy }))).toMatchObject({
      placement: { kind: 'docker', isolation: 'container', image: 'sha256:abc' },
    })
  })

  it('gives the run what it asked for in limits and network', () => {
    const limits = Limits.parse({ timeoutMs: 7 })
    expect(place({ risk: 'low', limits, network: ['a.example:443'] }, around([jail]))).toMatchObject({
      placement: { limits, network: ['a.example:443'] },
    })
  })
})

describe('the cloud', () => {
  it.each(riskLevels)('is never taken for code of %s risk unless the policy says so', risk => {
    expect(place(wishes(risk), around([jail, cloud]))).toMatchObject({ placement: { kind: 'local' } })
    expect(place(wishes(risk), around([cloud]))).toMatchObject({ kind: 'refused' })
    expect(place(wishes(risk), around([jail, cloud], { type: 'e2b' }))).toMatchObject({
      placement: { kind: 'local', warnings: [expect.stringContaining('does not let code and files leave')] },
    })
  })

  it('is taken where the policy allows it and it is asked for, or nothing on this machine will do', () => {
    const policy = { cloud: true, minimumIsolation: { critical: 'microvm' as const } }
    expect(place(wishes('low'), around([jail, cloud], { policy, type: 'e2b' }))).toMatchObject({
      placement: { kind: 'e2b' },
    })
    expect(place(wishes('critical'), around([jail, cloud], { policy }))).toMatchObject({ placement: { kind: 'e2b' } })
    expect(place(wishes('high'), around([jail, cloud], { policy }))).toMatchObject({ placement: { kind: 'local' } })
  })
})

describe('a missing back end', () => {
  it('is replaced with a warning that says why and what is lost', () => {
    const placed = place(wishes('low'), around([jail, missing(docker)], { type: 'docker' }))
    expect(placed).toMatchObject({
      placement: {
        kind: 'local',
        warnings: [
          'docker is not available here (No daemon answers); local is used in its place, which isolates less.',
        ],
      },
    })
  })

  it('is not replaced by less than the policy allows; the refusal says how to get more', () => {
    const policy = { minimumIsolation: { high: 'container' as const } }
    expect(place(wishes('high'), around([jail, missing(docker)], { policy }))).toMatchObject({
      kind: 'refused',
      problem: {
        code: 'sandbox.unavailable',
        message: 'The policy wants at least container for code of high risk, and only jail can be had here.',
        hint: 'Start Docker.',
      },
    })
  })

  it('leaves a machine without a jail unconfined, with a warning, unless something confines', () => {
    expect(place(wishes('low'), around([open]))).toMatchObject({
      placement: { isolation: 'unconfined', warnings: [expect.stringContaining('unconfined')] },
    })
    expect(place(wishes('low'), around([open, docker]))).toMatchObject({ placement: { kind: 'docker' } })
    expect(place(wishes('low'), around([open, docker], { type: 'local' }))).toMatchObject({
      placement: { kind: 'docker' },
    })
  })
})

describe('a path that has a sandbox', () => {
  it('keeps it, whatever would be quicker or stronger for a new one', () => {
    expect(place(wishes('low'), around([jail, docker], { current: docker }))).toMatchObject({
      placement: { kind: 'docker', image: 'sha256:abc' },
    })
    expect(place(wishes('medium'), around([jail, docker], { current: jail }))).toMatchObject({
      placement: { kind: 'local' },
    })
    expect(place(wishes('high'), around([jail, docker], { current: jail, type: 'docker' }))).toMatchObject({
      placement: { kind: 'local' },
    })
  })

  it('is short for code that the risk or the policy sends to a stronger one', () => {
    expect(place(wishes('high'), around([jail, docker], { current: jail }))).toMatchObject({
      kind: 'short',
      current: { kind: 'local' },
      placement: { kind: 'docker' },
      why: expect.stringContaining('strongest sandbox of this machine (container)'),
    })
    const policy = { minimumIsolation: { low: 'container' as const } }
    expect(place(wishes('low'), around([jail, docker], { current: jail, policy }))).toMatchObject({ kind: 'short' })
  })

  it('takes files, or says that the policy changed under it', () => {
    const limits = Limits.parse({})
    expect(placeForFiles(limits, around([jail, docker], { current: docker }))).toMatchObject({
      value: { kind: 'docker' },
    })
    const policy = { minimumIsolation: { low: 'microvm' as const } }
    expect(placeForFiles(limits, around([jail, microvm], { current: jail, policy }))).toMatchObject({
      problem: { code: 'sandbox.too-weak' },
    })
    expect(placeForFiles(limits, around([jail], { policy }))).toMatchObject({
      problem: { code: 'sandbox.unavailable' },
    })
  })
})

describe('a path whose sandbox has ended', () => {
  it('does not fall back to a weaker kind by itself, as long as that is there', () => {
    expect(place(wishes('low'), around([jail, docker], { before: docker }))).toMatchObject({
      placement: { kind: 'docker', reasons: ['This path was in a container before.'] },
    })
    expect(place(wishes('low'), around([jail, missing(docker)], { before: docker }))).toMatchObject({
      placement: { kind: 'local' },
    })
    expect(place(wishes('high'), around([jail, docker], { before: jail }))).toMatchObject({
      placement: { kind: 'docker' },
    })
  })
})

describe('whatever is here and whatever the policy says', () => {
  const backEnds = fc.uniqueArray(
    fc.record({
      kind: fc.constantFrom(...sandboxKinds),
      isolation: fc.constantFrom(...isolations),
      image: fc.constant(null),
      available: fc.boolean(),
      detail: fc.constant('so'),
    }),
    { selector: each => each.kind },
  )
  const level = fc.constantFrom('jail' as const, 'container' as const, 'microvm' as const, 'cloud' as const)
  const policies = fc.record({
    minimumIsolation: fc.record({ low: level, medium: level, high: level, critical: level }),
    cloud: fc.boolean(),
  })

  it('nothing runs in less than the policy allows, in what is not there, or elsewhere without a word', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...sandboxTypes),
        fc.constantFrom(...riskLevels),
        backEnds,
        policies,
        fc.option(fc.nat(3)),
        (type, risk, found, policy, at) => {
          const current = at === null ? null : (found[at] ?? null)
          const placed = place(wishes(risk), around(found, { type, policy, current }))
          if (placed.kind === 'refused') return
          const { placement } = placed
          expect(tooWeak(Policy.parse(policy), risk, placement.isolation)).toBeNull()
          if (placed.kind === 'placed' && current) expect(placement.kind).toBe(current.kind)
          else expect(found).toContainEqual(expect.objectContaining({ kind: placement.kind, available: true }))
          if (!current && type !== 'auto' && placement.kind !== type) expect(placement.warnings).not.toEqual([])
          // A path may have been sent to the cloud before the policy said no.
          if (placed.kind === 'short' && placed.current.isolation !== 'cloud')
            expect(isAtLeast(placed.current.isolation, placement.isolation)).toBe(false)
          if (placement.isolation === 'cloud') expect(policy.cloud).toBe(true)
        },
      ),
      { numRuns: 500 },
    )
  })
})

describe('the chosen environment', () => {
  const chosen = { name: 'risk models', version: '3.12.1', digest: 'e' }

  it('goes into the placement of a sandbox on this machine', () => {
    const placed = place(wishes('low'), around([jail], { environment: ok(chosen) }))
    expect(placed).toMatchObject({ kind: 'placed', placement: { environment: chosen, warnings: [] } })
  })

  it('does not reach another machine or an image, and the person is told', () => {
    const placed = place(wishes('low'), around([docker], { environment: ok(chosen) }))
    expect(placed).toMatchObject({ kind: 'placed', placement: { environment: null } })
    expect(placed.kind === 'placed' && placed.placement.warnings.join()).toContain('risk models')
  })

  it('refuses the run where it cannot be had, instead of using another', () => {
    const gone = fail('environment.unknown', 'It is gone.', 'Choose another.')
    expect(place(wishes('low'), around([jail], { environment: gone }))).toMatchObject({
      kind: 'refused',
      problem: { code: 'environment.unknown' },
    })
  })
})
