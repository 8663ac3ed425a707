import { Worker } from 'node:worker_threads'
import { afterEach, describe, expect, it } from 'vitest'
import { workerFile } from '../places.ts'
import { scanText } from './scan-text.ts'
import { createScanning, type Scanning } from './scanning.ts'

const long = `${'an ordinary line of a report\n'.repeat(400)}jane.doe@bank.ie\n`
const open: Scanning[] = []
afterEach(() => Promise.all(open.splice(0).map(scanning => scanning.close())))

function watched(file = workerFile('privacy')) {
  const threads: Worker[] = []
  const scanning = createScanning(() => {
    const made = new Worker(file, { eval: !file.includes('/') })
    threads.push(made)
    return made
  })
  open.push(scanning)
  return { scanning, threads }
}

describe('scanning ahead', () => {
  it('finds in a thread what is found here', async () => {
    const { scanning, threads } = watched()
    await scanning.ahead([long, 'call 415-555-0132'])
    expect(threads).toHaveLength(1)
    expect(scanning.find(long)).toEqual(scanText(long))
    expect(scanning.find(long)).toBe(scanning.find(long))
    expect(scanning.find('call 415-555-0132')).toEqual(scanText('call 415-555-0132'))
  })

  it('leaves the application free while it looks', async () => {
    const { scanning } = watched()
    let turns = 0
    let over = false
    const turn = (): void => {
      turns++
      if (!over) setImmediate(turn)
    }
    setImmediate(turn)
    await scanning.ahead([long.repeat(20)])
    over = true
    expect(turns).toBeGreaterThan(10)
  })

  it('starts no thread for a short text', async () => {
    const { scanning, threads } = watched()
    await scanning.ahead(['jane.doe@bank.ie'])
    expect(threads).toHaveLength(0)
    expect(scanning.find('jane.doe@bank.ie')).toMatchObject([{ type: 'EMAIL' }])
  })

  it('looks once at a short text that comes again, and forgets it after many others', () => {
    const { scanning } = watched()
    const again = 'write to jane.doe@bank.ie'
    const found = scanning.find(again)
    expect(scanning.find(again)).toBe(found)
    for (let at = 0; at < 150; at++) scanning.find(`${at} ${'a word '.repeat(600)}`)
    expect(scanning.find(again)).not.toBe(found)
    expect(scanning.find(again)).toEqual(found)
  })

  it.each(['process.exit(1)', 'throw 1'])('finds the same when the thread is lost: %s', async program => {
    const { scanning } = watched(program)
    await scanning.ahead([long])
    expect(scanning.find(long)).toEqual(scanText(long))
    await scanning.ahead([long])
  })

  it('goes on without a thread once it is closed', async () => {
    const { scanning, threads } = watched()
    await scanning.close()
    await scanning.ahead([long])
    expect(threads).toHaveLength(0)
    expect(scanning.find(long)).toEqual(scanText(long))
  })
})
