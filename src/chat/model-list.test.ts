import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { fakeProvider } from './fake-provider.testing.ts'
import { findServers, usualServers } from './model-list.ts'

const portOf = (baseUrl: string): number => Number(new URL(baseUrl).port)

describe('model servers of this machine', () => {
  it('are looked for where Ollama, LM Studio, vLLM and llama.cpp listen', () => {
    expect(usualServers.map(({ name, port }) => `${name} ${port}`)).toEqual([
      'Ollama 11434',
      'LM Studio 1234',
      'vLLM 8000',
      'llama.cpp 8080',
    ])
  })

  it('are found with their models; what answers otherwise, or not at all, is none', async () => {
    const fake = await fakeProvider('compatible', [])
    onTestFinished(() => fake.close())
    const other = createServer((_, response) => response.end('<h1>Some other program</h1>'))
    await new Promise<void>(resolve => other.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void other.close())
    const gone = await fakeProvider('compatible', [])
    await gone.close()
    const found = await findServers(
      () => fetch,
      [
        { name: 'vLLM', port: portOf(fake.baseUrl) },
        { name: 'LM Studio', port: (other.address() as AddressInfo).port },
        { name: 'Ollama', port: portOf(gone.baseUrl) },
      ],
      30_000,
    )
    expect(found).toMatchObject([
      { name: 'vLLM', baseUrl: fake.baseUrl, models: [{ id: 'fake-1', windowTokens: 32_000 }] },
    ])
  })
})
