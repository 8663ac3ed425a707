import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { afterAll, describe, expect, it } from 'vitest'

const script = 'scripts/egress-proxy.mjs'
const running: ChildProcess[] = []
afterAll(() => {
  for (const each of running) each.kill('SIGKILL')
})

function start(rules: string, ...args: string[]) {
  const env = { ...process.env, EGRESS_RULES: rules }
  const proxy = spawn(process.execPath, [script, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  running.push(proxy)
  return proxy
}
async function ended(rules: string, ...args: string[]) {
  const proxy = start(rules, ...args)
  const [[status], stdout, stderr] = await Promise.all([once(proxy, 'exit'), text(proxy.stdout), text(proxy.stderr)])
  return { status, stdout, stderr }
}

describe('the proxy alone', () => {
  it.concurrent.each([
    ['[', 'is not JSON'],
    ['[{"host":"a b"}]', '"a b" is not a host name'],
    ['[{"host":"a.org"},{"host":"a.org","port":0}]', 'rule 2, port: '],
    ['[{"host":"a.org","protocol":"tcp"}]', 'a tcp rule needs a port'],
  ])('does not start with the rules %s', async (rules, why) => {
    const { status, stdout, stderr } = await ended(rules)
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toMatch(/^egress-proxy: .*\n$/)
    expect(stderr).toContain(why)
  })

  it('says how rules are written and how servers of a test are reached, and takes no other option', async () => {
    const { status, stdout } = await ended('[', '--help')
    expect(status).toBe(0)
    for (const word of ['EGRESS_RULES', 'EGRESS_PORT', 'methods', 'unshare', '/etc/resolv.conf'])
      expect(stdout).toContain(word)
    expect((await ended('[]', '--rules')).status).toBe(2)
  })

  it('prints its address and a line for each request, also for one that is under way when it is ended', async () => {
    const proxy = start('')
    const lines = createInterface({ input: proxy.stdout })[Symbol.asyncIterator]()
    const next = async () => JSON.parse((await lines.next()).value)
    const { address } = await next()
    expect(address).toMatch(/^127\.0\.0\.1:\d+$/)
    const to = () => connect(Number(address.split(':')[1]), '127.0.0.1')
    const refused = to()
    refused.write('GET http://a.example.org/ HTTP/1.1\r\nHost: a.example.org\r\n\r\n')
    expect(await text(refused)).toContain('403 a.example.org is not granted; ask for it')
    expect(await next()).toMatchObject({ log: { host: 'a.example.org', port: 80, refusal: 'not-granted' } })
    // The answer to SOCKS says that the proxy has read from it.
    const half = to()
    half.write(Buffer.from([5, 1, 0]))
    await once(half, 'data')
    proxy.kill()
    expect(await next()).toMatchObject({ log: { refusal: 'malformed', reason: 'It ended before it named a host.' } })
    expect(await lines.next()).toMatchObject({ done: true })
  })
})
