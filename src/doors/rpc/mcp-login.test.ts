import { createRouterClient } from '@orpc/server'
import { describe, expect, it } from 'vitest'
import { ok } from '../../contract/problem.ts'
import type { DoorContext } from './api.ts'
import { mcpRouter } from './mcp.ts'

const url = 'https://login.example/authorize?state=x'

/** An engine that knows where to log in, behind a door with this way to open pages. */
function login(openPage: DoorContext['openPage']) {
  const mcp = { login: async () => ok({ url, issuer: 'https://login.example', done: new Promise(() => undefined) }) }
  const context = { engine: { mcp }, session: { caller: {} }, openPage } as unknown as DoorContext
  return createRouterClient(mcpRouter, { context }).login({ server: 'ledger' })
}

describe('the page of a log-in', () => {
  it('is opened by a door that can', async () => {
    const opened: string[] = []
    const answer = await login(async page => void opened.push(page))
    expect([answer, opened]).toEqual([{ url, opened: true }, [url]])
  })

  it('is handed to the window where the door cannot, or it fails', async () => {
    expect(await login(null)).toEqual({ url, opened: false })
    expect(await login(() => Promise.reject(new Error('no browser')))).toEqual({ url, opened: false })
  })
})
