import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A model server that writes a text word by word at a steady pace, as models do. */
export async function pacedProvider(text: string, wordsASecond: number): Promise<{ baseUrl: string }> {
  const words = text.split(/(?<= )/)
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const send = (delta: object, finish: string | null = null) =>
      response.write(
        `data: ${JSON.stringify({ id: 'a', model: 'fake-1', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`,
      )
    const from = performance.now()
    let said = 0
    const timer = setInterval(() => {
      const due = Math.min(words.length, Math.ceil(((performance.now() - from) / 1000) * wordsASecond))
      while (said < due) send({ content: words[said++] })
      if (said < words.length) return
      clearInterval(timer)
      send({}, 'stop')
      response.end('data: [DONE]\n\n')
    }, 5)
    response.on('close', () => clearInterval(timer))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` }
}
