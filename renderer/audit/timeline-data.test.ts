import { describe, expect, it } from 'vitest'
import type { AuditItem, AuditPage } from '../../src/contract/audit.ts'
import { withDays, withFresh } from './timeline-data.ts'

const item = (seq: number, more: Partial<AuditItem> = {}): AuditItem =>
  ({ entry: { seq, at: seq * 1000 }, hash: '', ...more }) as AuditItem
const page = (seqs: readonly number[], more = true): AuditPage => ({
  items: seqs.map(seq => item(seq)),
  next: more ? { at: 0, seq: seqs.at(-1) ?? 0 } : null,
})
const seqs = (pages: readonly AuditPage[]) => pages.flatMap(each => each.items.map(({ entry }) => entry.seq))

describe('a timeline that grows', () => {
  const known = { pages: [page([5, 4, 3]), page([2, 1, 0], false)], pageParams: [null, { at: 0, seq: 3 }] }

  it('puts new entries on top and keeps what was scrolled to', () => {
    const next = withFresh(known, page([7, 6, 5]))
    expect(seqs(next.pages)).toEqual([7, 6, 5, 4, 3, 2, 1, 0])
    expect(next.pageParams).toEqual(known.pageParams)
  })

  it('takes the newer word on an entry that it has', () => {
    const fresh: AuditPage = { items: [item(6), item(5, { runState: 'finished' })], next: { at: 0, seq: 5 } }
    expect(withFresh(known, fresh).pages[0]?.items[1]?.runState).toBe('finished')
  })

  it('begins anew when more came than one page holds: a gap must not look like silence', () => {
    expect(seqs(withFresh(known, page([12, 11, 10])).pages)).toEqual([12, 11, 10])
  })

  it('adds entries of a record that fits on one page', () => {
    expect(seqs(withFresh({ pages: [page([], false)], pageParams: [null] }, page([1, 0], false)).pages)).toEqual([1, 0])
  })
})

it('sets the day above the first entry of each day', () => {
  const day = 86_400_000
  const at = (when: number) => ({ ...item(0), entry: { ...item(0).entry, at: when } })
  const rows = withDays([at(10.5 * day), at(10.4 * day), at(8.5 * day)])
  expect(rows.map(row => row.kind)).toEqual(['day', 'entry', 'entry', 'day', 'entry'])
})
