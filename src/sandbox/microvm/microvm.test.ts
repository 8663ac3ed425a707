import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Duplex } from 'node:stream'
import { describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../clock.ts'
import { BuildImage } from '../../contract/images.ts'
import { fail, ok } from '../../contract/problem.ts'
import { testIds } from '../testing.ts'
import type { Acceleration } from './command.ts'
import { Control } from './control.ts'
import { machineName } from './images.ts'
import { microvmProvider } from './microvm.ts'
import { findAcceleration } from './probe.ts'
import { isUntouched, putInPlace } from './sleeping.ts'

const temporaryFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-machines-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const providerAt = (machines: string, env: NodeJS.ProcessEnv = { PATH: '/nowhere' }) =>
  microvmProvider({ home: machines, machines, env, clock: systemClock, ids: testIds })

describe('what is missing for machines', () => {
  it('is the image, and how to make it', async () => {
    const provider = providerAt(join(temporaryFolder(), 'none'))
    expect(await provider.available()).toBeNull()
    const { probes } = await provider.probe()
    expect(probes[0]).toMatchObject({
      name: 'microvm',
      available: false,
      hint: expect.stringContaining('--kind microvm'),
    })
    const opened = await provider.open({ limits: {} as never }, new AbortController().signal)
    expect(opened).toMatchObject({ ok: false, problem: { code: 'sandbox.unavailable' } })
  })

  it('is QEMU, where there is an image', async () => {
    const machines = temporaryFolder()
    withImage(machines)
    const provider = providerAt(machines)
    expect(await provider.available()).toBeNull()
    expect((await provider.probe()).probes[0]?.detail).toMatch(/^qemu-system-\w+ is not installed$/)
  })
})

describe('images of machines', () => {
  it('are listed by what they say of themselves, and removed by name only', async () => {
    const machines = temporaryFolder()
    withImage(machines)
    mkdirSync(join(machines, 'broken'))
    writeFileSync(join(machines, 'broken', 'image.json'), '{"name":"default"}')
    const { images } = providerAt(machines)
    const listed = await images?.list()
    expect(listed).toMatchObject({ ok: true, value: [{ kind: 'microvm', template: 'default', current: true }] })
    expect(await images?.remove('../other')).toMatchObject({ ok: false, problem: { code: 'not-found' } })
    expect(await images?.remove('broken')).toMatchObject({ ok: false })
    expect(await images?.remove(machineName('default'))).toMatchObject({ ok: true })
    expect(await images?.list()).toMatchObject({ value: [] })
  })

  it('are not taken from a registry, which has none', async () => {
    const { images } = providerAt(temporaryFolder())
    const request = BuildImage.parse({ kind: 'microvm', template: 'x', source: 'registry' })
    const built = await images?.build(request, () => undefined, new AbortController().signal)
    expect(built).toMatchObject({ ok: false, problem: { message: expect.stringContaining('registry') } })
  })
})

describe('what computes for a machine', () => {
  const trials = (works: readonly Acceleration[]) => {
    const tried: Acceleration[] = []
    const trial = async (each: Acceleration) => {
      tried.push(each)
      return works.includes(each) ? ok(undefined) : fail('sandbox.failed', 'it hangs', '')
    }
    return { tried, trial }
  }

  it('is found by booting, once, until something changes', async () => {
    const file = join(temporaryFolder(), 'probe.json')
    const { tried, trial } = trials(['kvm'])
    expect(await findAcceleration(file, 'a', ['kvm', 'tcg'], trial)).toMatchObject({ acceleration: 'kvm', refused: [] })
    await findAcceleration(file, 'a', ['kvm', 'tcg'], trial)
    expect(tried).toEqual(['kvm'])
    await findAcceleration(file, 'another QEMU', ['kvm', 'tcg'], trial)
    expect(tried).toEqual(['kvm', 'kvm'])
  })

  it('is emulation where a device is there and does not work; the reason is kept', async () => {
    const file = join(temporaryFolder(), 'probe.json')
    const { tried, trial } = trials([])
    const found = await findAcceleration(file, 'a', ['kvm', 'tcg'], trial)
    expect(found).toMatchObject({ acceleration: 'tcg', refused: ['kvm: it hangs'] })
    expect(await findAcceleration(file, 'a', ['kvm', 'tcg'], trial)).toEqual(found)
    expect(tried).toEqual(['kvm'])
  })

  it('is tried again where what was kept makes no sense', async () => {
    const file = join(temporaryFolder(), 'probe.json')
    writeFileSync(file, '{"of":"a","acceleration":"magic"}')
    const { tried, trial } = trials(['hvf'])
    expect((await findAcceleration(file, 'a', ['hvf', 'tcg'], trial)).acceleration).toBe('hvf')
    expect(tried).toEqual(['hvf'])
  })
})

describe('a sleeping machine', () => {
  it('is not used when its memory was changed, or when nobody says how it was', async () => {
    const folder = temporaryFolder()
    expect(await isUntouched(folder)).toBe(false)
    writeFileSync(join(folder, 'ram'), 'memory')
    writeFileSync(join(folder, 'sleeping.json'), JSON.stringify({ changed: '1' }))
    expect(await isUntouched(folder)).toBe(false)
  })

  it('that two applications made at the same time is there once, and takes the place of one that was changed', async () => {
    const folder = temporaryFolder()
    const place = join(folder, 'sleeping')
    const made = (name: string) => {
      const at = join(folder, name)
      mkdirSync(at)
      writeFileSync(join(at, 'ram'), name)
      const changed = String(statSync(join(at, 'ram'), { bigint: true }).ctimeNs)
      writeFileSync(join(at, 'sleeping.json'), JSON.stringify({ changed }))
      return at
    }
    await Promise.all([putInPlace(made('one'), place), putInPlace(made('two'), place)])
    expect(await isUntouched(place)).toBe(true)
    const first = readFileSync(join(place, 'ram'), 'utf8')
    await putInPlace(made('three'), place)
    expect(readFileSync(join(place, 'ram'), 'utf8')).toBe(first)
    writeFileSync(join(place, 'ram'), 'changed')
    await putInPlace(made('four'), place)
    expect(readFileSync(join(place, 'ram'), 'utf8')).toBe('four')
  })
})

describe('the control of QEMU', () => {
  /** Answers each command by the given function, as QEMU would. */
  function qemu(answer: (command: { execute: string; id: number }) => object[]) {
    const stream = new Duplex({
      read() {},
      write(chunk, _, done) {
        for (const line of String(chunk).trim().split('\n'))
          for (const each of answer(JSON.parse(line))) stream.push(`${JSON.stringify(each)}\r\n`)
        done()
      },
    })
    stream.push('{"QMP":{"version":{}}}\r\n')
    return stream
  }

  it('saves a machine after it has been stopped, and tells when it is over', async () => {
    const asked: string[] = []
    const control = new Control(
      qemu(({ execute, id }) => {
        asked.push(execute)
        const done = { event: 'MIGRATION', data: { status: 'completed' } }
        return [
          { return: {}, id },
          ...(execute === 'migrate' ? [{ event: 'MIGRATION', data: { status: 'active' } }, done] : []),
        ]
      }),
    )
    await control.save('unix:/m/meet/out')
    expect(asked).toEqual(['qmp_capabilities', 'migrate-set-capabilities', 'stop', 'migrate-set-parameters', 'migrate'])
  })

  it('says why a state could not be moved, and what QEMU refused', async () => {
    const control = new Control(
      qemu(({ execute, id }) => {
        if (execute === 'cont') return [{ error: { class: 'GenericError', desc: 'Not now' }, id }]
        if (execute === 'query-migrate') return [{ return: { status: 'failed', 'error-desc': 'No space' }, id }]
        return [
          { return: {}, id },
          ...(execute === 'migrate' ? [{ event: 'MIGRATION', data: { status: 'failed' } }] : []),
        ]
      }),
    )
    await expect(control.save('unix:x')).rejects.toThrow('No space')
    await expect(control.goOn()).rejects.toThrow('Not now')
  })

  it('gives up on a machine that ends, or that talks nonsense without an end', async () => {
    const stream = qemu(() => [])
    const control = new Control(stream)
    const asked = control.ask('stop')
    stream.push('x'.repeat(2 * 1024 * 1024))
    await expect(asked).rejects.toThrow('ended')
    await expect(control.ask('cont')).rejects.toThrow('ended')
  })
})

function withImage(machines: string): void {
  const name = machineName('default')
  mkdirSync(join(machines, name))
  const image = {
    ...{ kind: 'microvm', name, template: 'default', digest: `sha256:${'a'.repeat(64)}`, bytes: 1, createdAt: 1 },
    ...{ source: 'installed', packages: [], kernel: '6.1.0', before: [] },
  }
  writeFileSync(join(machines, name, 'image.json'), JSON.stringify(image))
}
