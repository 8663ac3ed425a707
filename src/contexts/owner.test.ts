import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { hostname } from 'node:os'
import { describe, expect, it } from 'vitest'
import { thisProcess } from './owner.ts'

describe('the owner of a context', () => {
  it('is alive itself, and no earlier process with the same number is', () => {
    const owner = thisProcess()
    expect(owner.isAlive(owner.name)).toBe(true)
    expect(owner.isAlive(`${hostname()}/${process.pid}//an-earlier-start`)).toBe(false)
  })

  it('is alive while its process is, and dead after', async () => {
    const owner = thisProcess()
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
    await once(child, 'spawn')
    const name = `${hostname()}/${child.pid}//x`
    expect(owner.isAlive(name)).toBe(true)
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(owner.isAlive(name)).toBe(false)
  })

  it.runIf(existsSync('/proc/self/stat'))(
    'is dead when its number went to a process that started at another time',
    () => {
      expect(thisProcess().isAlive(`${hostname()}/${process.ppid}/12345/x`)).toBe(false)
    },
  )

  it('counts as alive on another machine, where nobody can look, and as dead when its name makes no sense', () => {
    expect(thisProcess().isAlive('elsewhere/1/2/x')).toBe(true)
    expect(thisProcess().isAliveHere('elsewhere/1/2/x')).toBe(false)
    for (const pid of ['', '0', '-1', 'NaN', '1.5'])
      expect(thisProcess().isAlive(`${hostname()}/${pid}//x`)).toBe(false)
  })
})
