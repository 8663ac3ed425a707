import { describe, expect, it } from 'vitest'
import { openEngine } from '../../../engine/engine.ts'
import { call, folder } from './call.testing.ts'
import { command } from './grants.ts'

async function withEngine<T>(home: string, use: (engine: Awaited<ReturnType<typeof openEngine>>) => Promise<T>) {
  const engine = await openEngine({ home, env: {}, pool: 0 })
  try {
    return await use(engine)
  } finally {
    await engine.close()
  }
}

/** A home with one conversation, and a way to call the command on its main path. */
async function conversation() {
  const home = folder()
  await withEngine(home, engine => engine.conversations.create(engine.caller, { title: 'Rates' }))
  const grants = (words: string[], values: Record<string, string | boolean> = {}) =>
    call(command, { json: true, ...values }, words, '', home)
  return { home, grants }
}
const rulesIn = ({ out }: { out: string }) => (JSON.parse(out) as { rule: string }[]).map(({ rule }) => rule)
const [ecb, eba] = ['https://www.ecb.europa.eu:443', 'https://www.eba.europa.eu:443']

describe('countersign grants', () => {
  it('grants hosts to a path by a signed decision, lists them, and takes one back on the record', async () => {
    const { home, grants } = await conversation()
    expect(rulesIn(await grants(['Rates']))).toEqual([])
    const given = await grants(['grant', 'Rates', 'www.ecb.europa.eu', 'www.eba.europa.eu'], { approve: true })
    expect(rulesIn(given).sort()).toEqual([eba, ecb])
    expect(rulesIn(await grants(['take-back', 'Rates', 'www.eba.europa.eu']))).toEqual([ecb])
    expect(rulesIn(await grants(['list', 'Rates']))).toEqual([ecb])
    expect((await grants(['Rates'], { json: false })).out).toContain(
      'read from and send to www.ecb.europa.eu, port 443',
    )

    const items = await withEngine(home, async ({ audit }) => (await audit.query({ filter: {}, limit: 200 })).items)
    const told = (action: string) => items.find(({ entry }) => entry.action === action)?.entry
    expect(told('approval.decided')?.details).toMatchObject({ verdict: 'approve' })
    expect(told('network.narrowed')?.details).toMatchObject({ taken: [eba], kept: [ecb] })

    expect(rulesIn(await grants(['take-back', 'Rates'], { all: true }))).toEqual([])
    await expect(grants(['take-back', 'Rates'], { all: true })).rejects.toMatchObject({
      problem: { code: 'not-found' },
    })
  })

  it('grants nothing that nobody approved', async () => {
    const { grants } = await conversation()
    await expect(grants(['grant', 'Rates', 'www.ecb.europa.eu'])).rejects.toMatchObject({
      problem: { code: 'approval.undecided' },
    })
    expect(rulesIn(await grants(['Rates']))).toEqual([])
  })

  it.each([
    ['no path', []],
    ['a path that is not there', ['list', 'Elsewhere']],
    ['hosts for a list', ['list', 'Rates', 'a.example.org']],
    ['a grant without hosts', ['grant', 'Rates']],
    ['nothing to take back', ['take-back', 'Rates']],
    ['a host that is none', ['grant', 'Rates', 'http://a b']],
  ])('says what is wrong: %s', async (_, words) => {
    const { grants } = await conversation()
    await expect(grants(words)).rejects.toThrow()
  })
})
