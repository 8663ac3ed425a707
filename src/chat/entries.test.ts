import { describe, expect, it } from 'vitest'
import type { AuditEntry } from '../contract/audit.ts'
import { type Entries, EntryReader } from './entries.ts'
import { chatsInOneEngine, value } from './testing.ts'

const entry = (seq: number, conversation = 'here'): AuditEntry =>
  ({ seq, at: seq * 10, action: 'egress.passed', conversation }) as unknown as AuditEntry

/** A record in memory that says what it was asked. */
function record(most = 100) {
  const written: AuditEntry[] = []
  const asked: string[] = []
  let whileQueried = () => {}
  const entries: Entries = {
    last: async () => written.at(-1)?.seq ?? -1,
    since: async seq => {
      asked.push('since')
      const found = written.filter(each => each.seq > seq)
      return found.length > most ? null : { last: written.at(-1)?.seq ?? seq, entries: found }
    },
    query: async ({ filter }) => {
      asked.push('query')
      const found = written.filter(each => each.conversation === filter?.conversation).reverse()
      whileQueried()
      return { items: found.map(each => ({ entry: each, hash: '' })), next: null }
    },
  }
  return { written, asked, entries, whileQueried: (work: () => void) => (whileQueried = work) }
}

const reading = (entries: Entries, from?: number) => {
  const reader = new EntryReader(entries, {
    conversation: 'here' as never,
    actions: ['egress.passed'],
    ...(from === undefined ? {} : { from }),
  })
  return async () => {
    const seqs: number[] = []
    await reader.read(({ seq }) => seqs.push(seq))
    return seqs
  }
}

describe('what fits on the record', () => {
  it('is asked of the index once, and then only what was added is read', async () => {
    const { written, asked, entries } = record()
    written.push(entry(0), entry(1, 'elsewhere'))
    const read = reading(entries)
    expect(await read()).toEqual([0])
    written.push(entry(2, 'elsewhere'), entry(3))
    expect(await read()).toEqual([3])
    expect(await read()).toEqual([])
    expect(asked).toEqual(['query', 'since', 'since'])
  })

  it('is not missed where it is written while the index is asked', async () => {
    const { written, entries, whileQueried } = record()
    written.push(entry(0))
    whileQueried(() => written.push(entry(1)))
    const read = reading(entries)
    expect(await read()).toEqual([0])
    expect(await read()).toContain(1)
  })

  it('is asked of the index again where much was added', async () => {
    const { written, asked, entries } = record(2)
    const read = reading(entries)
    await read()
    written.push(entry(0), entry(1), entry(2))
    expect((await read()).toSorted()).toEqual([0, 1, 2])
    expect(asked).toEqual(['query', 'since', 'query'])
  })

  it('is not what was written before the moment that is asked for', async () => {
    const { written, entries } = record()
    const read = reading(entries, 20)
    await read()
    written.push(entry(1), entry(2))
    expect(await read()).toEqual([2])
  })
})

describe('a conversation', () => {
  const open = chatsInOneEngine()

  it('is confidential from the entry on that says so, whoever wrote it and whatever the table says', async () => {
    const { engine, who, conversation, path } = await open([])
    const confidential = async () => value(await engine.chat.open(who, path)).confidential
    expect(await confidential()).toBe(false)
    const about = { action: 'settings.changed', tenant: who.tenant, actor: who.user, conversation } as const
    await engine.audit.record({ ...about, details: { confidential: true } })
    expect(await confidential()).toBe(true)
    await engine.audit.record({ ...about, details: { confidential: false } })
    expect(await confidential()).toBe(false)
  })
})
