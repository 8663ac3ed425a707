import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ManualClock } from '../clock.testing.ts'
import { Settings } from '../contract/settings.ts'
import { temporaryFolder } from '../storage/testing.ts'
import { resolveSettings } from './layers.ts'
import { openSettings } from './settings.ts'

const open = (home: string, env: NodeJS.ProcessEnv = {}) => openSettings(home, env, new ManualClock())

describe('settings', () => {
  it('lets the screen win over the environment, the environment over the file, the file over the default', () => {
    const home = temporaryFolder()
    writeFileSync(
      join(home, 'config.json'),
      JSON.stringify({ sandbox: { timeoutSeconds: 5, pool: 1, memoryMegabytes: 128 } }),
    )
    const settings = open(home, {
      COUNTERSIGN_SANDBOX_TIMEOUT_SECONDS: '7',
      SANDBOX_TYPE: 'local',
      COUNTERSIGN_SANDBOX_POOL: '3',
    })
    expect(settings.change({ sandbox: { pool: 4 } }).ok).toBe(true)
    expect(settings.current.sandbox).toMatchObject({ timeoutSeconds: 7, pool: 4, memoryMegabytes: 128, type: 'local' })
    expect(settings.view().origins).toMatchObject({
      'sandbox.pool': 'screen',
      'sandbox.type': 'environment',
      'sandbox.memoryMegabytes': 'file',
    })
  })

  it('takes back what the screen had set, and shows the layer below again', () => {
    const home = temporaryFolder()
    const settings = open(home, { COUNTERSIGN_SANDBOX_POOL: '3' })
    settings.change({ sandbox: { pool: 4, timeoutSeconds: 9 } })
    expect(settings.change({ sandbox: { pool: null, timeoutSeconds: null } }).ok).toBe(true)
    expect(settings.current.sandbox).toMatchObject({ pool: 3, timeoutSeconds: 60 })
    expect(settings.view().origins).toEqual({ 'sandbox.pool': 'environment' })
    expect(open(home).current.sandbox.pool).toBe(2)
  })

  it('remembers a change over a restart', () => {
    const home = temporaryFolder()
    open(home).change({ appearance: { theme: 'dark' } })
    expect(open(home).current.appearance.theme).toBe('dark')
  })

  it('sets a damaged file aside, says so and goes on with defaults', () => {
    const home = temporaryFolder()
    writeFileSync(join(home, 'settings.json'), '{"sandbox": {"pool"')
    const settings = open(home)
    expect(settings.current).toEqual(Settings.parse({}))
    expect(settings.problems.map(each => each.code)).toEqual(['settings.corrupt'])
    const aside = readdirSync(home).find(name => name.startsWith('settings.json.damaged'))
    expect(readFileSync(join(home, aside ?? ''), 'utf8')).toBe('{"sandbox": {"pool"')
  })

  it('refuses a value out of bounds and changes nothing', () => {
    const settings = open(temporaryFolder())
    const outcome = settings.change({ sandbox: { timeoutSeconds: 601 } })
    expect(outcome).toMatchObject({ ok: false, problem: { code: 'settings.invalid' } })
    expect(settings.current.sandbox.timeoutSeconds).toBe(60)
  })

  it('says that it could not save, and keeps what was in force', () => {
    const home = join(temporaryFolder(), 'home')
    const settings = open(home)
    // A folder where the new file should be written fails for root too.
    mkdirSync(join(home, 'settings.json.new'), { recursive: true })
    expect(settings.change({ sandbox: { pool: 5 } })).toMatchObject({
      ok: false,
      problem: { code: 'settings.unwritable' },
    })
    expect(settings.current.sandbox.pool).toBe(2)
  })

  it('makes whole settings of whatever a file holds', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.dictionary(fc.string(), fc.jsonValue())), layer => {
        const { settings } = resolveSettings({ file: { sandbox: layer.sandbox ?? {}, ...layer } })
        expect(Settings.safeParse(settings).success).toBe(true)
      }),
    )
  })

  it('takes the names by which E2B itself is set up', () => {
    const env = {
      E2B_DOMAIN: 'sandboxes.example.org',
      E2B_SANDBOX_TIMEOUT: '300000',
      E2B_DEFAULT_TTL_MINUTES: '45',
      E2B_CLEANUP_INTERVAL_MINUTES: '5',
      E2B_API_KEY: 'e2b_never_a_setting',
    }
    const { settings, origins } = open(temporaryFolder(), env).view()
    expect(settings.cloud).toMatchObject({
      domain: 'sandboxes.example.org',
      timeoutMs: 300_000,
      ttlMinutes: 45,
      cleanupMinutes: 5,
    })
    expect(origins['cloud.domain']).toBe('environment')
    expect(JSON.stringify(settings)).not.toContain('e2b_never')
  })
})
