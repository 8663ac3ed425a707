import { sql } from 'kysely'
import { type TimelineBucket, TimelineRequest } from '../contract/audit.ts'
import type { Storage } from '../storage/storage.ts'

/** What happened when, for a chart above the list: equal stretches of time, empty ones included. */
export async function readTimeline(
  storage: Pick<Storage, 'read'>,
  request: TimelineRequest,
): Promise<TimelineBucket[]> {
  const { from, to, buckets } = TimelineRequest.parse(request)
  const width = Math.max(1, Math.ceil((to - from + 1) / buckets))
  const { rows } = await sql<{ place: number; risk: string | null; count: number }>`
    select place, risk, sum(count) as count from (
      select cast((at - ${from}) / ${width} as integer) as place, kind, count(*) as count
      from audit_index where at between ${from} and ${to} group by 1, 2)
    join audit_kinds using (kind) group by 1, 2`.execute(storage.read)
  const timeline = Array.from({ length: Math.ceil((to - from + 1) / width) }, (_, place): TimelineBucket => {
    const start = from + place * width
    return { from: start, to: Math.min(to, start + width - 1), entries: 0, byRisk: {} }
  })
  for (const { place, risk, count } of rows) {
    const bucket = timeline[place]
    if (!bucket) continue
    bucket.entries += count
    if (risk !== null) bucket.byRisk[risk] = count
  }
  return timeline
}
