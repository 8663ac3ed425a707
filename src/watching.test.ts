import { describe, expect, it } from 'vitest'
import { temporaryAudit, tenant } from './audit/testing.ts'
import { Settings } from './contract/settings.ts'
import { createEvents } from './events.ts'
import { silentLog } from './log.ts'
import { createPrivacy } from './privacy/privacy.ts'
import { watchRecord } from './watching.ts'

describe('the webhook', () => {
  it('is sent no text that did not pass the guard, as the application wires it', async () => {
    const { audit, storage, clock, ids } = await temporaryAudit()
    const current = Settings.parse({ alerts: { webhook: 'https://hooks.example.org/x' } })
    const keys = { get: async () => null, set: async () => undefined, add: async () => new Uint8Array(32) }
    const privacy = await createPrivacy({ storage, audit, keys, clock, ids, tenant, settings: () => current.privacy })
    const posted: string[] = []
    const arrived = Promise.withResolvers<void>()
    const damage = { kind: 'missing', seq: 1, message: 'Lost: what jane@bank.ie wrote.' }
    const watching = watchRecord({
      audit: Object.assign(Object.create(audit), { damageAtStart: [damage] }),
      events: createEvents(),
      privacy,
      settings: { current } as Parameters<typeof watchRecord>[0]['settings'],
      tenant,
      clock,
      log: silentLog,
      lasting: false,
      send: async (_url, init) => {
        posted.push(String(init?.body))
        arrived.resolve()
        return new Response(null, { status: 204 })
      },
    })
    await arrived.promise
    expect(posted.map(body => JSON.parse(body))).toMatchObject([
      { source: 'countersign', rule: 'damaged-record', text: 'Lost: what [EMAIL_1] wrote.' },
    ])
    expect(await privacy.departures({ destination: 'alert' })).toMatchObject([{ to: 'webhook', found: { EMAIL: 1 } }])
    await watching.close()
    await privacy.close()
  })
})
