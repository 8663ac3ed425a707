import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from './clock.ts'
import { type FeedGrant, feedOf, feeds, feedWords, fileNameOf, grantOf } from './contract/feeds.ts'
import { grantHost } from './contract/network.ts'
import { fail, type Outcome, ok } from './contract/problem.ts'
import { openEngine } from './engine/engine.ts'
import { createFeeds } from './feeds.ts'
import { canonicalGrants, type FetchedBytes, fetchOnce } from './network/network.ts'
import { temporaryFolder } from './storage/testing.ts'

const address = 'https://data-api.ecb.europa.eu/service/data/EXR/D.USD.EUR.SP00.A?format=csvdata'
const rates = 'currency,rate\nUSD,1.0832\nGBP,0.8561\n'

/** The whole engine; only the Internet is made up. */
async function withFeeds(answer: () => Outcome<FetchedBytes>) {
  const engine = await openEngine({ home: join(temporaryFolder(), 'home'), env: {}, pool: 0 })
  onTestFinished(() => engine.close())
  const who = engine.caller
  const created = await engine.conversations.create(who, { title: 'Rates' })
  if (!created.ok) throw new Error(created.problem.message)
  const path = created.value.conversation.main
  const asked: ({ url: string } & FeedGrant)[] = []
  const feed = createFeeds({
    get: async (url, grant) => {
      asked.push({ url: url.href, ...grant })
      return answer()
    },
    policy: async () => (await engine.approval.policy.current()).policy,
    files: (at, { user }) => engine.contexts.files(at, user),
    ...{ conversations: engine.conversations, privacy: engine.privacy, audit: engine.audit, clock: systemClock },
  })
  const fetchIt = (url: string) => feed.fetch(who, { path, url })
  return { engine, who, path, asked, fetchIt }
}

describe('official data', () => {
  it('is kept by hash with its time, and a replay uses what was fetched then', async () => {
    const texts = [rates, rates.replace('1.0832', '9.9999')]
    const { engine, who, path, asked, fetchIt } = await withFeeds(() =>
      ok({ bytes: Buffer.from(texts.shift() ?? ''), requests: [] }),
    )
    const fetched = await fetchIt(address)
    const sha256 = createHash('sha256').update(rates).digest('hex')
    expect(fetched).toMatchObject({ ok: true, value: { file: 'D.USD.EUR.SP00.A.csv', sha256, bytes: rates.length } })
    expect(asked).toEqual([{ url: address, rules: ['https://data-api.ecb.europa.eu:443'], methods: ['GET'] }])

    const inserted = await engine.conversations.insert(who, {
      path,
      items: [
        {
          kind: 'cell',
          author: 'analyst',
          language: 'python',
          text: 'print(open("D.USD.EUR.SP00.A.csv").read().split()[1])',
        },
      ],
    })
    const cell = inserted.ok ? inserted.value[0] : undefined
    if (cell?.kind !== 'cell') throw new Error('no cell')
    const started = await engine.runs.start(who, { path, cell: cell.id, revision: cell.revision })
    expect(started.ok && (await started.value.rest)).toMatchObject({ outcome: { stdout: 'USD,1.0832\n' } })
    // The source says something else today; the path has it now, and the record has both.
    expect((await fetchIt(address)).ok).toBe(true)
    const progress = []
    for await (const each of engine.replay(who, path)) progress.push(each)
    expect(progress.at(-1)).toMatchObject({ type: 'report', report: { verdict: 'identical' } })
    const page = await engine.audit.query({ filter: { path, actions: ['feed.fetched'] } })
    expect(page.items).toHaveLength(2)
    expect(page.items[1]?.entry.details).toMatchObject({ url: address, sha256, methods: 'GET' })
  })

  it('comes from a source on the list, by an address that carries nothing private, and where the policy lets it', async () => {
    const { engine, who, asked, fetchIt } = await withFeeds(() => fail('network.refused', 'No way.', ''))
    for (const url of ['http://www.ecb.europa.eu/a', 'https://www.ecb.europa.eu:8443/a', 'https://x.org/', 'no'])
      expect(await fetchIt(url)).toMatchObject({ ok: false, problem: { code: 'request.invalid' } })
    const private_ = 'https://ec.europa.eu/eurostat/api?for=jane.doe@bank.ie'
    expect(await fetchIt(private_)).toMatchObject({ ok: false, problem: { code: 'privacy.held' } })
    const { policy, version } = await engine.approval.policy.current()
    const strict = { ...policy, operations: { ...policy.operations, network: 'four-eyes' as const } }
    await engine.approval.policy.save(strict, who.user, version)
    expect(await fetchIt(address)).toMatchObject({ ok: false, problem: { code: 'policy.blocked' } })
    expect(asked).toEqual([])
  })

  it('comes from each source on the list by the address that stands there', async () => {
    const { asked, fetchIt } = await withFeeds(() => ok({ bytes: Buffer.from(rates), requests: [] }))
    for (const feed of feeds) expect((await fetchIt(feed.example)).ok).toBe(true)
    expect(asked.map(each => each.url)).toEqual(feeds.map(each => each.example))
  })

  it('states for each source its hosts, methods and what it serves, and grants exactly those', () => {
    for (const feed of feeds) {
      expect(feed.serves).not.toBe('')
      const { rules, methods } = grantOf(feed)
      expect(canonicalGrants(rules)).toEqual({ ok: true, value: rules })
      expect(rules.map(grantHost)).toEqual(feed.hosts)
      expect(methods).toEqual(['GET'])
      expect(feedWords(feed)).toBe(`GET from ${feed.hosts.join(', ')}`)
    }
  })

  it('is not fetched by a method that was not granted', async () => {
    const grant = { rules: ['https://x.example:443'], methods: ['HEAD' as const] }
    const gate = { open: () => expect.unreachable() } as unknown as Parameters<typeof fetchOnce>[0]
    const options = { ...grant, signal: new AbortController().signal, mostBytes: 1 }
    expect(await fetchOnce(gate, new URL('https://x.example/'), options)).toMatchObject({
      ok: false,
      problem: { message: 'x.example is granted without GET.' },
    })
  })

  it('has a list whose addresses are of their own sources, each with a name for its file', () => {
    for (const feed of feeds) expect(feedOf(feed.example)).toBe(feed)
    expect(feeds.map(({ example }) => fileNameOf(example))).toEqual([
      'eurofxref-daily.xml',
      'D.USD.EUR.SP00.A.csv',
      'prc_hicp_manr',
      'DGS10.csv',
      'D.XM.csv',
      'FP.CPI.TOTL.ZG.json',
    ])
  })
})
