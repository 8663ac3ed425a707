import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { openEngine } from '../../engine/engine.ts'
import { temporaryFolder } from '../../storage/testing.ts'
import { followMcpSettings } from './switch.ts'

/** A port that somebody else has for as long as the test goes on. */
async function takenPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

it('opens and closes the door as the settings say, and tells why it cannot', async () => {
  const engine = await openEngine({ home: temporaryFolder(), env: {}, pool: 0 })
  onTestFinished(() => engine.close())
  const door = followMcpSettings(engine)
  onTestFinished(() => door.close())
  const change = async (mcp: { http: boolean; port?: number }) => {
    expect(await engine.changeSettings(engine.caller, { mcp })).toMatchObject({ ok: true })
    await door.settled()
    return door.state()
  }
  const taken = await takenPort()
  expect(door.state()).toMatchObject({ open: false, problem: null })
  expect(await change({ http: true, port: taken })).toMatchObject({ open: false, problem: { code: 'door.taken' } })
  let free = taken
  while ((await change({ http: true, port: ++free })).problem);
  expect(door.state()).toMatchObject({ open: true, url: `http://127.0.0.1:${free}/mcp` })
  expect((await fetch(door.state().url, { method: 'POST' })).status).toBe(401)
  expect(await change({ http: false })).toMatchObject({ open: false, problem: null })
  await expect(fetch(`http://127.0.0.1:${free}/mcp`)).rejects.toThrow()
})
