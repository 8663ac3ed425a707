import type { CountsByType, Departure } from '../../src/contract/privacy.ts'

/** Departures that belong together: an export of forty cells is one thing that somebody did. */
export interface Trip extends Omit<Departure, 'id'> {
  readonly id: string
  readonly pieces: number
}

/** Pieces of one trip follow each other within this time. */
const apartMs = 2000

/** Joins neighbours that went to the same place, in the same way, one right after the other. Newest first, as given. */
export function tripsOf(departures: readonly Departure[]): Trip[] {
  const trips: (Trip & { oldest: number })[] = []
  for (const departure of departures) {
    const last = trips.at(-1)
    if (last && isSame(last, departure) && last.oldest - departure.at <= apartMs) {
      trips[trips.length - 1] = {
        ...last,
        oldest: departure.at,
        pieces: last.pieces + 1,
        characters: last.characters + departure.characters,
        found: added(last.found, departure.found),
      }
    } else trips.push({ ...departure, pieces: 1, oldest: departure.at })
  }
  return trips.map(({ oldest: _oldest, ...trip }) => trip)
}

const isSame = (a: Omit<Departure, 'id'>, b: Omit<Departure, 'id'>): boolean =>
  a.destination === b.destination &&
  a.to === b.to &&
  a.conversation === b.conversation &&
  a.mode === b.mode &&
  a.result === b.result

function added(a: CountsByType, b: CountsByType): CountsByType {
  const sum = { ...a }
  for (const [type, count] of Object.entries(b)) sum[type] = (sum[type] ?? 0) + count
  return sum
}
