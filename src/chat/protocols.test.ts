import { describe, expect, it } from 'vitest'
import { providerKinds } from '../contract/chat.ts'
import { languageModel } from './protocols.ts'

const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Go' }] }]

describe('a model that is made once', () => {
  it.each(providerKinds)('sends each request of %s by its own way and with its own key', async kind => {
    const sent: string[] = []
    const ask = async (who: string, key: string | null) => {
      const send: typeof fetch = async (_url, init) => {
        const headers = new Headers(init?.headers)
        sent.push(`${who}: ${headers.get('x-api-key') ?? headers.get('authorization')?.replace('Bearer ', '')}`)
        return new Response('{}', { status: 401 })
      }
      const connection = { kind, name: 'Fake', baseUrl: 'http://127.0.0.1:9/v1', key, send }
      const model = await languageModel(connection, 'fake-1')
      await expect(model.doStream({ prompt })).rejects.toThrow()
    }
    await Promise.all([ask('one', 'key-1'), ask('two', 'key-2'), ask('three', null)])
    expect(sent.sort()).toEqual(['one: key-1', 'three: none', 'two: key-2'])
  })
})
