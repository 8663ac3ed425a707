import { describe, expect, it } from 'vitest'
import { attacks } from './attacks.testing.ts'
import { noNamespace, runInside } from './namespace.testing.ts'

const missing = noNamespace()

interface Battery {
  readonly attacks: number
  readonly found: { attack: string; what: string }[]
  readonly controlProblems: string[]
  readonly alive: boolean
  readonly questions: number
  readonly reachedWhileRebinding: number
  readonly logged: number
}

interface Load {
  readonly together: number[]
  readonly resident: number[]
  readonly floodMb: number
  readonly slowAnswer: boolean
  readonly servedMeanwhile: boolean
  readonly servedBetween: number
  readonly crumbsMb: number
  readonly crumbsWhole: number
}

describe('the egress proxy, in a namespace in which every address is local', () => {
  it('is attacked in many ways', () => {
    expect(attacks.length).toBeGreaterThan(1500)
    expect(new Set(attacks.map(each => each.name)).size).toBe(attacks.length)
  })

  it.skipIf(missing)(
    'connects nowhere but where it may, and asks for no other name',
    async () => {
      const battery = await runInside<Battery>('src/network/attack/battery.testing.ts', ['300'], 150_000)
      expect(battery.controlProblems).toEqual([])
      expect(battery.found).toEqual([])
      expect(battery.attacks).toBe(attacks.length)
      expect(battery.questions).toBeGreaterThan(500)
      // Those whose answer happened to be a public address went through: the others were refused for their address.
      expect(battery.reachedWhileRebinding).toBeGreaterThan(20)
      expect(battery.alive).toBe(true)
      // Every attack left a line, whatever it was.
      expect(battery.logged).toBeGreaterThanOrEqual(attacks.length)
    },
    180_000,
  )

  it.skipIf(missing)(
    'serves a thousand at once, slow and silent ones, in bounded memory',
    async () => {
      const load = await runInside<Load>('src/network/attack/load.testing.ts', ['2'], 150_000)
      expect(load.together).toEqual([1000, 1000])
      expect(load.slowAnswer).toBe(true)
      expect(load.servedMeanwhile).toBe(true)
      expect(Math.max(...load.resident)).toBeLessThan(400)
      expect(load.floodMb).toBeLessThan(100)
      expect(load.crumbsWhole).toBe(8_000_000)
      expect(load.servedBetween).toBeGreaterThan(0)
      expect(load.crumbsMb).toBeLessThan(100)
    },
    180_000,
  )

  // Says so in the report of the tests, where it cannot be shown.
  if (missing) it.skip(`is not attacked here: ${missing}`)
})
