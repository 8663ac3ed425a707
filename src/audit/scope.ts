import type { AuditItem, AuditScope } from '../contract/audit.ts'
import type { Storage } from '../storage/storage.ts'
import { findPlaces } from './find.ts'
import { readItems } from './query.ts'

/** More entries than this in one report or bundle by selection is not a selection any more. */
export const mostSelected = 500_000

/** The numbers of the entries that a scope speaks of, oldest first. */
export async function seqsOf(storage: Pick<Storage, 'read'>, scope: AuditScope): Promise<number[]> {
  const find = async (filter: Parameters<typeof findPlaces>[1]) =>
    (await findPlaces(storage, filter, mostSelected, undefined)).map(place => place.seq)
  switch (scope.kind) {
    case 'all':
      return ascending(await find({}))
    case 'period':
      return ascending(await find({ from: scope.from, to: scope.to }))
    case 'conversation':
      return ascending(await find({ conversation: scope.conversation }))
    case 'run': {
      const own = await find({ run: scope.run })
      // Who approved it, and what was said on the way, stands under the request.
      const requests = new Set((await readItems(storage, own)).flatMap(({ entry }) => entry.request ?? []))
      const asked: number[] = []
      for (const request of requests) asked.push(...(await find({ request })))
      return ascending([...new Set([...own, ...asked])])
    }
  }
}

const ascending = (seqs: number[]) => seqs.sort((a, b) => a - b)

/** The entries themselves, a page at a time, so that a large scope never stands in memory as a whole. */
export async function* itemsOf(
  storage: Pick<Storage, 'read'>,
  seqs: readonly number[],
  page = 1000,
): AsyncGenerator<AuditItem[], void> {
  for (let at = 0; at < seqs.length; at += page) yield readItems(storage, seqs.slice(at, at + page))
}
